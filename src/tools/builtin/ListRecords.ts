/**
 * @since 0.1.0
 */
import { Effect, Schema } from "effect"
import { Records } from "../../capabilities/records/Records.js"
import { RecordSummary } from "../../capabilities/records/RecordsOperations.js"
import * as Ask from "../Ask.js"
import * as Tool from "../Tool.js"
import { optional } from "./fields.js"

/**
 * @since 0.1.0
 * @category tools
 */
export const listRecords = Tool.make({
  name: "list_records",
  description: "Lists records: of a class, with a tag, or all of them.",
  parameters: Schema.Struct({
    class: optional(Schema.String, "Only records of this class"),
    tag: optional(Schema.String, "Only records with this tag")
  }),
  success: Schema.Struct({ records: Schema.Array(RecordSummary) }),
  readOnly: true,
  category: "records",
  outputIsUntrusted: true,
  needs: ["records.read"],
  capabilities: { records: { verbs: ["read"] } },
  asks: () => [Ask.records],
  execute: (filter) => Effect.map(Records.list(filter), (records) => ({ records }))
})
