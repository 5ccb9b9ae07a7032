/**
 * Sampling: a server asks for an answer of the model that its user has. All that it asks with is a stranger's.
 *
 * @since 0.1.0
 */
import { Schema } from "effect"

const data = <const T extends string>(type: T) =>
  Schema.Struct({ type: Schema.Literal(type), data: Schema.String, mimeType: Schema.String })

/**
 * A text, a picture or a sound; the data of the latter two are base64.
 *
 * @since 0.1.0
 * @category schemas
 */
export const Content = Schema.Union(
  Schema.Struct({ type: Schema.Literal("text"), text: Schema.String }),
  data("image"),
  data("audio")
)

/**
 * @since 0.1.0
 * @category models
 */
export type Content = typeof Content.Type

/**
 * @since 0.1.0
 * @category schemas
 */
export const Message = Schema.Struct({ role: Schema.Literal("user", "assistant"), content: Content })

const optional = <A, I>(schema: Schema.Schema<A, I>) => Schema.optionalWith(schema, { exact: true })

const Share = Schema.Finite.pipe(Schema.between(0, 1))

/**
 * Which model a server would like; nobody has to follow it.
 *
 * @since 0.1.0
 * @category schemas
 */
export const Preferences = Schema.Struct({
  hints: optional(Schema.Array(Schema.Struct({ name: optional(Schema.String) }))),
  costPriority: optional(Share),
  speedPriority: optional(Share),
  intelligencePriority: optional(Share)
})

/**
 * What a server asks a model. It asks for no tools and for no context of others: neither is passed on.
 *
 * @since 0.1.0
 * @category schemas
 */
export const Request = Schema.Struct({
  messages: Schema.NonEmptyArray(Message),
  maxTokens: Schema.Int.pipe(Schema.positive()),
  systemPrompt: optional(Schema.String),
  temperature: optional(Schema.Finite),
  stopSequences: optional(Schema.Array(Schema.String)),
  modelPreferences: optional(Preferences)
})

/**
 * @since 0.1.0
 * @category models
 */
export interface Request extends Schema.Schema.Type<typeof Request> {}

/**
 * What the model said, and which model it was.
 *
 * @since 0.1.0
 * @category schemas
 */
export const Answer = Schema.Struct({
  content: Content,
  model: Schema.String,
  stopReason: optional(Schema.String)
})

/**
 * @since 0.1.0
 * @category models
 */
export interface Answer extends Schema.Schema.Type<typeof Answer> {}
