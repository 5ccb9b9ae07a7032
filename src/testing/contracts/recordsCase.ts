/** One case of the contract of records, and what it is written with. */
import { Effect } from "effect"
import { RecordsBackend } from "../../capabilities/records/RecordsBackend.js"
import type { RecordsError } from "../../capabilities/records/RecordsOperations.js"
import * as Authority from "../../policy/lattice/Authority.js"
import type { Verb } from "../../policy/lattice/Facets.js"
import * as Request from "../../policy/lattice/Request.js"
import { type ContractBroken, type Case as Shared, unique } from "./contract.js"
import { permitsFor } from "./permits.js"

/**
 * @since 0.1.0
 * @category models
 */
export interface Case extends Shared<RecordsBackend, RecordsError> {}

export interface Bench extends RecordsBackend.Service {
  /** The id of a record of this case. */
  readonly id: (name: string) => string
  /** Sees what belongs to this case. */
  readonly own: RecordsBackend.Visible
  /** Sees what is said. */
  readonly seeing: (sees: RecordsBackend.Visible) => RecordsBackend.Visible
  readonly permit: (
    verb: Verb<"records">,
    name: string,
    kind?: string
  ) => Effect.Effect<RecordsBackend.Permit>
  readonly agent: (verb: Verb<"agents">, name: string) => Effect.Effect<RecordsBackend.Permit>
  /** Writes a new record. */
  readonly put: (
    name: string,
    text: string,
    kind?: string
  ) => Effect.Effect<RecordsBackend.Stored, RecordsError>
}

/** Each case has a directory of its own, so that it finds what it wrote and nothing else. */
export const define = (
  name: string,
  body: (bench: Bench) => Effect.Effect<void, ContractBroken | RecordsError>
): Case => ({
  name,
  run: Effect.gen(function* () {
    const backend = yield* RecordsBackend
    const permits = permitsFor(backend)
    const { ask } = permits.holding(Authority.everything.toJSON())
    const place = `contract/${unique()}`
    const id = (one: string) => `${place}/${one}`
    const permit = (verb: Verb<"records">, one: string, kind = "record") =>
      ask(Request.record(verb, id(one), kind))
    const agent = (verb: Verb<"agents">, one: string) => ask(Request.agent(verb, id(one)))
    yield* body({
      ...backend,
      id,
      seeing: permits.seeing,
      own: permits.seeing((head) => head.id.startsWith(`${place}/`)),
      permit,
      agent,
      put: (one, text, kind) =>
        Effect.flatMap(permit("create", one, kind), (permitted) => backend.create(permitted, text))
    })
  })
})
