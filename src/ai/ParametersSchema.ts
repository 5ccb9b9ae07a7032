/**
 * The JSON Schema of a tool's parameters as providers take it: one object at the top, and no `$schema`. A choice of
 * objects becomes one object with the properties of all, which takes more than the choice does. The registry decodes
 * what the model sends by the tool's own schema, so that nothing more gets in.
 */
import type { JSONSchema } from "effect"

/**
 * @since 0.1.0
 * @category models
 */
export interface JsonObjectSchema {
  readonly type: "object"
  readonly [keyword: string]: unknown
}

type Json = Readonly<Record<string, unknown>>

const isObject = (value: unknown): value is Json =>
  typeof value === "object" && value !== null && !Array.isArray(value)

const record = (value: unknown): Json => (isObject(value) ? value : {})

const list = (value: unknown): ReadonlyArray<unknown> => (Array.isArray(value) ? value : [])

const DEFINITION = "#/$defs/"

/** The schemas that stand at the top, of which arguments fit any one. */
const alternatives = (
  schema: Json,
  definitions: Json,
  seen: ReadonlySet<Json> = new Set()
): ReadonlyArray<Json> => {
  if (seen.has(schema)) return []
  const within = new Set([...seen, schema])
  const into = (one: unknown) => alternatives(record(one), definitions, within)
  const { $ref, anyOf, oneOf } = schema
  if (typeof $ref === "string" && $ref.startsWith(DEFINITION)) {
    return into(definitions[$ref.slice(DEFINITION.length).replaceAll("~1", "/").replaceAll("~0", "~")])
  }
  const choice = [...list(anyOf), ...list(oneOf)]
  return choice.length === 0 ? [schema] : choice.flatMap(into)
}

const distinct = (schemas: ReadonlyArray<unknown>): ReadonlyArray<unknown> => [
  ...new Map(schemas.map((schema) => [JSON.stringify(schema), schema])).values()
]

const joined = (all: ReadonlyArray<Json>): Json => {
  const properties = new Map<string, Array<unknown>>()
  for (const one of all) {
    for (const [name, schema] of Object.entries(record(one.properties))) {
      properties.set(name, [...(properties.get(name) ?? []), schema])
    }
  }
  const entries = [...properties].map(([name, schemas]) => {
    const several = distinct(schemas)
    return [name, several.length === 1 ? several[0] : { anyOf: several }]
  })
  const required = all.map(({ required }) => list(required))
  return {
    required: (required[0] ?? []).filter((name) => required.every((names) => names.includes(name))),
    properties: Object.fromEntries(entries),
    additionalProperties: !all.every(({ additionalProperties }) => additionalProperties === false)
  }
}

export const parametersSchema = ({ $schema: _, ...schema }: JSONSchema.JsonSchema7Root): JsonObjectSchema => {
  const given: Json = schema
  const all = alternatives(given, record(given.$defs))
  const [only] = all
  if (only === given) return { ...given, type: "object" }
  const { $defs, description } = given
  return {
    type: "object",
    ...(description === undefined ? {} : { description }),
    ...(all.length === 1 && only !== undefined ? only : joined(all)),
    ...($defs === undefined ? {} : { $defs })
  }
}
