/** What a worker says that a call will ask for. It decides nothing: whatever the call really asks for is asked when it runs. */
import { Either, Schema } from "effect"
import type { Ask } from "../../tools/Ask.js"

const Text = Schema.String.pipe(Schema.maxLength(8192))

const optional = <A, I>(schema: Schema.Schema<A, I>) => Schema.optional(schema)

const Asked = Schema.Union(
  Schema.TaggedStruct("Http", { method: Text, url: Text }),
  Schema.TaggedStruct("File", { action: Schema.Literal("read", "write", "delete"), path: Text }),
  Schema.TaggedStruct("Exec", { argv: Schema.Array(Text).pipe(Schema.maxItems(256)), cwd: optional(Text) }),
  Schema.TaggedStruct("Shell", { cwd: optional(Text) }),
  Schema.TaggedStruct("Secret", { ref: Text }),
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

const Answer = Schema.Struct({ asks: Schema.Array(Asked).pipe(Schema.maxItems(256)) })

/** Nothing, where it cannot be read. */
export const asksIn = (value: unknown): ReadonlyArray<Ask> =>
  Either.match(Schema.decodeUnknownEither(Answer)(value), { onLeft: () => [], onRight: ({ asks }) => asks })
