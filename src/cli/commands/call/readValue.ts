/**
 * The value that a text stands for, by the schema of its parameter. The order loses nothing:
 *
 * - where only text fits, the text is taken as it is, quotes and all;
 * - where no text fits, the text is JSON; for a list, it may also be the one item;
 * - where both fit, JSON of the other kinds is what it says, if it is written as JSON would write it (`1`, not `01` or
 *   `1.0`); text in double quotes is that text; and all else is text.
 */
import { Either } from "effect"
import { closest } from "../../../policy/text/Closest.js"
import { shown } from "../../../policy/text/Quote.js"
import { type NotJson, readJson } from "../../../policy/text/StrictJson.js"
import { inWords } from "./inWords.js"
import { itemAt, kindsOf, type Shape, takes } from "./shape.js"

type Json = Either.Either<unknown, NotJson>

export type ValueRead = { readonly value: unknown } | { readonly wrong: string }

const MOST_SHOWN = 60

const inQuotes = (text: string): string =>
  `'${text.length > MOST_SHOWN ? `${shown(text.slice(0, MOST_SHOWN))}…` : shown(text)}'`

const place = ({ detail, offset }: NotJson): string =>
  `; as JSON it is wrong at character ${offset + 1}: ${detail}`

const refused = (shape: Shape, text: string, json: Json): ValueRead => {
  const literals = shape.alternatives.flatMap((one) => one.literals ?? [])
  const near = closest(
    text,
    literals.filter((one) => typeof one === "string")
  )
  const written = /^\s*[[{]/.test(text)
  const hint =
    near !== undefined ? `; did you mean '${near}'?` : written && Either.isLeft(json) ? place(json.left) : ""
  return { wrong: `takes ${inWords(shape)}, and not ${inQuotes(text)}${hint}` }
}

/** A whole number that is not kept as it was written would be another one. */
const isExact = (value: unknown, text: string): boolean =>
  typeof value !== "number" ||
  Number.isSafeInteger(value) ||
  (Number.isFinite(value) && (!/^\s*-?\d+\s*$/.test(text) || JSON.stringify(value) === text.trim()))

const isWrittenSo = (value: unknown, text: string): boolean =>
  (typeof value === "object" && value !== null) || JSON.stringify(value) === text

const ofBoth = (shape: Shape, text: string, json: Json): ValueRead => {
  if (Either.isRight(json)) {
    const value = json.right
    if (typeof value === "string" ? takes(shape, value) : isWrittenSo(value, text) && takes(shape, value)) {
      return { value }
    }
  }
  return takes(shape, text) ? { value: text } : refused(shape, text, json)
}

const ofJson = (shape: Shape, text: string, json: Json): ValueRead => {
  if (Either.isRight(json) && takes(shape, json.right)) {
    return isExact(json.right, text)
      ? { value: json.right }
      : { wrong: `takes ${inWords(shape)}, and ${inQuotes(text)} is too large to be kept exactly` }
  }
  if (!kindsOf(shape).has("array") || /^\s*(?:\[|$)/.test(text)) return refused(shape, text, json)
  return readItems(shape, [text])
}

export const readValue = (shape: Shape, text: string): ValueRead => {
  const kinds = kindsOf(shape)
  if (kinds.size === 1 && kinds.has("string")) {
    return takes(shape, text) ? { value: text } : refused(shape, text, Either.right(text))
  }
  const json = readJson(text)
  return kinds.has("string") ? ofBoth(shape, text, json) : ofJson(shape, text, json)
}

/** One text for each item of a list. */
export const readItems = (shape: Shape, texts: ReadonlyArray<string>): ValueRead => {
  const items = texts.map((text, index) => readValue(itemAt(shape, index), text))
  const wrong = items.find((item) => "wrong" in item)
  if (wrong !== undefined) return { wrong: `takes ${inWords(shape)}, and an item of it ${wrong.wrong}` }
  return { value: items.map((item) => ("value" in item ? item.value : undefined)) }
}
