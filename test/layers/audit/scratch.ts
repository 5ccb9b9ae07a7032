/** Directories for logs, and what may be put in the place of the operating system. */
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Effect } from "effect"
import { type System, system } from "../../../src/layers/node/audit/system.js"

/** A directory that is gone with the scope. What is not made yet is `missing` in it. */
export const scratch = Effect.acquireRelease(
  Effect.sync(() => mkdtempSync(join(tmpdir(), "bailiwick-audit-"))),
  (directory) => Effect.sync(() => rmSync(directory, { recursive: true, force: true }))
)

const trouble = (code: string): Error => Object.assign(new Error(code), { code })

/** A disk that can be full: then a write is made in part, and the next one not at all. */
export class Disk implements System {
  /** How many bytes fit. */
  room = Number.POSITIVE_INFINITY
  code = "ENOSPC"

  readonly write = (fd: number, bytes: Uint8Array): number => {
    if (this.room === 0) throw trouble(this.code)
    const count = system.write(fd, bytes.subarray(0, Math.min(this.room, bytes.length)))
    this.room -= count
    return count
  }

  readonly writeAt = system.writeAt
  readonly sync = system.sync
}
