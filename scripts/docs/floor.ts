/** Writes the page of the floor from the list of its places. */
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { root } from "../lib/project.js"
import { file, floorPage } from "./floorPage.js"

writeFileSync(join(root, file), floorPage())
console.log(`${file} is written`)
