import { mkdirSync, mkdtempSync, rmSync } from "node:fs"
import { join } from "node:path"
import { scratch } from "../../scripts/lib/project.js"

/** A folder from which packages are found as they are in the repository. It goes with the process. */
export const scratchFolder = (name: string): string => {
  mkdirSync(scratch, { recursive: true })
  const folder = mkdtempSync(join(scratch, `lint-${name}-`))
  process.once("exit", () => rmSync(folder, { recursive: true, force: true }))
  return folder
}
