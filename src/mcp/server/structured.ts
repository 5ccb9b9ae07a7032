/**
 * Structured answers of tools. MCP wants an object, and a client checks it against the schema that was listed: what a
 * tool answers with that is no object stands under `value`, in the schema as in the answer.
 */
import { JSONSchema, Schema } from "effect"
import { getOrSet } from "../../policy/Memo.js"
import { outside } from "../../registry/execution/Outside.js"
import type * as Tool from "../../tools/Tool.js"

export interface Output {
  /** As it is listed. */
  readonly schema: { readonly type: "object"; readonly [keyword: string]: unknown }
  /** An answer as it was listed, or nothing where it does not fit: what was cut or scrubbed may not. */
  readonly of: (data: unknown) => object | undefined
}

type Keywords = Readonly<Record<string, unknown>>

const isKeywords = (value: unknown): value is Keywords =>
  typeof value === "object" && value !== null && !Array.isArray(value)

/** Keywords that hold schemas by names, which may be any: of these only the values are schemas. */
const NAMED = new Set(["properties", "patternProperties", "$defs", "definitions"])

/** Keywords that hold data, in which nothing is a schema. */
const DATA = new Set(["enum", "const", "default", "examples"])

/** Effect gives `unknown`, `void` and the like an id each, and a validator takes an id that comes twice for a mistake. */
const withoutIds = (schema: unknown): unknown => {
  if (Array.isArray(schema)) return schema.map(withoutIds)
  if (!isKeywords(schema)) return schema
  return Object.fromEntries(
    Object.entries(schema)
      .filter(([keyword]) => keyword !== "$id")
      .map(([keyword, held]) => [
        keyword,
        DATA.has(keyword)
          ? held
          : NAMED.has(keyword) && isKeywords(held)
            ? Object.fromEntries(Object.entries(held).map(([name, one]) => [name, withoutIds(one)]))
            : withoutIds(held)
      ])
  )
}

const DRAFT = "http://json-schema.org/draft-07/schema#"

const outputOf = (success: Schema.Schema.AnyNoContext): Output | undefined => {
  try {
    const definitions: Record<string, JSONSchema.JsonSchema7> = {}
    const made = JSONSchema.fromAST(success.ast, { definitions, topLevelReferenceStrategy: "skip" })
    const schema = withoutIds(made) as Keywords
    const fits = Schema.is(Schema.encodedBoundSchema(success), { onExcessProperty: "error" })
    const isObject = schema.type === "object"
    const shared = {
      $schema: DRAFT,
      ...(Object.keys(definitions).length === 0 ? {} : { $defs: withoutIds(definitions) })
    }
    const fitting = (data: unknown): boolean => {
      try {
        return outside(() => fits(data))
      } catch {
        return false
      }
    }
    return isObject
      ? {
          schema: { ...shared, ...schema, type: "object" },
          of: (data) => (isKeywords(data) && fitting(data) ? data : undefined)
        }
      : {
          schema: { ...shared, type: "object", required: ["value"], properties: { value: schema } },
          of: (data) => (fitting(data) ? { value: data } : undefined)
        }
  } catch {
    // It answers with what no JSON Schema describes: then its answers are texts.
    return undefined
  }
}

const known = new WeakMap<Tool.Any, { readonly output: Output | undefined }>()

/** How a tool's answers are structured, where it says what it answers with. */
export const structureOf = (tool: Tool.Any): Output | undefined =>
  getOrSet(known, tool, () => ({
    output:
      tool.success === undefined
        ? undefined
        : outside(() => outputOf(tool.success as Schema.Schema.AnyNoContext))
  })).output
