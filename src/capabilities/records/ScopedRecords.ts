/**
 * @since 0.1.0
 */
import { Effect, Either } from "effect"
import * as Asking from "../../policy/gate/Asking.js"
import * as Authority from "../../policy/lattice/Authority.js"
import type { Verb } from "../../policy/lattice/Facets.js"
import * as Request from "../../policy/lattice/Request.js"
import * as RecordText from "../../policy/record/RecordText.js"
import { known } from "../known.js"
import { agentWrites } from "./AgentWrites.js"
import { lostOf, type Written } from "./Lost.js"
import { meant } from "./Meant.js"
import { queued } from "./Queue.js"
import {
  changed,
  composed,
  entryOf,
  invalid,
  noneToRead,
  notFound,
  onlyOf,
  recordGate
} from "./RecordGate.js"
import type { RecordsBackend } from "./RecordsBackend.js"
import {
  RecordChange,
  RecordDraft,
  type RecordEntry,
  type RecordsError,
  type RecordsOperations
} from "./RecordsOperations.js"

const AGENT = "agent"

const agentVerbs: ReadonlyArray<Verb<"agents">> = ["update", "grant", "delete", "create"]

/** The class that a draft is of, said once or twice alike. */
const classIn = ({
  class: given,
  frontMatter
}: typeof RecordDraft.Type): Either.Either<string | undefined, RecordsError> => {
  const written = frontMatter !== undefined && Object.hasOwn(frontMatter, "class") ? frontMatter.class : given
  if (written === undefined || (typeof written === "string" && (given === undefined || given === written))) {
    return Either.right(written)
  }
  return Either.left(
    invalid({ detail: "'class' is not one string, or is given twice and not alike", remedy: "give it once" })
  )
}

/**
 * Records, each asked of the authority first by its class and id; lists and searches leave out what may not be read. A
 * record that may not be seen answers like one that is not there. One of class `agent` is reached through what is held
 * of agents, whatever is held of records.
 *
 * @since 0.1.0
 * @category combinators
 */
