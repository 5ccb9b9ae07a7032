/** `agents grant` without a SPEC: one of the catalog, from the least to the most that is at stake, and then its scope. */
import { Either } from "effect"
import type * as AgentRecord from "../../../policy/agent/AgentRecord.js"
import * as Catalog from "../../../policy/grant/Catalog.js"
import * as Grant from "../../../policy/grant/Grant.js"
import { type Dialogue, dialogue } from "../../prompt/Dialogue.js"
import { askLine } from "../../prompt/Line.js"
import { type Choice, pick } from "../../prompt/Pick.js"
import type { Tty } from "../../prompt/Tty.js"
import { type Terminal, wrap } from "../../report/Terminal.js"
import type { Surroundings } from "../../Surroundings.js"
import { toneOf } from "./shown.js"

export const CANCELLED = "Cancelled."

/** What an entry lets an agent do, before it is said to what. */
const aboutOf = ({ capability, effect }: Catalog.Entry): string =>
  capability.startsWith("network.") ? `${effect} hosts` : effect

const choices = (terminal: Terminal): ReadonlyArray<Choice<Catalog.Entry>> =>
  Catalog.risks.flatMap((risk) =>
    Catalog.catalog
      .filter((entry) => entry.risk === risk)
      .map((entry) => ({
        value: entry,
        name: entry.name,
        label: risk,
        paint: terminal[toneOf(risk)],
        about: aboutOf(entry),
        detail: `${entry.name}: ${aboutOf(entry)}; ${entry.keys.length === 0 ? "takes no scope" : `scope: ${entry.keys.join(", ")}`}`
      }))
  )

/** A question about one key: what no answer stands for, and how an answer is cut into values. */
interface Question {
  readonly ask: string
  readonly otherwise?: string | undefined
  readonly separator: RegExp
}

const WORDS = /[\s,]+/
/** Of what may hold blanks. */
const COMMAS = /,/

const paths = (entry: Catalog.Entry): Question =>
  entry.needsRoot
    ? { ask: "paths below it, by commas [all]", separator: COMMAS }
    : { ask: "paths, as in notes/**, by commas [all]", separator: COMMAS }

const questionOf = (
  key: Catalog.Key,
  entry: Catalog.Entry,
  { root }: AgentRecord.AgentRecord
): Question | undefined => {
  switch (key) {
    case "in":
      return {
        ask: root === undefined ? "in, a directory" : `in [${root}]`,
        otherwise: root,
        separator: /$^/
      }
    case "paths":
      return paths(entry)
    case "hosts":
      return { ask: "hosts [*]", otherwise: "*", separator: WORDS }
    case "cmds":
      return { ask: "cmds, as in rg, jq", separator: WORDS }
    case "patterns":
      return { ask: "patterns, as in git log *, by commas", separator: COMMAS }
    case "classes":
      return { ask: "classes [all]", separator: WORDS }
    case "ids":
      return { ask: "ids of agents [any]", separator: WORDS }
    case "id":
      // One question for one thing: a list holds a single one, too.
      return entry.keys.includes("ids") ? undefined : { ask: "id of the agent [any]", separator: /$^/ }
  }
}

const valuesOf = (text: string, { separator }: Question): ReadonlyArray<string> =>
  text
    .split(separator)
    .map((part) => part.trim())
    .filter((part) => part !== "")

type Scope = Readonly<Record<string, string | ReadonlyArray<string>>>

/** The grant with one more key, or why that cannot be. */
const widened = (
  entry: Catalog.Entry,
  scope: Scope,
  places: AgentRecord.Places
): Either.Either<Grant.Grant, Grant.GrantInvalid> =>
  Either.flatMap(Grant.make(entry.name, scope), (grant) =>
    Either.map(Grant.compile(grant, { home: places.home, real: places.real }), () => grant)
  )

const explain = ({ say, terminal }: Dialogue, sentence: string): void =>
  say(
    wrap(sentence, terminal.columns - 1)
      .map((line) => `${terminal.red(line)}\r\n`)
      .join("")
  )

/** Asks for one key until the answer is one; nothing when it is left out. */
const askKey = async (
  talk: Dialogue,
  entry: Catalog.Entry,
  key: Catalog.Key,
  question: Question,
  scope: Scope,
  places: AgentRecord.Places
): Promise<Scope> => {
  for (;;) {
    const typed = (await askLine(talk, `${question.ask}: `)).trim()
    const text = typed === "" ? (question.otherwise ?? "") : typed
    const values = valuesOf(text, question)
    if (values.length === 0) return scope
    const value = Catalog.keys[key] === "string" ? text : values
    const wider = { ...scope, [key]: value }
    const made = widened(entry, wider, places)
    if (Either.isRight(made)) return wider
    explain(talk, made.left.message)
  }
}

/** Why a scope with nothing in it is not offered, if it is not. */
const pointless = (entry: Catalog.Entry, key: Catalog.Key, scope: Scope): string | undefined => {
  if (key === "in" && scope.in === undefined) {
    return `without a directory '${entry.name}' would be inert: the agent has no root either`
  }
  if (key === "patterns" && scope.cmds === undefined && scope.patterns === undefined) {
    return `no command is named; to allow all of them write it as a SPEC: '${entry.name}{in=${String(scope.in)}}'`
  }
  return undefined
}

const askScope = async (
  talk: Dialogue,
  entry: Catalog.Entry,
  record: AgentRecord.AgentRecord,
  places: AgentRecord.Places
): Promise<Scope | undefined> => {
  let scope: Scope = {}
  for (const key of entry.keys) {
    const question = questionOf(key, entry, record)
    if (question === undefined) continue
    scope = await askKey(talk, entry, key, question, scope, places)
    const why = pointless(entry, key, scope)
    if (why !== undefined) {
      explain(talk, why)
      return undefined
    }
  }
  return scope
}

/** Nothing when the user leaves before there is a grant. */
export const pickGrant = async (
  around: Surroundings,
  tty: Tty,
  record: AgentRecord.AgentRecord,
  places: AgentRecord.Places
): Promise<Grant.Grant | undefined> => {
  const picked = await dialogue(around, tty, async (talk) => {
    const entry = await pick(talk, `What to grant to ${record.id}`, choices(talk.terminal))
    talk.say(`${talk.terminal.bold(entry.name)}: ${aboutOf(entry)}\r\n`)
    const scope = await askScope(talk, entry, record, places)
    return scope === undefined ? undefined : Either.getOrThrow(widened(entry, scope, places))
  })
  return picked === undefined || "unanswered" in picked ? undefined : picked
}
