/** `npm run build`: an empty `dist`, then the compiler, then the bundle of the command line. */
import { rm } from "node:fs/promises"
import { join } from "node:path"
import { bundle } from "./cli/bundle.js"
import { node } from "./lib/command.js"
import { commandOf, root } from "./lib/project.js"

await rm(join(root, "dist"), { recursive: true, force: true })
const finished = await node([commandOf("typescript", "tsc"), "--project", "tsconfig.build.json"])
process.stdout.write(finished.output)
process.exitCode = finished.ok ? 0 : 1
if (finished.ok) await bundle()