export const scoped = (holder: Asking.Holder, backend: RecordsBackend.Service): RecordsOperations => {
  const gate = recordGate(holder, backend)
  const { allows, ask, standing } = gate
  const agents = agentWrites(holder, gate, backend)
  const request = (action: Verb<"records">, id: string, ofClass: string = RecordText.UNCLASSED) =>
    Request.record(action, id, ofClass)

  /** To see an agent is to be able to do something to it, and to read records of its class. */
  const ofGranter: Asking.Holder = {
    ...holder,
    backend,
    authority: holder.granter.authority,
    observe: () => {},
    // What answers with it asks first whether the call still runs.
    isAlive: () => true
  }
  const agentPermit = (id: string): RecordsBackend.Permit | undefined => {
    if (!allows(request("read", id, AGENT))) return undefined
    for (const verb of agentVerbs) {
      const asked = Asking.ask(ofGranter, Request.agent(verb, id))
      if (Either.isRight(asked)) return asked.right
    }
    return undefined
  }
  const visible: RecordsBackend.Visible = Asking.sight(backend, ({ class: name, id }) =>
    name === AGENT ? agentPermit(id) !== undefined : allows(request("read", id, name))
  )

  const looking = <A>(found: Effect.Effect<A, RecordsError>): Effect.Effect<A, RecordsError> => {
    const denial = noneToRead(holder)
    return denial === undefined ? found : gate.refuse(denial)
  }

  /** One answer for what is not there and for what may not be seen: the refusal of a record without a class. */
  const hidden = (action: Verb<"records">, id: string): Effect.Effect<never, RecordsError> =>
    Effect.zipRight(ask(meant(holder.authority, action, id)), Effect.fail(notFound(id)))

  /** The class of a record is known only once it is looked at; an id that no class would open is not looked for. */
  const headOf = (action: Verb<"records">, id: string): Effect.Effect<RecordsBackend.Head, RecordsError> => {
    const made = request(action, id)
    if (Either.isLeft(made)) return Effect.zipRight(ask(made), Effect.fail(notFound(id)))
    const some = Authority.couldPermit(holder.authority, made.right, "class")
    const reaches = some || agentVerbs.some((verb) => allows(Request.agent(verb, id)))
    const reads = Either.map(request("read", id), (read) =>
      Authority.couldPermit(holder.authority, read, "class")
    )
    if (!reaches && !Either.getOrElse(reads, () => false)) return hidden(action, id)
    const found = Effect.catchIf(
      backend.head(id),
      ({ code }) => code === "RECORD_NOT_FOUND",
      () => hidden(action, id)
    )
    // Who may read it is told what it lacks of it by its class.
    return reaches
      ? found
      : Effect.flatMap(found, (head) => (visible(head) ? Effect.succeed(head) : hidden(action, id)))
  }

  const reading = <A>(answer: Effect.Effect<A, RecordsError>): Effect.Effect<A, RecordsError> =>
    Effect.zipRight(standing("records.read"), answer)

  const readPermit = (id: string): Effect.Effect<RecordsBackend.Permit, RecordsError> =>
    Effect.flatMap(headOf("read", id), (head) => {
      if (head.class !== AGENT) {
        return allows(request("read", id, head.class))
          ? ask(request("read", id, head.class))
          : hidden("read", id)
      }
      const permit = agentPermit(id)
      return permit === undefined ? ask(Request.agent("update", id)) : Effect.succeed(permit)
    })

  /** The permit to change a record that is no agent. */
  const permitTo = (action: "update" | "delete", { class: name, id }: RecordsBackend.Head) =>
    allows(request(action, id, name)) || visible({ id, class: name })
      ? ask(request(action, id, name))
      : hidden(action, id)

  const update = (
    head: RecordsBackend.Head,
    { id, revision, ...change }: typeof RecordChange.Type
  ): Effect.Effect<RecordsBackend.Stored, RecordsError> =>
    Effect.gen(function* () {
      const before = yield* permitTo("update", head)
      const current = yield* backend.read(before)
      const text = yield* changed(current.text, change)
      const next = yield* Either.mapLeft(RecordText.read(text), invalid)
      const seen = { revision: current.revision, seen: revision }
      if (next.class === AGENT) {
        const { permit, text: made } = yield* agents.become(id, text)
        return yield* backend.replace({ before, after: permit }, { text: made, ...seen })
      }
      const after = next.class === head.class ? before : yield* ask(request("update", id, next.class))
      return yield* backend.replace({ before, after }, { text, ...seen })
    })

  /** To change a record is not to read it: who may not is told what was written, and nothing else. */
  const answer = (
    stored: Written,
    { body = "", frontMatter = {} }: typeof RecordChange.Type
  ): Effect.Effect<typeof RecordEntry.Type, RecordsError> => {
    const mayRead = visible(stored)
    return Effect.map(entryOf(stored), (entry) => ({
      ...entry,
      ...(mayRead ? {} : { frontMatter: onlyOf(entry.frontMatter, frontMatter), body }),
      ...lostOf(stored, mayRead)
    }))
  }

  return {
    get: ({ id }) => reading(Effect.flatMap(Effect.flatMap(readPermit(id), backend.read), entryOf)),
    search: (search) => reading(looking(backend.search(search, visible))),
    list: (filter) => reading(looking(backend.list(filter, visible))),
    links: ({ id }) => reading(Effect.flatMap(readPermit(id), (permit) => backend.links(permit, visible))),
    backlinks: ({ id }) =>
      reading(Effect.flatMap(readPermit(id), (permit) => backend.backlinks(permit, visible))),
    create: (given) =>
      Effect.gen(function* () {
        const { body = "", frontMatter = {}, id, ...draft } = known(RecordDraft, given)
        const name = yield* classIn({ id, frontMatter, ...draft })
        if (name === AGENT) return yield* agents.create({ id, frontMatter, body })
        const text = yield* composed(name === undefined ? frontMatter : { ...frontMatter, class: name }, body)
        const permit = yield* ask(request("create", id, name))
        return yield* backend.create(permit, text)
      }).pipe(Effect.flatMap(entryOf)),
    update: (given) => {
      const change = known(RecordChange, given)
      const done = Effect.flatMap(headOf("update", change.id), (head) =>
        head.class === AGENT ? agents.update(change) : update(head, change)
      )
      return agents.notItself("update", change).pipe(
        Effect.zipRight(queued(backend, change.id, done)),
        Effect.flatMap((stored) => answer(stored, change))
      )
    },
    delete: ({ id }) => {
      const done = Effect.flatMap(headOf("delete", id), (head) =>
        head.class === AGENT ? agents.remove(id) : Effect.flatMap(permitTo("delete", head), backend.remove)
      )
      return Effect.zipRight(agents.notItself("delete", { id }), queued(backend, id, done))
    }
  }
}
