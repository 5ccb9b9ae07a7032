/**
 * @since 0.1.0
 */
import { Effect, Schema } from "effect"
import { Records } from "../../capabilities/records/Records.js"
import { RecordSummary } from "../../capabilities/records/RecordsOperations.js"
import * as Ask from "../Ask.js"
import * as Tool from "../Tool.js"
import { described, optional } from "./fields.js"

/**
 * @since 0.1.0
 * @category tools
 */
export const searchRecords = Tool.make({
  name: "search_records",
  description:
    "Finds records by their words, best first. All words must be there; the last may be the start of one.",
  parameters: Schema.Struct({
    query: described(Schema.String, "The words to look for"),
    class: optional(Schema.String, "Only records of this class"),
    limit: optional(Schema.Int.pipe(Schema.positive()), "How many to answer with at most; 20 otherwise")
  }),
  success: Schema.Struct({ records: Schema.Array(RecordSummary) }),
  readOnly: true,
  category: "records",
  outputIsUntrusted: true,
  needs: ["records.read"],
  capabilities: { records: { verbs: ["read"] } },
  asks: () => [Ask.records],
  execute: (search) => Effect.map(Records.search(search), (records) => ({ records }))
})
