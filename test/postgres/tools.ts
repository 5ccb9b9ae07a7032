/** What tests of state in PostgreSQL have in common. */
import { StorageBackend } from "bailiwick"
import { Effect } from "effect"
import * as Request from "../../src/policy/lattice/Request.js"
import { permitsFor } from "../../src/testing/contracts/permits.js"

/** The operations in a namespace, for whom everything is permitted. */
export const opened = (backend: StorageBackend.Service, namespace = "session:test") =>
  Effect.map(
    permitsFor(backend).ask({ storage: { use: ["session"] } }, Request.storage("session")),
    (proof) => backend.open(proof, namespace)
  )

export const store = (namespace?: string) =>
  Effect.flatMap(StorageBackend, (backend) => opened(backend, namespace))
