/** Programs that a test starts as processes of their own. Each is compiled once in a run, and starts as fast as Node does. */
import { mkdirSync, mkdtempSync, rmSync } from "node:fs"
import { join } from "node:path"
import { bundled } from "../scripts/lib/programs.js"
import { scratch } from "../scripts/lib/project.js"

const made = new Map<string, Promise<string>>()

const compiled = async (source: string): Promise<string> => {
  mkdirSync(scratch, { recursive: true })
  const folder = mkdtempSync(join(scratch, "program-"))
  process.once("exit", () => rmSync(folder, { recursive: true, force: true }))
  const [file] = await bundled(folder, [source])
  if (file === undefined) throw new Error(`${source} was not compiled`)
  return file
}

/** The file to give to Node for a TypeScript program. */
export const programOf = (source: string): Promise<string> => {
  const known = made.get(source) ?? compiled(source)
  made.set(source, known)
  return known
}
