/**
 * What was refused again and again, as questions: what would allow exactly that, and what is at stake. None of it is
 * advice. A refusal is mostly right.
 *
 * @since 0.1.0
 */
import { Either } from "effect"
import * as Floor from "../../policy/gate/floor/Floor.js"
import type { Risk } from "../../policy/grant/Catalog.js"
import * as Grant from "../../policy/grant/Grant.js"
import * as Authority from "../../policy/lattice/Authority.js"
import type { Denial } from "../../policy/lattice/Denial.js"
import { type Addition, holding, type Remedies } from "../../policy/lattice/Remedy.js"
import * as Request from "../../policy/lattice/Request.js"
import { getOrSet } from "../../policy/Memo.js"
import type { Policy } from "../../policy/Policy.js"
import type { Evidence, Refused, Times } from "./Evidence.js"

/**
 * @since 0.1.0
 * @category models
 */
export interface Question extends Times {
  /** The grant that would allow exactly that. */
  readonly spec: string
  readonly risk: Risk
  /** What it would let the agent do, in words. */
  readonly effect: string
  /** What a personality would say instead. */
  readonly additions: ReadonlyArray<Addition>
  /** The tools that asked. */
  readonly tools: ReadonlyArray<string>
}

/**
 * What was refused, and is not asked about, by the reason.
 *
 * @since 0.1.0
 * @category models
 */
export interface Unasked {
  /** Fewer times than are asked about. */
  readonly seldom: number
  /** Secrets, which no log names. */
  readonly secrets: number
  /** No policy lifts it. */
  readonly floor: number
  /** The policy allows it by now, or another one beside it refused, or the tool did not declare it. */
  readonly settled: number
  /** Nothing that could be granted would allow it, or what was asked is not in the log. */
  readonly others: number
}

/**
 * @since 0.1.0
 * @category models
 */
export interface Questions {
  readonly questions: ReadonlyArray<Question>
  readonly unasked: Unasked
}

/** Refusals of something that is not held; all others are refused whatever is held. */
const codes: ReadonlySet<Denial["code"]> = new Set<Denial["code"]>([
  "HOST_NOT_ALLOWED",
  "METHOD_NOT_ALLOWED",
  "ADDRESS_NOT_ALLOWED",
  "PATH_NOT_REACHABLE",
  "BINARY_NOT_ALLOWED",
  "SHELL_NOT_ALLOWED",
  "CWD_NOT_REACHABLE",
  "SCOPE_NOT_ALLOWED",
  "KIND_NOT_ALLOWED",
  "RECORD_NOT_REACHABLE",
  "AGENT_NOT_REACHABLE",
  "PROVIDER_TOOL_NOT_ALLOWED"
])

/** A command is asked about with any arguments: those that it had are not in the log. */
const requestOf = ({ asked }: Refused): Request.Request | undefined => {
  if (asked?.request !== undefined) return asked.request
  if (asked?.command === undefined) return undefined
  const { directory, name } = asked.command
  return Either.getOrUndefined(Request.exec([name], directory))
}

type Verdict =
  | Exclude<keyof Unasked, "seldom">
  | { readonly grant: string; readonly additions: ReadonlyArray<Addition> }

const verdictFrom = ({ grant, personality }: Remedies): Verdict =>
  grant === undefined && personality === undefined
    ? "others"
    : { grant: grant ?? "", additions: personality ?? [] }

/** A search and a list ask for no record by name: who may read none is refused all of them. */
const ANY_RECORD = "records.read"

const verdictOn = (refused: Refused, { authority, floor }: Policy): Verdict => {
  if (refused.capability.startsWith("secrets.")) return "secrets"
  if (refused.line === ANY_RECORD && refused.capability === ANY_RECORD) {
    return authority.scopes.records.read.isEmpty ? verdictFrom(holding(ANY_RECORD, {}).remedies) : "settled"
  }
  const request = requestOf(refused)
  if (request === undefined || refused.code === undefined || !codes.has(refused.code)) return "others"
  if (Floor.forbids(floor, request) !== undefined) return "floor"
  const decision = Authority.permits(authority, request)
  if (decision.allowed) return "settled"
  return verdictFrom(decision.denial.remedies ?? {})
}

/**
 * `times`: how often something must have been refused. `gives` tells whether a grant would give anything where it would
 * be written; without one it is asked about what only a personality can say.
 *
 * @since 0.1.0
 * @category models
 */
export interface Options {
  readonly times: number
  readonly gives?: ((grant: Grant.Grant | undefined) => boolean) | undefined
}

interface Gathered {
  readonly grant: string
  readonly additions: ReadonlyArray<Addition>
  times: number
  last: string
  readonly tools: Set<string>
}

const riskOf = (grant: Grant.Grant | undefined): Risk => (grant === undefined ? "high" : Grant.risk(grant))

const wordsOf = (grant: Grant.Grant | undefined, additions: ReadonlyArray<Addition>): string =>
  grant === undefined
    ? additions.map(({ entry, key }) => `connect to what ${key} names as ${entry}`).join(", ")
    : `${Grant.describe(grant)}${grant.name === "proc.exec" ? ", with any arguments" : ""}`

/**
 * @since 0.1.0
 * @category examining
 */
export const questionsOf = (
  policy: Policy,
  { refused }: Evidence,
  { gives = () => true, times }: Options
): Questions => {
  const unasked = { seldom: 0, secrets: 0, floor: 0, settled: 0, others: 0 }
  const found = new Map<string, Gathered>()
  for (const one of refused) {
    const verdict = verdictOn(one, policy)
    if (typeof verdict === "string") {
      unasked[verdict] += one.times
      continue
    }
    const key = JSON.stringify(verdict)
    const gathered = getOrSet(found, key, () => ({
      ...verdict,
      times: 0,
      last: "",
      tools: new Set<string>()
    }))
    gathered.times += one.times
    if (one.last > gathered.last) gathered.last = one.last
    for (const tool of one.tools) gathered.tools.add(tool)
  }
  const questions = [...found.values()].flatMap((one): ReadonlyArray<Question> => {
    const grant = one.grant === "" ? undefined : Either.getOrUndefined(Grant.parse(one.grant))
    const isNone = (one.grant !== "" && grant === undefined) || !gives(grant)
    if (isNone || one.times < times) {
      unasked[isNone ? "others" : "seldom"] += one.times
      return []
    }
    return [
      {
        spec: one.grant,
        risk: riskOf(grant),
        effect: wordsOf(grant, one.additions),
        additions: one.additions,
        times: one.times,
        last: one.last,
        tools: [...one.tools].sort()
      }
    ]
  })
  return {
    questions: questions.sort((a, b) => b.times - a.times || (a.spec < b.spec ? -1 : 1)),
    unasked
  }
}
