/**
 * What strangers say of themselves, as it may be shown: bounded, and without what a reader would not see.
 *
 * @since 0.1.0
 */
import { seen } from "./Quote.js"

const cut = (text: string, longest: number): string =>
  text.length <= longest ? text : `${text.slice(0, longest)}…`

/**
 * Text with lines in it: what makes space stays, and all else that is not seen is written out.
 *
 * @since 0.1.0
 * @category rendering
 */
export const visible = (text: string, longest: number): string =>
  cut(text, longest)
    .split(/(\r?\n|\t)/)
    .map((part) => (/^(?:\r?\n|\t)$/.test(part) ? part : seen(part)))
    .join("")

/**
 * How much of a schema is read.
 *
 * @since 0.1.0
 * @category models
 */
export interface SchemaLimits {
  readonly descriptionLength: number
  readonly schemaLength: number
  readonly schemaDepth: number
}

/** Texts for readers. All others are compared letter by letter, and hide nothing. */
const WORDS = new Set(["description", "title", "$comment"])

class Unreadable extends Error {}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value)

const readable = (value: unknown, key: string, left: number, limits: SchemaLimits): unknown => {
  if (left === 0) throw new Unreadable()
  if (typeof value === "string") {
    if (WORDS.has(key)) return visible(value, limits.descriptionLength)
    if (seen(value) !== value) throw new Unreadable()
    return value
  }
  if (Array.isArray(value)) return value.map((one) => readable(one, "", left - 1, limits))
  if (!isObject(value)) return value
  return Object.fromEntries(
    Object.entries(value).map(([name, one]) => {
      if (seen(name) !== name) throw new Unreadable()
      return [name, readable(one, name, left - 1, limits)]
    })
  )
}

/**
 * A JSON Schema of a stranger, as it may be shown to a model; nothing where it may not.
 *
 * @since 0.1.0
 * @category reading
 */
export const jsonSchemaOf = (
  given: unknown,
  limits: SchemaLimits
): Readonly<Record<string, unknown>> | undefined => {
  if (!isObject(given)) return undefined
  try {
    const schema = readable(given, "", limits.schemaDepth, limits)
    return JSON.stringify(schema).length <= limits.schemaLength
      ? (schema as Readonly<Record<string, unknown>>)
      : undefined
  } catch {
    return undefined
  }
}
