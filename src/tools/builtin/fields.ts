/** Parameters as the built-in tools write them: each with the words that a model reads. */
import { Schema } from "effect"

export const described = <A, I>(schema: Schema.Schema<A, I>, description: string): Schema.Schema<A, I> =>
  schema.annotations({ description })

export const optional = <A, I>(schema: Schema.Schema<A, I>, description: string) =>
  Schema.optionalWith(described(schema, description), { exact: true })

export const path = described(
  Schema.String,
  "A path, absolute or relative to the working directory; '~/' is home"
)

export const Encoding = Schema.Literal("utf8", "base64")

export const cwd = optional(
  Schema.String,
  "The directory to run in; without it, the working directory, or the root that commands are held to"
)

/** Text with something in it: what holds blanks alone is no input. */
export const Something = Schema.String.pipe(
  Schema.pattern(/\S/, { message: () => "is blank; write what to run" })
)

export const timeoutMs = optional(
  Schema.Int.pipe(Schema.positive()),
  "How many milliseconds it may take before it is ended"
)
