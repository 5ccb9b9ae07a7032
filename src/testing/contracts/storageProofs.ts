/** The cases about proofs: a store is opened with one that was made for it, and with nothing else. */
import { Effect } from "effect"
import type { StorageBackend } from "../../capabilities/storage/StorageBackend.js"
import * as Request from "../../policy/lattice/Request.js"
import { must } from "./contract.js"
import { permitsFor } from "./permits.js"
import { type Case, define } from "./storageCase.js"

const session = { storage: { use: ["session"] } }

/** What a backend does with it: it must throw, before anything is read or written. */
const outcome = (backend: StorageBackend.Service, proof: unknown): string => {
  try {
    // The types would refuse it; those who forge have none.
    backend.open(proof as Parameters<StorageBackend.Service["open"]>[0], "contract:proofs")
    return "opened"
  } catch (error) {
    return error instanceof TypeError ? "refused" : "failed"
  }
}

export const proofs: ReadonlyArray<Case> = [
  define("entries", "a proof that was made for another backend opens nothing", ({ backend }) =>
    Effect.gen(function* () {
      const others = [{}, { ...backend }, Object.create(backend)]
      for (const other of others) {
        const proof = yield* permitsFor(other).ask(session, Request.storage("session"))
        yield* must("a proof for another", outcome(backend, proof), "refused")
      }
      const own = yield* permitsFor(backend).ask(session, Request.storage("session"))
      yield* must("its own", outcome(backend, own), "opened")
    })
  ),
  define("entries", "what only looks like a proof opens nothing", ({ backend }) =>
    Effect.gen(function* () {
      const own = yield* permitsFor(backend).ask(session, Request.storage("session"))
      const forged = [undefined, null, {}, { ...own, request: own.request, isFor: () => true }, { a: {} }]
      for (const each of forged) yield* must("a forged one", outcome(backend, each), "refused")
    })
  ),
  define("entries", "a proof of something else opens nothing", ({ backend }) =>
    Effect.gen(function* () {
      const proof = yield* permitsFor(backend).ask(
        { files: { read: ["/data/"] } },
        Request.file("read", "/data/a")
      )
      yield* must("a proof of a file", outcome(backend, proof), "refused")
    })
  )
]
