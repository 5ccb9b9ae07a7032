import { mkdtempSync, realpathSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Effect } from "effect"
import type { RecordsBackend } from "../../../src/capabilities/records/RecordsBackend.js"
import * as Proof from "../../../src/policy/gate/Proof.js"
import * as Authority from "../../../src/policy/lattice/Authority.js"
import * as Request from "../../../src/policy/lattice/Request.js"

/** A directory that is gone when the scope ends. */
export const scratch = Effect.acquireRelease(
  Effect.sync(() => realpathSync(mkdtempSync(join(tmpdir(), "bailiwick-records-")))),
  (directory) => Effect.sync(() => rmSync(directory, { recursive: true, force: true }))
)

const holder = Proof.holder({ authority: Authority.everything })

/** A permit for everything that may be done to a record. */
export const permit = (id: string, kind = "record"): Effect.Effect<RecordsBackend.Permit> =>
  Effect.orDie(
    Effect.mapError(Proof.ask(holder, Request.record("update", id, kind)), () => new Error("not permitted"))
  )

export const all: RecordsBackend.Visible = () => true
