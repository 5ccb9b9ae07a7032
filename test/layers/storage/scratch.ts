import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Effect } from "effect"

/** A directory that is gone when the scope ends. */
export const scratch = Effect.acquireRelease(
  Effect.sync(() => mkdtempSync(join(tmpdir(), "bailiwick-store-"))),
  (directory) => Effect.sync(() => rmSync(directory, { recursive: true, force: true }))
)
