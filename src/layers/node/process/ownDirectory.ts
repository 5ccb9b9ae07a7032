/** A directory of one child's own, for who has no `/tmp` of its own: its home, and what it writes in passing. */
import { existsSync, mkdtempSync, realpathSync, rmSync } from "node:fs"
import { chmod, readdir, rename, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Effect, type Scope } from "effect"
import * as Kept from "../disk/Kept.js"

let root: string | undefined

/** Those of all children are in one that no tool and no other child sees. */
const rootOf = (): string => {
  if (root !== undefined && existsSync(root)) return root
  const made = mkdtempSync(join(realpathSync.native(tmpdir()), "bailiwick-"))
  Kept.close(made)
  process.once("exit", () => rmSync(made, { recursive: true, force: true }))
  root = made
  return made
}

/** Programs take the right to write from what they keep, and what may not be written cannot be emptied. */
const unlock = async (directory: string): Promise<void> => {
  await chmod(directory, 0o700)
  const entries = await readdir(directory, { withFileTypes: true })
  for (const entry of entries) if (entry.isDirectory()) await unlock(join(directory, entry.name))
}

/** Moved first to where its profile does not let the child: who outlives its end cannot lead elsewhere what is removed. */
const remove = async (path: string): Promise<void> => {
  const gone = `${path}.gone`
  const removed = () => rm(gone, { recursive: true, force: true })
  await rename(path, gone)
  await removed().catch(() => unlock(gone).then(removed))
}

/** By its real path, and its user's alone. It goes with the scope. */
export const ownDirectory: Effect.Effect<string, unknown, Scope.Scope> = Effect.acquireRelease(
  Effect.try(() => mkdtempSync(join(rootOf(), "child-"))),
  (path) => Effect.promise(() => remove(path).catch(() => {}))
)
