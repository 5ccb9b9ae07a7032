/** `npm run build`: an empty `dist`, then the library, then the bundle of the command line. */
import { rm } from "node:fs/promises"
import { join } from "node:path"
import { bundle } from "./cli/bundle.js"
import { root } from "./lib/project.js"
import { compileLibrary } from "./package/library/compile.js"

await rm(join(root, "dist"), { recursive: true, force: true })
const complaints = await compileLibrary()
if (complaints === "") {
  await bundle()
} else {
  process.stdout.write(complaints)
  process.exitCode = 1
}
