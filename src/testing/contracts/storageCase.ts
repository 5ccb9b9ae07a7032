/** One case of the contract of stores, and what it is written with. */
import { Effect, Schema, TestContext } from "effect"
import type { Storage, StorageError } from "../../capabilities/storage/Storage.js"
import { StorageBackend } from "../../capabilities/storage/StorageBackend.js"
import * as Proof from "../../policy/gate/Proof.js"
import * as Authority from "../../policy/lattice/Authority.js"
import * as Request from "../../policy/lattice/Request.js"

/**
 * What a store did instead of what it must do.
 *
 * @since 0.1.0
 * @category errors
 */
export class ContractBroken extends Schema.TaggedError<ContractBroken>("bailiwick/ContractBroken")(
  "ContractBroken",
  { expected: Schema.String, actual: Schema.Unknown, wanted: Schema.Unknown }
) {
  /** @since 0.1.0 */
  override get message(): string {
    return `${this.expected}: wanted ${JSON.stringify(this.wanted)}, got ${JSON.stringify(this.actual)}`
  }
}

/**
 * `about` says what a store must have for the case to apply: entries, namespaces kept apart, or the limits of keys and
 * values that a live store has.
 *
 * @since 0.1.0
 * @category models
 */
export interface Case {
  readonly name: string
  readonly about: "entries" | "namespaces" | "limits"
  readonly run: Effect.Effect<void, ContractBroken | StorageError, StorageBackend>
}

const authority = Schema.decodeSync(Authority.FromJson)({ storage: { use: ["session"] } })

interface Bench {
  /** The operations in a namespace of this case. */
  readonly open: (name?: string) => Effect.Effect<Storage.Operations>
  readonly clear: (name?: string) => Effect.Effect<void, StorageError>
}

export const must = (
  expected: string,
  actual: unknown,
  wanted: unknown
): Effect.Effect<void, ContractBroken> =>
  JSON.stringify(actual) === JSON.stringify(wanted)
    ? Effect.void
    : new ContractBroken({ expected, actual, wanted })

export const code = (operation: Effect.Effect<unknown, StorageError>): Effect.Effect<string> =>
  Effect.match(operation, { onFailure: (error) => error.code, onSuccess: () => "success" })

export const define = (
  about: Case["about"],
  name: string,
  body: (bench: Bench) => Effect.Effect<void, ContractBroken | StorageError>
): Case => ({
  name,
  about,
  run: Effect.gen(function* () {
    const backend = yield* StorageBackend
    const proof = yield* Effect.orDie(
      Effect.mapError(
        Proof.ask(Proof.holder({ authority }), Request.storage("session")),
        () => new Error("the contract holds no storage")
      )
    )
    const opened = new Set<string>()
    const clear = (part = "a") => backend.clear(`contract:${name}:${part}`)
    const open = (part = "a") =>
      Effect.sync(() => {
        opened.add(part)
        return backend.open(proof, `contract:${name}:${part}`)
      })
    yield* clear()
    yield* body({ clear, open })
    yield* Effect.forEach(opened, (part) => Effect.ignore(clear(part)), { discard: true })
  }).pipe(Effect.provide(TestContext.TestContext))
})
