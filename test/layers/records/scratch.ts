import { mkdtempSync, realpathSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Effect } from "effect"
import type { RecordsBackend } from "../../../src/capabilities/records/RecordsBackend.js"
import * as Asking from "../../../src/policy/gate/Asking.js"
import * as Authority from "../../../src/policy/lattice/Authority.js"
import * as Request from "../../../src/policy/lattice/Request.js"

/** A directory that is gone when the scope ends. */
export const scratch = Effect.acquireRelease(
  Effect.sync(() => realpathSync(mkdtempSync(join(tmpdir(), "bailiwick-records-")))),
  (directory) => Effect.sync(() => rmSync(directory, { recursive: true, force: true }))
)

/** A permit for everything that may be done to a record of this backend. */
export const permit = (
  backend: RecordsBackend.Service,
  id: string,
  kind = "record"
): Effect.Effect<RecordsBackend.Permit> =>
  Effect.orDie(
    Effect.mapError(
      Asking.ask(
        Asking.holder({ authority: Authority.everything, backend }),
        Request.record("update", id, kind)
      ),
      () => new Error("not permitted")
    )
  )

/** Sees every record of this backend. */
export const all = (backend: RecordsBackend.Service): RecordsBackend.Visible =>
  Asking.sight(backend, () => true)
