/** `npm run docs:map`: draws the house anew. */
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { root } from "../lib/project.js"
import { draw } from "./draw.js"
import { modules } from "./modules.js"

writeFileSync(join(root, "docs/map.svg"), draw(modules()))
