/** `npm run build`: an empty `dist`, then the library, then the bundle of the lint plugin and the command line. */
import { rm } from "node:fs/promises"
import { join } from "node:path"
import { bundle } from "./cli/bundle.js"
import { root } from "./lib/project.js"
import { replaceByBundle } from "./lint/plugin.js"
import { compileLibrary } from "./package/library/compile.js"

await rm(join(root, "dist"), { recursive: true, force: true })
const complaints = await compileLibrary()
if (complaints === "") {
  await replaceByBundle()
  await bundle()
} else {
  process.stdout.write(complaints)
  process.exitCode = 1
}
