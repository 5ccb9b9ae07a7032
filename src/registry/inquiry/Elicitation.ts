/**
 * Elicitation: a server asks a person to fill in a form. Its words are a stranger's, and so are the names in the form.
 *
 * @since 0.1.0
 */
import { Schema } from "effect"
import { Field, Value } from "./Field.js"
import { misfit } from "./misfit.js"

export { Choice, Field, Value } from "./Field.js"
export { misfit } from "./misfit.js"

/**
 * @since 0.1.0
 * @category schemas
 */
export const Request = Schema.Struct({ message: Schema.String, fields: Schema.Array(Field) })

/**
 * @since 0.1.0
 * @category models
 */
export interface Request extends Schema.Schema.Type<typeof Request> {}

/**
 * What the person did: filled it in, said no, or went away without a word.
 *
 * @since 0.1.0
 * @category schemas
 */
export const Answer = Schema.Union(
  Schema.Struct({
    action: Schema.Literal("accept"),
    content: Schema.Record({ key: Schema.String, value: Value })
  }),
  Schema.Struct({ action: Schema.Literal("decline", "cancel") })
)

/**
 * @since 0.1.0
 * @category models
 */
export type Answer = typeof Answer.Type

/**
 * Why what was filled in does not fit the form, in words without any of it; nothing where it does.
 *
 * @since 0.1.0
 * @category deciding
 */
export const misfits = (
  { fields }: Request,
  content: Readonly<Record<string, Value>>
): string | undefined => {
  const known = new Set(fields.map(({ name }) => name))
  if (Object.keys(content).some((name) => !known.has(name))) return "it has a field that was not asked for"
  for (const field of fields) {
    const value = Object.hasOwn(content, field.name) ? content[field.name] : undefined
    if (value === undefined && field.required) return "it lacks a field that is required"
    const why = value === undefined ? undefined : misfit(field, value)
    if (why !== undefined) return `one of its fields does not fit: ${why}`
  }
  return undefined
}
