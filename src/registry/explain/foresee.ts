/** What a call will ask for, as requests of the authority: as far as its arguments and a look at the records tell. */
import { Effect, Either, Option } from "effect"
import { resolve } from "../../capabilities/Paths.js"
import { startIn } from "../../capabilities/process/StartIn.js"
import { meant } from "../../capabilities/records/Meant.js"
import { noneToRead } from "../../capabilities/records/RecordGate.js"
import { RecordsBackend } from "../../capabilities/records/RecordsBackend.js"
import { sealedAuthority } from "../../capabilities/secrets/SecretsDeclaration.js"
import * as AgentRecord from "../../policy/agent/AgentRecord.js"
import * as Asking from "../../policy/gate/Asking.js"
import * as Attenuation from "../../policy/grant/Attenuation.js"
import * as Authority from "../../policy/lattice/Authority.js"
import type { Denial } from "../../policy/lattice/Denial.js"
import type { Verb } from "../../policy/lattice/Facets.js"
import * as Request from "../../policy/lattice/Request.js"
import * as RecordText from "../../policy/record/RecordText.js"
import type { Ask } from "../../tools/Ask.js"
import type * as Tool from "../../tools/Tool.js"
import type { Session } from "../execution/Session.js"
import { type Weighed, weighFrontMatter, weighGrants } from "./foreseeGrant.js"

/** Questions of the authority, in their order, and refusals that it is not asked about. */
export type Foresight =
  | { readonly _tag: "Asked"; readonly made: Request.Made }
  | { readonly _tag: "Refused"; readonly denial: Denial }
  | { readonly _tag: "Failed"; readonly error: string }

type Foresights = ReadonlyArray<Foresight>

const asked = (made: Request.Made): Foresight => ({ _tag: "Asked", made })

const refusals = (denial: Denial | undefined): Foresights =>
  denial === undefined ? [] : [{ _tag: "Refused", denial }]

const failed = (error: string): Foresights => [{ _tag: "Failed", error }]

const AGENT = "agent"

const agentVerbs: ReadonlyArray<Verb<"agents">> = ["update", "grant", "delete", "create"]

const permits = ({ authority }: Pick<Attenuation.Granter, "authority">, made: Request.Made): boolean =>
  Either.isRight(made) && Authority.permits(authority, made.right).allowed

const unweighed: Weighed = Either.right(undefined)

/** `before` is the text of the agent, where it is there and its text may be looked at. */
const ofAgent = (
  { action, id, writes }: Ask & { readonly _tag: "Record" },
  granter: Attenuation.Granter,
  places: AgentRecord.Places,
  before?: string
): Foresights => {
  const weighed = (proposed: Readonly<Record<string, unknown>>): Weighed =>
    weighFrontMatter(granter, id, proposed, places, before)
  const itself = writes.authority ? refusals(Attenuation.selfModification(granter, id, "grant")) : []
  switch (action) {
    case "read":
      // To see an agent is to be able to do something to it, and to read records of its class.
      return [
        asked(
          agentVerbs.some((verb) => permits(granter, Request.agent(verb, id)))
            ? Request.record("read", id, AGENT)
            : Request.agent("update", id)
        )
      ]
    case "delete":
      return [
        ...refusals(Attenuation.selfModification(granter, id, "delete")),
        asked(Request.agent("delete", id))
      ]
    case "create":
    case "update": {
      const made = action === "create" || writes.others ? [asked(Request.agent(action, id))] : []
      return Either.match(writes.authority ? weighed(writes.proposes ?? {}) : unweighed, {
        onLeft: (wrong) => (action === "create" ? failed(wrong) : [...itself, ...failed(wrong)]),
        onRight: (exceeding) => [
          ...(action === "create" ? [...made, ...itself] : [...itself, ...made]),
          ...(writes.authority ? [asked(Request.agent("grant", id))] : []),
          ...refusals(exceeding)
        ]
      })
    }
  }
}

const recordsOf = ({ backends }: Session): RecordsBackend.Service | undefined =>
  backends.unsafeMap.get(RecordsBackend.key)

const placesOf = (session: Session): AgentRecord.Places =>
  recordsOf(session)?.agents ?? { home: session.turn.home }

/** What it is refused for its own id, whether or not a record of that id is there. */
const ofItself = (
  { action, id, writes }: Ask & { readonly _tag: "Record" },
  granter: Attenuation.Granter
): Foresights => {
  if (action === "delete") return refusals(Attenuation.selfModification(granter, id, "delete"))
  return action === "update" && writes.authority
    ? refusals(Attenuation.selfModification(granter, id, "grant"))
    : []
}

