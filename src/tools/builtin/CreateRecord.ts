/**
 * @since 0.1.0
 */
import { Schema } from "effect"
import { Records } from "../../capabilities/records/Records.js"
import { RecordEntry } from "../../capabilities/records/RecordsOperations.js"
import * as Ask from "../Ask.js"
import * as Tool from "../Tool.js"
import { optional } from "./fields.js"
import { body, frontMatter, id, writes } from "./records.js"

/**
 * @since 0.1.0
 * @category tools
 */
export const createRecord = Tool.make({
  name: "create_record",
  description:
    "Writes a new record. One of class agent is a new agent: its capabilities, access and sandbox are what it may do, " +
    "and never more than the one who makes it holds.",
  parameters: Schema.Struct({
    id,
    class: optional(Schema.String, "What kind of record it is"),
    frontMatter: frontMatter("What is written above the text, such as title and tags"),
    body
  }),
  success: RecordEntry,
  category: "records",
  needs: ["records.create", "agents.create"],
  capabilities: { records: { verbs: ["create"] }, agents: { verbs: ["create", "grant"] } },
  asks: ({ body, class: given, frontMatter, id }) => [
    Ask.record("create", id, {
      class: typeof frontMatter?.class === "string" ? frontMatter.class : given,
      writes: writes(frontMatter, body)
    })
  ],
  execute: (draft) => Records.create(draft)
})
