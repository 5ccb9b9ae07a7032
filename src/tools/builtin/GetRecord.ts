/**
 * @since 0.1.0
 */
import { Schema } from "effect"
import { Records } from "../../capabilities/records/Records.js"
import { RecordEntry } from "../../capabilities/records/RecordsOperations.js"
import * as Ask from "../Ask.js"
import * as Tool from "../Tool.js"
import { id } from "./records.js"

/**
 * @since 0.1.0
 * @category tools
 */
export const getRecord = Tool.make({
  name: "get_record",
  description:
    "Reads a record: its front matter and its text, in which [[id]] is a link to another. The revision is for " +
    "update_record.",
  parameters: Schema.Struct({ id }),
  success: RecordEntry,
  readOnly: true,
  category: "records",
  outputIsUntrusted: true,
  needs: ["records.read"],
  capabilities: { records: { verbs: ["read"] } },
  asks: ({ id }) => [Ask.record("read", id)],
  execute: ({ id }) => Records.get(id)
})