const record = (
  session: Session,
  ask: Ask & { readonly _tag: "Record" },
  holder: Asking.Holder
): Effect.Effect<Foresights> =>
  Effect.gen(function* () {
    const { action, class: wanted, id } = ask
    const { granter } = holder
    const places = placesOf(session)
    if (action === "create") {
      return wanted === AGENT
        ? ofAgent(ask, granter, places)
        : [asked(Request.record("create", id, wanted ?? RecordText.UNCLASSED))]
    }
    const itself = ofItself(ask, granter)
    if (itself.length > 0) return itself
    const backend = recordsOf(session)
    const found = backend === undefined ? Option.none() : yield* Effect.option(backend.head(id))
    if (Option.isNone(found)) {
      const before = asked(meant(granter.authority, action, id))
      return wanted === AGENT ? [before, ...ofAgent({ ...ask, action: "create" }, granter, places)] : [before]
    }
    const { class: name } = found.value
    if (name === AGENT) {
      const text = ask.writes.authority ? yield* textOf(session, holder, id) : undefined
      // An agent that becomes another kind of record is an agent less.
      const leaves = action === "update" && wanted !== undefined && wanted !== AGENT
      return [
        ...ofAgent(ask, granter, places, text),
        ...(leaves
          ? [
              ...ofAgent({ ...ask, action: "delete" }, granter, places),
              asked(Request.record("create", id, wanted))
            ]
          : [])
      ]
    }
    const before = asked(Request.record(action, id, name))
    if (wanted === undefined || wanted === name) return [before]
    return wanted === AGENT
      ? [before, ...ofAgent({ ...ask, action: "create" }, granter, places)]
      : [before, asked(Request.record("update", id, wanted))]
  })

/** The text of an agent, where the one who asks may grant to it. */
const textOf = (session: Session, holder: Asking.Holder, id: string): Effect.Effect<string | undefined> => {
  const backend = recordsOf(session)
  const permit = Asking.ask({ ...holder, backend, observe: () => {} }, Request.agent("grant", id))
  if (backend === undefined || Either.isLeft(permit)) return Effect.succeed(undefined)
  return backend.read(permit.right).pipe(
    Effect.map(({ text }) => text),
    Effect.orElseSucceed(() => undefined)
  )
}

/** The root that holds at an agent, where the one who asks may grant to it. */
const boundOf = (
  session: Session,
  holder: Asking.Holder,
  id: string
): Effect.Effect<AgentRecord.AgentRecord["bound"]> =>
  Effect.map(textOf(session, holder, id), (text) =>
    text === undefined ? undefined : AgentRecord.parse({ file: id, id, text }, placesOf(session)).bound
  )

const passingOn = (
  session: Session,
  holder: Asking.Holder,
  { agent, grants }: Ask & { readonly _tag: "Grant" }
): Effect.Effect<Foresights> =>
  Effect.map(boundOf(session, holder, agent), (bound) =>
    Either.match(weighGrants(holder.granter, agent, grants, bound, placesOf(session)), {
      onLeft: failed,
      onRight: (exceeding) => [
        ...refusals(Attenuation.selfModification(holder.granter, agent, "grant")),
        asked(Request.agent("grant", agent)),
        ...refusals(exceeding)
      ]
    })
  )

export const foresee = (
  session: Session,
  { capabilities }: Tool.Any,
  holder: Asking.Holder,
  ask: Ask
): Effect.Effect<Foresights> => {
  const { turn } = session
  const { authority } = holder
  const path = (given: string) => resolve(given, turn)
  const one = (made: Request.Made) => Effect.succeed([asked(made)])
  const running = (
    verb: "exec" | "eval",
    cwd: string | undefined,
    request: (directory: string) => Request.Made
  ) => {
    const start = () =>
      startIn(authority, verb, path(turn.workdir), (where) => permits({ authority }, request(where)))
    return one(request(cwd === undefined ? start() : path(cwd)))
  }
  switch (ask._tag) {
    case "Http":
      return one(Request.http(ask.method, ask.url))
    case "File":
      return one(Request.file(ask.action, path(ask.path)))
    case "Exec":
      return running("exec", ask.cwd, (where) => Request.exec(ask.argv, where))
    case "Shell":
      return running("eval", ask.cwd, Request.shell)
    case "Secret":
      return one(Request.secret(ask.ref))
    case "Sealed": {
      const made = Either.flatMap(Request.http("GET", ask.url), ({ host, port }) =>
        Request.seal(ask.ref, host, port, ask.place)
      )
      if (Either.isLeft(made)) return one(made)
      // Only what is declared with its hosts is sealed, whatever may be read.
      const bound = Authority.meet(authority, sealedAuthority(capabilities.secrets ?? []))
      const decision = Authority.permits(bound, made.right)
      return decision.allowed ? one(made) : Effect.succeed(refusals(decision.denial))
    }
    case "Storage":
      return one(Request.storage(capabilities.storage?.scope ?? ""))
    case "Attachment": {
      const attachment = turn.attachments.find(({ ref }) => ref === ask.ref)
      return attachment === undefined
        ? Effect.succeed([
            { _tag: "Failed", error: `ATTACHMENT_NOT_FOUND: No attachment with ref "${ask.ref}"` }
          ])
        : one(Request.attachment(attachment.type))
    }
    case "Records":
      return Effect.succeed(refusals(noneToRead(holder)))
    case "Record":
      return record(session, ask, holder)
    case "Grant":
      return passingOn(session, holder, ask)
  }
}
