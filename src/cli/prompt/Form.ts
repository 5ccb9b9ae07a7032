/**
 * A form of a server, filled in at a terminal. Whoever sits there sees who asks, may say no, and sees the whole before it goes.
 * Each line with words of the server begins with a bar, also where it is broken: none of them passes for a line of ours.
 */
import { seen } from "../../policy/text/Quote.js"
import * as Elicitation from "../../registry/inquiry/Elicitation.js"
import { cut, visible, wrap } from "../report/Terminal.js"
import type { Dialogue } from "./Dialogue.js"
import { askLine, confirm } from "./Line.js"

type Field = Elicitation.Field
type Value = Elicitation.Value
type Of<T extends Field["_tag"]> = Extract<Field, { readonly _tag: T }>

/** Nothing is filled in. */
const LEFT = Symbol("left")

/** What was typed as a value, or what is wrong with it. */
type Typed = { readonly value: Value } | { readonly wrong: string }

const shown = (text: string): string => visible(seen(text))

const BAR = "  | "

const NARROWEST = 20

/** Words of the server, of any length. */
const barred = ({ tty }: Dialogue, text: string): ReadonlyArray<string> =>
  text
    .split(/\r?\n/)
    // One cell is left free: a terminal may break a line that fills it.
    .flatMap((line) => wrap(shown(line), Math.max(NARROWEST, tty.size().columns - BAR.length - 1)))
    .map((line) => `${BAR}${line}`)

const LONGEST_TITLE = 60

const LONGEST_VALUE = 1024

const titleOf = ({ name, title }: Field): string => cut(shown(title ?? name), LONGEST_TITLE)

const valueOf = (text: string): string =>
  text.length <= LONGEST_VALUE
    ? shown(text)
    : `${shown(text.slice(0, LONGEST_VALUE))}… (${text.length} characters)`

const say = ({ say: tell }: Dialogue, lines: ReadonlyArray<string>): void =>
  tell(lines.map((line) => `${line}\r\n`).join(""))

const numbered = ({ choices }: Of<"OneOf" | "SomeOf">): ReadonlyArray<string> =>
  choices.map(({ title }, at) => `${at + 1}) ${cut(shown(title), LONGEST_TITLE)}`)

const wordsOf = (field: Field, value: Value): string => {
  if (field._tag === "YesNo") return value === true ? "yes" : "no"
  if (field._tag !== "OneOf" && field._tag !== "SomeOf") return valueOf(String(value))
  const title = (one: unknown) => field.choices.find((choice) => choice.value === one)?.title ?? String(one)
  return (Array.isArray(value) ? value : [value])
    .map((one) => cut(shown(title(one)), LONGEST_TITLE))
    .join(", ")
}

const kindOf = (field: Field): string => {
  switch (field._tag) {
    case "Text":
      return field.format ?? "text"
    case "Number":
      return field.isWhole ? "whole number" : "number"
    case "YesNo":
      return "y/n"
    case "OneOf":
      return "number of your choice"
    case "SomeOf":
      return "numbers of your choices, separated by commas"
  }
}

const hintOf = (field: Field): string =>
  [
    kindOf(field),
    ...(field.default !== undefined
      ? [`Enter for ${wordsOf(field, field.default)}`]
      : field.required
        ? []
        : ["may be left empty"])
  ].join(", ")

const NUMBER = /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:e[+-]?\d+)?$/i

const choiceAt = ({ choices }: Of<"OneOf" | "SomeOf">, word: string): string | undefined =>
  /^\d{1,4}$/.test(word) ? choices[Number(word) - 1]?.value : undefined

const read = (field: Field, text: string): Typed => {
  switch (field._tag) {
    case "Text":
      return { value: text }
    case "Number":
      return NUMBER.test(text.trim()) ? { value: Number(text) } : { wrong: "it is no number" }
    case "YesNo":
      return /^(?:y|yes|n|no)$/i.test(text.trim())
        ? { value: /^y/i.test(text.trim()) }
        : { wrong: "write y or n" }
    case "OneOf": {
      const value = choiceAt(field, text.trim())
      return value === undefined ? { wrong: "write the number of one of them" } : { value }
    }
    case "SomeOf": {
      const values = text.split(",").map((word) => choiceAt(field, word.trim()))
      const known = values.filter((value) => value !== undefined)
      return known.length < values.length ? { wrong: "write numbers of them" } : { value: known }
    }
  }
}

const typedFor = (field: Field, text: string): Typed | typeof LEFT => {
  if (text.trim() === "") {
    if (field.default !== undefined) return { value: field.default }
    return field.required ? { wrong: "it is needed; Esc gives up" } : LEFT
  }
  const typed = read(field, text)
  const why = "value" in typed ? Elicitation.misfit(field, typed.value) : undefined
  return why === undefined ? typed : { wrong: why }
}

/** Asks until it fits. Throws `Abandoned`. */
const filled = async (dialogue: Dialogue, field: Field, server: string): Promise<Value | typeof LEFT> => {
  if (field.description !== undefined) say(dialogue, barred(dialogue, field.description))
  if ("choices" in field) say(dialogue, barred(dialogue, numbered(field).join("\n")))
  for (;;) {
    const prompt = `${server} asks: ${titleOf(field)} (${hintOf(field)}): `
    const typed = typedFor(field, await askLine(dialogue, prompt))
    if (typed === LEFT) return LEFT
    if ("value" in typed) return typed.value
    say(dialogue, [typed.wrong])
  }
}

/** Throws `Abandoned`. */
export const fillIn = async (
  dialogue: Dialogue,
  { fields, message }: Elicitation.Request,
  name: string
): Promise<Elicitation.Answer> => {
  const server = shown(name)
  const wanted = fields.length === 0 ? "nothing but a yes" : fields.map(titleOf).join(", ")
  say(dialogue, [
    `The MCP server ${server} asks you, in its own words:`,
    ...barred(dialogue, message),
    "It wants:",
    ...barred(dialogue, wanted),
    // Last: what stands above may have left the screen.
    `All of that is of the MCP server ${server}, and what you write goes there: no passwords, no keys.`
  ])
  if (!(await confirm(dialogue, `Answer ${server}?`))) return { action: "decline" }
  const given: Array<readonly [Field, Value]> = []
  for (const field of fields) {
    const value = await filled(dialogue, field, server)
    if (value !== LEFT) given.push([field, value])
  }
  say(
    dialogue,
    given.flatMap(([field, value]) => barred(dialogue, `${titleOf(field)}: ${wordsOf(field, value)}`))
  )
  if (fields.length > 0 && !(await confirm(dialogue, `Send this to ${server}?`))) return { action: "decline" }
  return {
    action: "accept",
    content: Object.fromEntries(given.map(([field, value]) => [field.name, value]))
  }
}
