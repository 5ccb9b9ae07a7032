/** `npm run graph`: what the import graph of `src` is, and where it breaks the rules. */
import { modules } from "./modules.js"
import { complaints, folderCycles, foldersOf, privateEntries } from "./rules.js"

const all = modules()
const imports = all.reduce((sum, one) => sum + one.imports.length, 0)
for (const complaint of complaints(all)) console.log(complaint)
console.log(`files: ${all.length}   folders: ${foldersOf(all).size}   imports: ${imports}`)
console.log(`cycles between folders: ${folderCycles(all).length}`)
console.log(`entries into private files: ${privateEntries(all).length}`)
process.exitCode = complaints(all).length === 0 ? 0 : 1
