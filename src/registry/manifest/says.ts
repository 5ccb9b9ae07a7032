/** What a server says of a tool, as a text of the lock and in words. It is a stranger's: bounded, and nothing in it unseen. */
import { Either } from "effect"
import { ordered } from "../../policy/text/OrderedJson.js"
import { seen } from "../../policy/text/Quote.js"
import type { Change, Pinned } from "./Model.js"

const HINTS = ["readOnly", "destructive", "idempotent", "openWorld"] as const

const MAX = { name: 256, title: 1024, description: 64 * 1024, schema: 256 * 1024 } as const

export interface Wrong {
  readonly path: ReadonlyArray<string>
  readonly what: string
}

const wrong = (what: string, ...path: ReadonlyArray<string>): Either.Either<never, Wrong> =>
  Either.left({ path, what })

type Read<A> = Either.Either<A, Wrong>

export const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value)

const textIn = (value: unknown, key: "name" | "title" | "description"): Read<string> =>
  typeof value === "string" && value.length <= MAX[key]
    ? Either.right(value)
    : wrong(`is not a text of at most ${MAX[key]} characters`, key)

const schemaIn = (value: unknown, key: string): Read<Readonly<Record<string, unknown>>> => {
  if (!isObject(value)) return wrong("is not a JSON Schema", key)
  return JSON.stringify(value).length <= MAX.schema
    ? Either.right(value)
    : wrong(`is longer than ${MAX.schema} characters`, key)
}

const hintsIn = (value: unknown): Read<ReadonlySet<string>> =>
  Array.isArray(value) && value.every((one) => HINTS.some((hint) => hint === one))
    ? Either.right(new Set(value))
    : wrong(`is not a list of ${HINTS.join(", ")}`, "hints")

const KNOWN = ["name", "title", "description", "parameters", "output", "hints"]

const NEEDED = ["name", "description", "parameters", "hints"]

export const saysIn = (value: unknown): Read<Pinned> =>
  Either.gen(function* () {
    if (!isObject(value)) return yield* wrong("is not an object")
    const unknown = Object.keys(value).find((key) => !KNOWN.includes(key))
    if (unknown !== undefined) return yield* wrong("is a key that no version has known so far", unknown)
    const missing = NEEDED.find((key) => !Object.hasOwn(value, key))
    if (missing !== undefined) return yield* wrong("is missing", missing)
    const hints = yield* hintsIn(value.hints)
    return {
      name: yield* textIn(value.name, "name"),
      ...(value.title === undefined ? {} : { title: yield* textIn(value.title, "title") }),
      description: yield* textIn(value.description, "description"),
      parameters: yield* schemaIn(value.parameters, "parameters"),
      ...(value.output === undefined ? {} : { output: yield* schemaIn(value.output, "output") }),
      readOnly: hints.has("readOnly"),
      destructive: hints.has("destructive"),
      idempotent: hints.has("idempotent"),
      openWorld: hints.has("openWorld")
    }
  })

const hintsOf = (says: Pinned): ReadonlyArray<string> => HINTS.filter((hint) => says[hint])

export const saysWritten = (says: Pinned) => {
  const { description, name, output, parameters, title } = says
  return {
    name,
    ...(title === undefined ? {} : { title }),
    description,
    parameters: ordered(parameters),
    ...(output === undefined ? {} : { output: ordered(output) }),
    hints: hintsOf(says)
  }
}

/** Line by line, as the server wrote them; whole, because what is cut away may be what matters. */
export const quotedLines = (sign: string, text: string): ReadonlyArray<string> =>
  text.split(/\r?\n/).map((line) => `${sign} | ${seen(line)}`)

export const schemaLines = (sign: string, key: string, schema: unknown): ReadonlyArray<string> =>
  schema === undefined ? [] : [`${sign} ${key}: ${seen(JSON.stringify(ordered(schema)))}`]

export const differ = (a: unknown, b: unknown): boolean =>
  JSON.stringify(ordered(a)) !== JSON.stringify(ordered(b))

/** What a model would read, before it reads it: the server's words, marked as such. */
export const wordLines = ({ now, was }: NonNullable<Change["words"]>): ReadonlyArray<string> => {
  const lines = (sign: string, says: Pinned, other: Pinned | undefined): ReadonlyArray<string> => [
    ...(says.title === undefined || says.title === other?.title
      ? []
      : [`${sign} the server's title: ${seen(says.title)}`]),
    ...(says.description === other?.description
      ? []
      : [`${sign} the server's words:`, ...quotedLines(sign, says.description)]),
    ...(differ(says.parameters, other?.parameters) ? schemaLines(sign, "parameters", says.parameters) : []),
    ...(differ(says.output, other?.output) ? schemaLines(sign, "answer", says.output) : []),
    ...(other !== undefined && !differ(hintsOf(says), hintsOf(other))
      ? []
      : [`${sign} the server's hints: ${hintsOf(says).join(", ") || "none"}`])
  ]
  return [...(was === undefined ? [] : lines("-", was, now)), ...lines("+", now, was)]
}
