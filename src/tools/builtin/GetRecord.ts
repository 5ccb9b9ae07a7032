/**
 * @since 0.1.0
 */
import { Effect, Schema } from "effect"
import { RecordEntry, Records } from "../../capabilities/Records.js"
import * as Ask from "../Ask.js"
import * as Tool from "../Tool.js"
import { id } from "./internal/records.js"

/**
 * @since 0.1.0
 * @category tools
 */
export const getRecord = Tool.make({
  name: "get_record",
  description:
    "Reads a record: its front matter, its text, the records that it links to and those that link to it. The revision " +
    "is for update_record.",
  parameters: Schema.Struct({ id }),
  success: Schema.Struct({
    ...RecordEntry.fields,
    links: Schema.Array(Schema.String),
    backlinks: Schema.Array(Schema.String)
  }),
  readOnly: true,
  category: "records",
  outputIsUntrusted: true,
  needs: ["records.read"],
  capabilities: { records: { verbs: ["read"] } },
  asks: ({ id }) => [Ask.record("read", id)],
  execute: ({ id }) =>
    Effect.gen(function* () {
      const entry = yield* Records.get(id)
      return { ...entry, links: yield* Records.links(id), backlinks: yield* Records.backlinks(id) }
    })
})
