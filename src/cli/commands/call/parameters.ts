/** The parameters of a tool by name, and the arguments that `KEY=VALUE` words give it. */
import { closest } from "../../../policy/text/Closest.js"
import { quote } from "../../../policy/text/Quote.js"
import { CliError } from "../../CliError.js"
import { inWords } from "./inWords.js"
import { readItems, readValue } from "./readValue.js"
import { isKeywords, kindsOf, type Shape, shapeOf } from "./shape.js"

export interface Parameter {
  readonly name: string
  readonly required: boolean
  readonly shape: Shape
}

export interface Parameters {
  readonly tool: string
  readonly named: ReadonlyMap<string, Parameter>
  /** What any other key takes, where the schema is open. */
  readonly others: (name: string) => Shape | undefined
}

const matches = (pattern: string, name: string): boolean => {
  try {
    return new RegExp(pattern, "u").test(name)
  } catch {
    return false
  }
}

/** Names stand in a `Map`: `toString` is a legal parameter. */
export const parametersOf = (tool: string, schema: unknown): Parameters => {
  const root = isKeywords(schema) ? schema : {}
  const required = Array.isArray(root.required) ? root.required : []
  const { additionalProperties, patternProperties } = root
  const patterns = Object.entries(isKeywords(patternProperties) ? patternProperties : {})
  return {
    tool,
    named: new Map(
      Object.entries(isKeywords(root.properties) ? root.properties : {}).map(([name, one]) => [
        name,
        { name, required: required.includes(name), shape: shapeOf(one, root) }
      ])
    ),
    others: (name) => {
      const found = patterns.find(([pattern]) => matches(pattern, name))?.[1]
      const other = found ?? additionalProperties
      return other === undefined || other === false ? undefined : shapeOf(other, root)
    }
  }
}

const listed = (names: ReadonlyArray<string>): string =>
  names.length < 2 ? (names[0] ?? "") : `${names.slice(0, -1).join(", ")} and ${names.at(-1)}`

const unknown = ({ named, tool }: Parameters, name: string): CliError => {
  if (named.size === 0) return new CliError(`${tool} takes no parameters, and ${quote(name)} is given`)
  const [before = ""] = name.split(/[.[]/)
  const inside = named.get(before)
  if (before !== name && inside !== undefined && kindsOf(inside.shape).has("object")) {
    return new CliError(
      `${tool} has no parameter ${quote(name)}; what is inside of ${before} is written as JSON, as in ${before}='{"key":"value"}'`
    )
  }
  const near = closest(name, named.keys())
  const hint = near === undefined ? "" : `; did you mean '${near}'?`
  return new CliError(`${tool} has no parameter ${quote(name)}, only ${listed([...named.keys()])}${hint}`)
}

const split = (parameters: Parameters, word: string): readonly [string, string] => {
  const equals = word.indexOf("=")
  if (equals > 0) return [word.slice(0, equals), word.slice(equals + 1)]
  const { named, tool } = parameters
  if (word === "-") {
    throw new CliError(
      "'-' reads all parameters from standard input; give it alone, or write KEY=VALUE for each"
    )
  }
  const meant = equals < 0 && named.has(word) ? word : "KEY"
  throw new CliError(
    `${quote(word)} is not a parameter of ${tool}: write ${meant}=VALUE; quote what holds blanks or braces`
  )
}

const missing = ({ named, tool }: Parameters, given: ReadonlyMap<string, unknown>): CliError | undefined => {
  const lacking = [...named.values()].filter(({ name, required }) => required && !given.has(name))
  const [first] = lacking
  if (first === undefined) return undefined
  const takes = lacking.length === 1 ? `, which takes ${inWords(first.shape)}` : ""
  return new CliError(
    `${tool} needs ${listed(lacking.map(({ name }) => name))}${takes}; 'bailiwick call ${tool} --help' says more`
  )
}

const valueOf = (shape: Shape, name: string, texts: ReadonlyArray<string>): unknown => {
  const [only = "", second] = texts
  if (second !== undefined && !kindsOf(shape).has("array")) {
    throw new CliError(
      `${name} is given ${texts.length === 2 ? "twice" : `${texts.length} times`}, and takes ${inWords(shape)}; keep one`
    )
  }
  const read = second === undefined ? readValue(shape, only) : readItems(shape, texts)
  if ("value" in read) return read.value
  throw new CliError(`${quote(name).slice(1, -1)} ${read.wrong}`)
}

/** Throws a `CliError` with one sentence. */
export const argumentsOf = (
  parameters: Parameters,
  words: ReadonlyArray<string>
): Readonly<Record<string, unknown>> => {
  const texts = new Map<string, Array<string>>()
  for (const word of words) {
    const [name, text] = split(parameters, word)
    const known = texts.get(name)
    if (known === undefined) texts.set(name, [text])
    else known.push(text)
  }
  const values = [...texts].map(([name, all]) => {
    const shape = parameters.named.get(name)?.shape ?? parameters.others(name)
    if (shape === undefined) throw unknown(parameters, name)
    return [name, valueOf(shape, name, all)] as const
  })
  const lacking = missing(parameters, texts)
  if (lacking !== undefined) throw lacking
  return Object.fromEntries(values)
}
