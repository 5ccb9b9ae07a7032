/** Records and grants, for the tests of both. */
import { Either } from "effect"
import * as AgentRecord from "../../src/policy/agent/AgentRecord.js"
import * as AgentEdit from "../../src/policy/agent/edit/AgentEdit.js"
import { ask, holder } from "../../src/policy/gate/Asking.js"
import * as Grant from "../../src/policy/grant/Grant.js"
import * as Authority from "../../src/policy/lattice/Authority.js"
import * as Request from "../../src/policy/lattice/Request.js"

export const HOME = "/home/u"

export const right = <A, E extends { readonly message: string }>(given: Either.Either<A, E>): A =>
  Either.getOrThrowWith(given, ({ message }) => new Error(message))

export const left = <A, E>(given: Either.Either<A, E>): E => Either.getOrThrow(Either.flip(given))

export const spec = (text: string): Grant.Grant => right(Grant.parse(text))

export const record = (
  yaml: string,
  places: AgentRecord.Places = {},
  head = "class: agent"
): AgentRecord.AgentRecord =>
  AgentRecord.parse(
    { file: "scout.md", id: "agents/scout", text: `---\n${head}\n${yaml}\n---\nYou look around.\n` },
    { home: HOME, ...places }
  )

export const held = ({ held: all }: AgentRecord.AgentRecord): ReadonlyArray<string> =>
  all.map(({ grant }) => Grant.print(grant))

export const codes = ({ warnings }: AgentRecord.AgentRecord): ReadonlyArray<string> =>
  warnings.map(({ code }) => code)

/** What specs give together, each in one place. */
export const authority = (
  specs: ReadonlyArray<string>,
  places: AgentRecord.Places = {}
): Authority.Authority => record(`capabilities: ${JSON.stringify(specs)}`, places).authority

/** What becomes of a request, by a line such as `read /w/x`. */
export const verdict = (
  agent: Pick<AgentRecord.AgentRecord, "authority" | "mentioned">,
  asked: string | Request.Made
): string =>
  Either.match(
    ask(
      holder({ authority: agent.authority, mentioned: agent.mentioned }),
      typeof asked === "string" ? Request.parse(asked) : asked
    ),
    { onLeft: ({ denial }) => denial.reason, onRight: () => "allowed" }
  )

/** Whether one list of specs lies in another. */
export const within = (
  inner: ReadonlyArray<string>,
  outer: ReadonlyArray<string>,
  places: AgentRecord.Places = {}
): boolean => Authority.within(authority(inner, places), authority(outer, places))

export const equal = (a: Authority.Authority, b: Authority.Authority): boolean =>
  Authority.within(a, b) && Authority.within(b, a)

const source = (text: string): AgentRecord.Text => ({ file: "scout.md", id: "agents/scout", text })

export const grant = (text: string, specs: ReadonlyArray<string>, places: AgentRecord.Places = {}) =>
  AgentEdit.grant(source(text), specs.map(spec), { home: HOME, ...places })

export const revoke = (text: string, given: string, places: AgentRecord.Places = {}) =>
  AgentEdit.revoke(source(text), spec(given), { home: HOME, ...places })

export const replace = (text: string, specs: ReadonlyArray<string>, places: AgentRecord.Places = {}) =>
  AgentEdit.replace(source(text), specs.map(spec), { home: HOME, ...places })

export const dissolve = (text: string, places: AgentRecord.Places = {}) =>
  AgentEdit.dissolve(source(text), { home: HOME, ...places })

export const parse = (text: string, places: AgentRecord.Places = {}) =>
  AgentRecord.parse(source(text), { home: HOME, ...places })

/** A record with this front matter after its class. */
export const file = (yaml: string): string => `---\nclass: agent\n${yaml}---\nYou look around.\n`
