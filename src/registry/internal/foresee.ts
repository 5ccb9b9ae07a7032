/** What a call will ask for, as requests of the authority: as far as its arguments and a look at the records tell. */
import { Effect, Either } from "effect"
import { RecordsBackend } from "../../capabilities/backends/RecordsBackend.js"
import * as Attenuation from "../../policy/Attenuation.js"
import * as Authority from "../../policy/Authority.js"
import type { Denial } from "../../policy/Denial.js"
import type { Verb } from "../../policy/Facets.js"
import * as Grant from "../../policy/Grant.js"
import * as RecordText from "../../policy/internal/recordText.js"
import type { Holder } from "../../policy/Proof.js"
import * as Request from "../../policy/Request.js"
import type { Ask } from "../../tools/Ask.js"
import type * as Tool from "../../tools/Tool.js"
import { resolve } from "../scoped/Places.js"
import { noneToRead } from "../scoped/recordGate.js"
import { startIn } from "../scoped/startIn.js"
import type { Session } from "./session.js"

/** Questions of the authority, in their order, and refusals that it is not asked about. */
export type Foresight =
  | { readonly _tag: "Asked"; readonly made: Request.Made }
  | { readonly _tag: "Refused"; readonly denial: Denial }
  | { readonly _tag: "Failed"; readonly error: string }

type Foresights = ReadonlyArray<Foresight>

const asked = (made: Request.Made): Foresight => ({ _tag: "Asked", made })

const refusals = (denial: Denial | undefined): Foresights =>
  denial === undefined ? [] : [{ _tag: "Refused", denial }]

const AGENT = "agent"

const agentVerbs: ReadonlyArray<Verb<"agents">> = ["update", "grant", "delete", "create"]

const permits = ({ authority }: Pick<Attenuation.Granter, "authority">, made: Request.Made): boolean =>
  Either.isRight(made) && Authority.permits(authority, made.right).allowed

const ofAgent = (
  { action, id, writes }: Ask & { readonly _tag: "Record" },
  granter: Attenuation.Granter
): Foresights => {
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
      return [
        ...(writes.authority ? refusals(Attenuation.selfModification(granter, id, "grant")) : []),
        ...(action === "create" || writes.others ? [asked(Request.agent(action, id))] : []),
        ...(writes.authority ? [asked(Request.agent("grant", id))] : [])
      ]
  }
}

const recordsOf = ({ backends }: Session): RecordsBackend.Service | undefined =>
  backends.unsafeMap.get(RecordsBackend.key)

const record = (
  session: Session,
  ask: Ask & { readonly _tag: "Record" },
  granter: Attenuation.Granter
): Effect.Effect<Foresights> => {
  const { action, class: wanted, id } = ask
  if (action === "create") {
    return Effect.succeed(
      wanted === AGENT
        ? ofAgent(ask, granter)
        : [asked(Request.record("create", id, wanted ?? RecordText.UNCLASSED))]
    )
  }
  const backend = recordsOf(session)
  const head = backend === undefined ? Effect.succeedNone : Effect.option(backend.head(id))
  return Effect.map(head, (found): Foresights => {
    const name = found._tag === "Some" ? found.value.class : RecordText.UNCLASSED
    if (name === AGENT) return ofAgent(ask, granter)
    const before = asked(Request.record(action, id, name))
    if (wanted === undefined || wanted === name) return [before]
    return wanted === AGENT
      ? [before, ...ofAgent({ ...ask, action: "create" }, granter)]
      : [before, asked(Request.record("update", id, wanted))]
  })
}

const grant = (
  { agent, grants }: Ask & { readonly _tag: "Grant" },
  granter: Attenuation.Granter,
  places: Grant.Places
): Foresights => {
  const all = Either.all(
    grants.map((spec) => Either.flatMap(Grant.parse(spec), (one) => Grant.compile(one, places)))
  )
  if (Either.isLeft(all))
    return [{ _tag: "Failed", error: `AGENT_INVALID: ${all.left.detail}; ${all.left.remedy}` }]
  const proposed = all.right.map((one) => ({
    written: Grant.print(one.effective),
    authority: Grant.authority([one])
  }))
  return [
    ...refusals(Attenuation.selfModification(granter, agent, "grant")),
    asked(Request.agent("grant", agent)),
    ...refusals(Attenuation.exceeding(granter, agent, proposed))
  ]
}

export const foresee = (
  session: Session,
  { capabilities }: Tool.Any,
  holder: Holder,
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
      return Effect.succeed(grant(ask, granter, recordsOf(session)?.agents ?? { home: turn.home }))
  }
}
