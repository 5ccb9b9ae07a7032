/** A property of the schema of a form as a field, and a field as such a property again. */
import { Either, Schema } from "effect"
import type { Choice, Field } from "../../registry/inquiry/Elicitation.js"
import type { Revision } from "../protocol/Message.js"
import { own } from "../protocol/ReadMessage.js"

const optional = <A, I>(schema: Schema.Schema<A, I>) => Schema.optionalWith(schema, { exact: true })

const Count = Schema.Int.pipe(Schema.nonNegative())

const MOST_CHOICES = 256

const few = <A, I>(schema: Schema.Schema<A, I>) =>
  Schema.NonEmptyArray(schema).pipe(Schema.maxItems(MOST_CHOICES))

const Titled = Schema.Struct({ const: Schema.String, title: Schema.String })

const words = { title: optional(Schema.String), description: optional(Schema.String) }

const Text = Schema.Struct({
  ...words,
  minLength: optional(Count),
  maxLength: optional(Count),
  format: optional(Schema.Literal("email", "uri", "date", "date-time")),
  default: optional(Schema.String)
})

const Numeric = Schema.Struct({
  ...words,
  minimum: optional(Schema.Finite),
  maximum: optional(Schema.Finite),
  default: optional(Schema.Finite)
})

const YesNo = Schema.Struct({ ...words, default: optional(Schema.Boolean) })

const Enum = Schema.Struct({
  ...words,
  enum: few(Schema.String),
  enumNames: optional(Schema.Array(Schema.String)),
  default: optional(Schema.String)
})

const OneOf = Schema.Struct({ ...words, oneOf: few(Titled), default: optional(Schema.String) })

const SomeOf = Schema.Struct({
  ...words,
  items: Schema.Union(
    Schema.Struct({ anyOf: few(Titled) }),
    Schema.Struct({ type: Schema.Literal("string"), enum: few(Schema.String) })
  ),
  minItems: optional(Count),
  maxItems: optional(Count),
  default: optional(Schema.Array(Schema.String))
})

type Chosen = typeof Choice.Type
type Choices = readonly [Chosen, ...Array<Chosen>]

const untitled = (
  [first, ...rest]: readonly [string, ...Array<string>],
  names: ReadonlyArray<string> = []
): Choices => {
  const of = (value: string, at: number) => ({ value, title: names[at] ?? value })
  return [of(first, 0), ...rest.map((value, at) => of(value, at + 1))]
}

const titled = ([first, ...rest]: readonly [typeof Titled.Type, ...Array<typeof Titled.Type>]): Choices => {
  const of = ({ const: value, title }: typeof Titled.Type) => ({ value, title })
  return [of(first), ...rest.map(of)]
}

interface Named {
  readonly name: string
  readonly required: boolean
}

type Read = Either.Either<Field, unknown>

const as =
  <A, I>(schema: Schema.Schema<A, I>, make: (given: A) => Field) =>
  (value: unknown): Read =>
    Either.map(Schema.decodeUnknownEither(schema)(value), make)

const reader = (value: unknown, named: Named): ((value: unknown) => Read) | undefined => {
  switch (own(value, "type")) {
    case "string":
      if (own(value, "oneOf") !== undefined) {
        return as(OneOf, ({ oneOf, ...rest }) => ({
          _tag: "OneOf",
          ...named,
          ...rest,
          choices: titled(oneOf)
        }))
      }
      return own(value, "enum") === undefined
        ? as(Text, (given) => ({ _tag: "Text", ...named, ...given }))
        : as(Enum, ({ enum: values, enumNames, ...rest }) => ({
            _tag: "OneOf",
            ...named,
            ...rest,
            choices: untitled(values, enumNames)
          }))
    case "number":
    case "integer": {
      const isWhole = own(value, "type") === "integer"
      return as(Numeric, (given) => ({ _tag: "Number", isWhole, ...named, ...given }))
    }
    case "boolean":
      return as(YesNo, (given) => ({ _tag: "YesNo", ...named, ...given }))
    case "array":
      return as(SomeOf, ({ items, maxItems, minItems, ...rest }) => ({
        _tag: "SomeOf",
        ...named,
        ...rest,
        choices: "anyOf" in items ? titled(items.anyOf) : untitled(items.enum),
        ...(minItems === undefined ? {} : { least: minItems }),
        ...(maxItems === undefined ? {} : { most: maxItems })
      }))
    default:
      return undefined
  }
}

/** Nothing where it is none of the kinds that the protocol has. */
export const fieldOf = (value: unknown, named: Named): Field | undefined => {
  const read = reader(value, named)?.(value)
  return read !== undefined && Either.isRight(read) ? read.right : undefined
}

const consts = (choices: Choices) => choices.map(({ title, value }) => ({ const: value, title }))

/** The earlier revision has another word for titles, and no list of choices: of such there is nothing. */
export const propertyOf = (field: Field, revision: Revision): object | undefined => {
  const { _tag, name: _, required: __, ...rest } = field
  switch (field._tag) {
    case "Text":
      return { type: "string", ...rest }
    case "Number": {
      const { isWhole, name: _, required: __, _tag: ___, ...bounds } = field
      return { type: isWhole ? "integer" : "number", ...bounds }
    }
    case "YesNo":
      return { type: "boolean", ...rest }
    case "OneOf": {
      const { choices, name: _, required: __, _tag: ___, ...words } = field
      return revision === "2025-06-18"
        ? {
            type: "string",
            enum: choices.map(({ value }) => value),
            enumNames: choices.map(({ title }) => title),
            ...words
          }
        : { type: "string", oneOf: consts(choices), ...words }
    }
    case "SomeOf": {
      const { choices, least, most, name: _, required: __, _tag: ___, ...words } = field
      return revision === "2025-06-18"
        ? undefined
        : {
            type: "array",
            items: { anyOf: consts(choices) },
            ...(least === undefined ? {} : { minItems: least }),
            ...(most === undefined ? {} : { maxItems: most }),
            ...words
          }
    }
  }
}
