/** The help of one tool, from its schema and its declaration. */
import { shellQuoted } from "../../../policy/text/Quote.js"
import { padded, type Terminal, visible, widthOf, wrap } from "../../report/Terminal.js"
import { inWords } from "./inWords.js"
import type { Parameter, Parameters } from "./parameters.js"
import { type Alternative, itemAt, kindsOf, type Shape } from "./shape.js"

interface HelpedTool {
  readonly name: string
  readonly description: string
  readonly surface: ReadonlyArray<string>
}

type Keywords = Alternative["keywords"]

const counted = (value: unknown, noun: string): string => `${value} ${noun}${value === 1 ? "" : "s"}`

const limits: ReadonlyArray<readonly [keyword: string, words: (value: unknown) => string]> = [
  ["minimum", (value) => `at least ${value}`],
  ["exclusiveMinimum", (value) => `more than ${value}`],
  ["maximum", (value) => `at most ${value}`],
  ["exclusiveMaximum", (value) => `less than ${value}`],
  ["multipleOf", (value) => `a multiple of ${value}`],
  ["minLength", (value) => `at least ${counted(value, "character")}`],
  ["maxLength", (value) => `at most ${counted(value, "character")}`],
  ["minItems", (value) => `at least ${counted(value, "item")}`],
  ["maxItems", (value) => `at most ${counted(value, "item")}`]
]

const limitsOf = (keywords: Keywords): ReadonlyArray<string> =>
  limits.flatMap(([keyword, words]) =>
    typeof keywords[keyword] === "number" ? [words(keywords[keyword])] : []
  )

const keywordsOf = ({ alternatives, schema }: Shape): Keywords => ({
  ...(alternatives.length === 1 ? alternatives[0]?.keywords : {}),
  ...(typeof schema === "object" && schema !== null ? schema : {})
})

/** What it takes, and what else is known of it. */
const takesOf = ({ required, shape }: Parameter): string => {
  const keywords = keywordsOf(shape)
  const preset = "default" in keywords ? [`${JSON.stringify(keywords.default)} if not given`] : []
  return [inWords(shape), ...limitsOf(keywords), ...preset, ...(required ? ["required"] : [])].join(", ")
}

const aboutOf = ({ shape }: Parameter): string => {
  const { description } = keywordsOf(shape)
  return typeof description === "string" ? description : ""
}

const numberLike = (keywords: Keywords): number => {
  const limit = (name: string): number | undefined =>
    typeof keywords[name] === "number" ? (keywords[name] as number) : undefined
  const above = limit("exclusiveMinimum")
  const least = limit("minimum") ?? (above === undefined ? undefined : above + 1)
  return least ?? Math.min(1, limit("maximum") ?? 1)
}

const textLike = (name: string, keywords: Keywords): string => {
  if (keywords.contentMediaType === "application/json") return "{}"
  const most = typeof keywords.maxLength === "number" ? keywords.maxLength : 200
  return name.toUpperCase().slice(0, most)
}

/** A value that the schema would take, as far as it is read here. */
const exampleOf = (name: string, shape: Shape): unknown => {
  const keywords = keywordsOf(shape)
  if (Array.isArray(keywords.examples) && keywords.examples.length > 0) return keywords.examples[0]
  const [first] = shape.alternatives
  if (first?.literals !== undefined) return first.literals[0]
  const kinds = first?.kinds ?? kindsOf(shape)
  if (kinds.has("string")) return textLike(name, keywords)
  if (kinds.has("number")) return numberLike({ ...keywords, ...first?.keywords })
  if (kinds.has("boolean")) return true
  if (kinds.has("array")) {
    const least = typeof keywords.minItems === "number" ? Math.min(keywords.minItems, 5) : 1
    return Array.from({ length: Math.max(1, least) }, (_, index) => exampleOf("item", itemAt(shape, index)))
  }
  return kinds.has("object") ? {} : null
}

/** As it is typed: text as it is where nothing else would be read, and JSON otherwise. */
export const typed = (shape: Shape, value: unknown): string => {
  const kinds = kindsOf(shape)
  return typeof value === "string" && kinds.size === 1 && kinds.has("string") ? value : JSON.stringify(value)
}

const shellSafe = (text: string): string => (/^[\w./@:,+-]+$/.test(text) ? text : shellQuoted(text))

/** The words of a call with all that is required. */
export const exampleWords = ({ named }: Parameters): ReadonlyArray<string> =>
  [...named.values()]
    .filter(({ required }) => required)
    .map(({ name, shape }) => `${name}=${typed(shape, exampleOf(name, shape))}`)

const example = (parameters: Parameters): string => {
  const words = exampleWords(parameters).map((word) => {
    const [name = "", ...rest] = word.split("=")
    return /^[\w-]+$/.test(name) ? `${name}=${shellSafe(rest.join("="))}` : shellQuoted(word)
  })
  return ["bailiwick call", parameters.tool, ...words, "--agent ID"].join(" ")
}

const INDENT = "  "
const WIDEST_NAME = 24

const rows = (terminal: Terminal, parameters: Parameters): ReadonlyArray<string> => {
  const all = [...parameters.named.values()]
  const width = Math.min(WIDEST_NAME, Math.max(0, ...all.map(({ name }) => widthOf(visible(name))))) + 2
  const left = terminal.columns - INDENT.length - width
  return all.flatMap((parameter) => {
    const [first = "", ...rest] = wrap(takesOf(parameter), left)
    const below = [
      ...rest,
      ...(aboutOf(parameter) === "" ? [] : wrap(aboutOf(parameter), left).map(terminal.dim))
    ]
    const name = visible(parameter.name).replaceAll("\n", "⏎")
    return [
      `${INDENT}${terminal.bold(padded(name, width))}${first}`,
      ...below.map((line) => `${INDENT}${" ".repeat(width)}${line}`)
    ]
  })
}

const usage = ({ named, others, tool }: Parameters): string => {
  const words = [...named.values()].map(({ name, required }) =>
    required ? `${name}=VALUE` : `[${name}=VALUE]`
  )
  const open = others("") === undefined ? [] : ["[KEY=VALUE…]"]
  return ["Usage: bailiwick call", tool, ...words, ...open, "(--agent ID | --personality DIR)"].join(" ")
}

export const toolHelp = (terminal: Terminal, tool: HelpedTool, parameters: Parameters): string => {
  const heading = (title: string, lines: ReadonlyArray<string>): ReadonlyArray<string> => [
    "",
    terminal.bold(title),
    ...lines
  ]
  const inside = (text: string) => wrap(text, terminal.columns - INDENT.length).map((line) => INDENT + line)
  return [
    ...wrap(usage(parameters), terminal.columns),
    "",
    ...wrap(tool.description, terminal.columns),
    ...(parameters.named.size === 0 ? [] : heading("Parameters", rows(terminal, parameters))),
    ...heading("Touches", (tool.surface.length === 0 ? ["nothing"] : tool.surface).flatMap(inside)),
    ...heading("Example", [INDENT + visible(example(parameters)).replaceAll("\n", " ")]),
    "",
    "'bailiwick call --help' has the options.",
    ""
  ].join("\n")
}
