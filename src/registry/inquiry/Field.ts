/**
 * One thing that a form asks for, and what may be filled in.
 *
 * @since 0.1.0
 */
import { Schema } from "effect"

const optional = <A, I>(schema: Schema.Schema<A, I>) => Schema.optionalWith(schema, { exact: true })

const Count = Schema.Int.pipe(Schema.nonNegative())

const common = {
  name: Schema.String,
  title: optional(Schema.String),
  description: optional(Schema.String),
  required: Schema.Boolean
}

/**
 * A value that may be chosen, and how it is shown.
 *
 * @since 0.1.0
 * @category schemas
 */
export const Choice = Schema.Struct({ value: Schema.String, title: Schema.String })

/**
 * One thing that is asked for.
 *
 * @since 0.1.0
 * @category schemas
 */
export const Field = Schema.Union(
  Schema.TaggedStruct("Text", {
    ...common,
    minLength: optional(Count),
    maxLength: optional(Count),
    format: optional(Schema.Literal("email", "uri", "date", "date-time")),
    default: optional(Schema.String)
  }),
  Schema.TaggedStruct("Number", {
    ...common,
    isWhole: Schema.Boolean,
    minimum: optional(Schema.Finite),
    maximum: optional(Schema.Finite),
    default: optional(Schema.Finite)
  }),
  Schema.TaggedStruct("YesNo", { ...common, default: optional(Schema.Boolean) }),
  Schema.TaggedStruct("OneOf", {
    ...common,
    choices: Schema.NonEmptyArray(Choice),
    default: optional(Schema.String)
  }),
  Schema.TaggedStruct("SomeOf", {
    ...common,
    choices: Schema.NonEmptyArray(Choice),
    least: optional(Count),
    most: optional(Count),
    default: optional(Schema.Array(Schema.String))
  })
)

/**
 * @since 0.1.0
 * @category models
 */
export type Field = typeof Field.Type

/**
 * @since 0.1.0
 * @category schemas
 */
export const Value = Schema.Union(Schema.String, Schema.Finite, Schema.Boolean, Schema.Array(Schema.String))

/**
 * @since 0.1.0
 * @category models
 */
export type Value = typeof Value.Type
