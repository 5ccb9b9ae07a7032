/**
 * The JSON Schema of a tool's parameters as providers take it: the object that a menu shows, without its `$schema`.
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

export const parametersSchema = ({
  $schema: _,
  ...schema
}: JSONSchema.JsonSchema7Root): JsonObjectSchema => ({
  ...schema,
  type: "object"
})
