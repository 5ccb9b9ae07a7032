/** Writes the page of all error codes from the codes themselves. */
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { root } from "../lib/project.js"
import { errorsPage, file } from "./errorsPage.js"

writeFileSync(join(root, file), errorsPage())
console.log(`${file} is written`)
