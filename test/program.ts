/** Programs that a test starts as processes of their own. Each is compiled once in a run, and starts as fast as Node does. */
import { createHash } from "node:crypto"
import { join } from "node:path"
import { bundled } from "../scripts/lib/programs.js"
import { once } from "./once.js"

/** The file to give to Node for a TypeScript program. */
export const programOf = async (source: string): Promise<string> => {
  const name = createHash("sha256").update(source).digest("hex").slice(0, 16)
  return join(await once(name, (folder) => bundled(folder, [source])), "program0.mjs")
}
