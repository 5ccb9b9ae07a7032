/** `npm run docs:pictures`: draws the map of the house and the picture of the editor anew. */
import { readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { draw } from "../graph/draw.js"
import { modules } from "../graph/modules.js"
import { root } from "../lib/project.js"
import { drawEditor } from "./editorPicture.js"

writeFileSync(join(root, "docs/map.svg"), draw(modules()))
writeFileSync(join(root, "docs/editor.svg"), drawEditor(readFileSync(join(root, "README.md"), "utf8")))
