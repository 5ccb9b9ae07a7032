/** What a parameter takes, in words. */
import { shown } from "../../../policy/text/Quote.js"
import { type Alternative, itemAt, type Kind, kindsOf, type Shape } from "./shape.js"

const kindWords: Readonly<Record<Kind, string>> = {
  string: "text",
  number: "a number",
  boolean: "true or false",
  null: "null",
  object: "an object as JSON",
  array: "a list"
}

/** Beyond so many, a list of literals says less than its start. */
const MOST_LITERALS = 12

const literal = (value: unknown): string =>
  shown(typeof value === "string" ? `'${value}'` : (JSON.stringify(value) ?? String(value)))

const plural: Partial<Readonly<Record<string, string>>> = {
  text: "texts",
  "a number": "numbers",
  "a whole number": "whole numbers",
  "an object as JSON": "objects",
  "a list": "lists"
}

const listWords = (shape: Shape, depth: number): string => {
  const tuple = shape.alternatives.some(
    ({ keywords }) => Array.isArray(keywords.items) || Array.isArray(keywords.prefixItems)
  )
  if (tuple || depth > 2) return "a list"
  const item = inWords(itemAt(shape, 0), depth + 1)
  return item === "anything" ? "a list" : `a list of ${plural[item] ?? `items that are ${item}`}`
}

const alternativeWords = (
  { kinds, literals, whole }: Alternative,
  shape: Shape,
  depth: number
): ReadonlyArray<string> => {
  if (literals !== undefined) {
    const some = literals.slice(0, MOST_LITERALS).map(literal)
    return literals.length > MOST_LITERALS ? [...some, `one of ${literals.length - some.length} more`] : some
  }
  return [...kinds].map((kind) => {
    if (kind === "array") return listWords(shape, depth)
    return kind === "number" && whole ? "a whole number" : kindWords[kind]
  })
}

/** `a number`, `'utf8' or 'base64'`, `a list of texts`. */
export const inWords = (shape: Shape, depth = 0): string => {
  if (kindsOf(shape).size === Object.keys(kindWords).length) return "anything"
  const all = [...new Set(shape.alternatives.flatMap((one) => alternativeWords(one, shape, depth)))]
  return all.length === 0 ? "nothing" : all.join(" or ")
}
