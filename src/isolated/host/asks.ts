/** What a worker says that a call will ask for. It decides nothing: whatever the call really asks for is asked when it runs. */
import { Effect, Schema } from "effect"
import type { Ask } from "../../tools/Ask.js"
import { answerOf, type Denials } from "./answer.js"

const Text = Schema.String.pipe(Schema.maxLength(8192))

const optional = <A, I>(schema: Schema.Schema<A, I>) => Schema.optional(schema)

const Asked = Schema.Union(
  Schema.TaggedStruct("Http", { method: Text, url: Text }),
  Schema.TaggedStruct("File", { action: Schema.Literal("read", "write", "delete"), path: Text }),
  Schema.TaggedStruct("Exec", { argv: Schema.Array(Text).pipe(Schema.maxItems(256)), cwd: optional(Text) }),
  Schema.TaggedStruct("Shell", { cwd: optional(Text) }),
  Schema.TaggedStruct("Secret", { ref: Text }),
  Schema.TaggedStruct("Sealed", { ref: Text, url: Text, place: Text }),
  Schema.TaggedStruct("Storage", {}),
  Schema.TaggedStruct("Attachment", { ref: Text }),
  Schema.TaggedStruct("Records", {}),
  Schema.TaggedStruct("Record", {
    action: Schema.Literal("read", "create", "update", "delete"),
    id: Text,
    class: optional(Text),
    writes: Schema.Struct({
      authority: Schema.Boolean,
      others: Schema.Boolean,
      proposes: optional(Schema.Record({ key: Schema.String, value: Schema.Unknown }))
    })
  }),
  Schema.TaggedStruct("Grant", { agent: Text, grants: Schema.Array(Text).pipe(Schema.maxItems(256)) })
)

const read = Schema.decodeUnknown(Schema.Array(Asked).pipe(Schema.maxItems(256)))

/** Fails where it cannot be read: nobody could say then that the call is allowed. */
export const asksOf = (value: unknown, denials: Denials): Effect.Effect<ReadonlyArray<Ask>, unknown> =>
  Effect.flatMap(answerOf(value, denials), (asks) =>
    Effect.mapError(read(asks), () => "what it says that it will ask for cannot be read, or is too much")
  )
