/** What a call will ask for, as requests of the authority: as far as its arguments and a look at the records tell. */
import { Effect, Either } from "effect"
import { resolve } from "../../capabilities/Paths.js"
import { startIn } from "../../capabilities/process/StartIn.js"
import { noneToRead } from "../../capabilities/records/RecordGate.js"
import { RecordsBackend } from "../../capabilities/records/RecordsBackend.js"
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

const ofAgent = (
  { action, id, writes }: Ask & { readonly _tag: "Record" },
  granter: Attenuation.Granter,
  places: AgentRecord.Places
): Foresights => {
  const weighed = (agent: string, proposed: Readonly<Record<string, unknown>>): Weighed =>
    weighFrontMatter(granter, agent, proposed, places)
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
    case "update":
      return Either.match(writes.authority ? weighed(id, writes.proposes ?? {}) : unweighed, {
        onLeft: failed,
        onRight: (exceeding) => [
          ...(writes.authority ? refusals(Attenuation.selfModification(granter, id, "grant")) : []),
          ...(action === "create" || writes.others ? [asked(Request.agent(action, id))] : []),
          ...(writes.authority ? [asked(Request.agent("grant", id))] : []),
          ...refusals(exceeding)
        ]
      })
  }
}

const recordsOf = ({ backends }: Session): RecordsBackend.Service | undefined =>
  backends.unsafeMap.get(RecordsBackend.key)

const placesOf = (session: Session): AgentRecord.Places =>
  recordsOf(session)?.agents ?? { home: session.turn.home }

const record = (
  session: Session,
  ask: Ask & { readonly _tag: "Record" },
  granter: Attenuation.Granter
): Effect.Effect<Foresights> => {
  const { action, class: wanted, id } = ask
  const places = placesOf(session)
  if (action === "create") {
    return Effect.succeed(
      wanted === AGENT
        ? ofAgent(ask, granter, places)
        : [asked(Request.record("create", id, wanted ?? RecordText.UNCLASSED))]
    )
  }
  const backend = recordsOf(session)
  const head = backend === undefined ? Effect.succeedNone : Effect.option(backend.head(id))
  return Effect.map(head, (found): Foresights => {
    const name = found._tag === "Some" ? found.value.class : RecordText.UNCLASSED
    if (name === AGENT) {
      // An agent that becomes another kind of record is an agent less.
      const leaves = action === "update" && wanted !== undefined && wanted !== AGENT
      return [
        ...ofAgent(ask, granter, places),
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
}

/** The root that holds at an agent, where the one who asks may grant to it. */
const boundOf = (
  session: Session,
  holder: Asking.Holder,
  id: string
): Effect.Effect<AgentRecord.AgentRecord["bound"]> => {
  const backend = recordsOf(session)
  const permit = Asking.ask({ ...holder, backend, observe: () => {} }, Request.agent("grant", id))
  if (backend === undefined || Either.isLeft(permit)) return Effect.succeed(undefined)
  return backend.read(permit.right).pipe(
    Effect.map(({ text }) => AgentRecord.parse({ file: id, id, text }, backend.agents).bound),
    Effect.orElseSucceed(() => undefined)
  )
}

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
  const { authority, granter } = holder
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
      return record(session, ask, granter)
    case "Grant":
      return passingOn(session, holder, ask)
  }
}
