/** The scope of a grant, question by question. Nothing is a default: what is wide is typed, as `*`. */
import { Either } from "effect"
import type * as AgentRecord from "../../../policy/agent/AgentRecord.js"
import * as Catalog from "../../../policy/grant/Catalog.js"
import * as Grant from "../../../policy/grant/Grant.js"
import type { Dialogue } from "../../prompt/Dialogue.js"
import { askLine } from "../../prompt/Line.js"
import { wrap } from "../../report/Terminal.js"

/** A question about one key: how an answer is cut into values, and what `*` stands for. */
interface Question {
  readonly ask: string
  readonly separator: RegExp
  /** `value`: it is written as it is. `free`: the key is left out, which is everything. A path: that path. */
  readonly star: "value" | "free" | { readonly path: string | undefined }
}

const WORDS = /[\s,]+/
/** Of what may hold blanks. */
const COMMAS = /,/
const WHOLE = /$^/

/** Keys of which each gives something more: one of them is enough. */
const either: ReadonlyArray<ReadonlySet<Catalog.Key>> = [
  new Set(["cmds", "patterns"]),
  new Set(["ids", "paths"])
]

const questionOf = (
  key: Catalog.Key,
  entry: Catalog.Entry,
  root: string | undefined
): Question | undefined => {
  const free = (ask: string, separator = WORDS): Question => ({ ask, separator, star: "free" })
  const listed = (ask: string): Question => ({ ask, separator: WORDS, star: "value" })
  switch (key) {
    case "in":
      return {
        ask: root === undefined ? "in, a directory" : `in, a directory (* is all of ${root})`,
        separator: WHOLE,
        star: { path: root }
      }
    case "paths":
      return entry.needsRoot
        ? free("paths below it, by commas (* is all)", COMMAS)
        : free("paths, as in notes/**, by commas (* is all)", COMMAS)
    case "hosts":
      return listed("hosts, as in api.example.com (* is any)")
    case "cmds":
      return free("cmds, as in rg, jq (* is any command)")
    case "patterns":
      return { ask: "patterns, as in git log *, by commas", separator: COMMAS, star: "value" }
    case "classes":
      return free("classes of records (* is all)")
    case "ids":
      return free("ids of agents (* is any)")
    case "id":
      // One question for one thing: a list holds a single one, too.
      return entry.keys.includes("ids") ? undefined : free("id of the agent (* is any)", WHOLE)
    case "sealed":
      return undefined
    case "refs":
      return listed("refs, as in github/token (* is all)")
    case "scopes":
      return listed("scopes, as in session (* is all)")
    case "kinds":
      return listed("kinds, as in image (* is all)")
  }
}

type Scope = Readonly<Record<string, string | ReadonlyArray<string>>>

/** What an answer makes of a scope; `free` says that the key was left out on purpose. */
interface Answered {
  readonly scope: Scope
  readonly free: boolean
}

const valuesOf = (text: string, { separator }: Question): ReadonlyArray<string> =>
  text
    .split(separator)
    .map((part) => part.trim())
    .filter((part) => part !== "")

const STAR = "*"

/** The value that an answer writes: nothing where it leaves the key out. */
const valueOf = (
  typed: string,
  key: Catalog.Key,
  question: Question
): string | ReadonlyArray<string> | undefined => {
  const { star } = question
  if (typed === STAR && star === "free") return undefined
  if (typed === STAR && typeof star === "object" && star.path !== undefined) return star.path
  return Catalog.keys[key] === "string" ? typed : valuesOf(typed, question)
}

/** The grant of a scope, or why there is none. */
export const grantOf = (
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

/** Asks for one key until the answer is one; nothing when nothing was typed. */
const askKey = async (
  talk: Dialogue,
  entry: Catalog.Entry,
  key: Catalog.Key,
  question: Question,
  scope: Scope,
  places: AgentRecord.Places
): Promise<Answered | undefined> => {
  for (;;) {
    const typed = (await askLine(talk, `${question.ask}: `)).trim()
    if (valuesOf(typed, question).length === 0) return undefined
    const value = valueOf(typed, key, question)
    if (value === undefined) return { scope, free: true }
    const wider = { ...scope, [key]: value }
    const made = grantOf(entry, wider, places)
    if (Either.isRight(made)) return { scope: wider, free: false }
    explain(talk, made.left.message)
  }
}

const groupOf = (key: Catalog.Key, { keys }: Catalog.Entry): ReadonlyArray<Catalog.Key> => {
  const group = either.find((one) => one.has(key))
  const inside = keys.filter((one) => group?.has(one) === true)
  return inside.length > 1 ? inside : [key]
}

const unanswered = (entry: Catalog.Entry, keys: ReadonlyArray<Catalog.Key>, hasStar: boolean): string =>
  `nothing was typed for ${keys.map((key) => `'${key}'`).join(" or ")}, so that '${entry.name}' is not granted; ${
    hasStar ? "type * for all of it" : "name a directory: without one it would be inert"
  }`

const canStar = ({ star }: Question): boolean => typeof star !== "object" || star.path !== undefined

/** The scope that is typed; nothing, and a sentence why, when a question that limits it got no answer. */
export const askScope = async (
  talk: Dialogue,
  entry: Catalog.Entry,
  root: string | undefined,
  places: AgentRecord.Places
): Promise<Scope | undefined> => {
  let scope: Scope = {}
  const settled = new Set<Catalog.Key>()
  for (const key of entry.keys) {
    const question = questionOf(key, entry, root)
    if (question === undefined || settled.has(key)) continue
    const group = groupOf(key, entry)
    const answer = await askKey(talk, entry, key, question, scope, places)
    if (answer !== undefined) scope = answer.scope
    // All of it: what the others of the group would add is in it.
    if (answer?.free === true) for (const one of group) settled.add(one)
    const isLast = group.at(-1) === key
    const isLimited = group.some((one) => scope[one] !== undefined || settled.has(one))
    if (isLast && !isLimited) {
      explain(talk, unanswered(entry, group, canStar(question)))
      return undefined
    }
  }
  return scope
}
