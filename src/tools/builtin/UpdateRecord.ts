/**
 * @since 0.1.0
 */
import { Schema } from "effect"
import { Records } from "../../capabilities/records/Records.js"
import { RecordEntry } from "../../capabilities/records/RecordsOperations.js"
import * as Ask from "../Ask.js"
import * as Tool from "../Tool.js"
import { optional } from "./fields.js"
import { body, classOf, frontMatter, id, writes } from "./records.js"

/**
 * @since 0.1.0
 * @category tools
 */
export const updateRecord = Tool.make({
  name: "update_record",
  description:
    "Changes a record. The keys of the front matter are merged into what is there, null removes one; the text is " +
    "replaced when it is given, and stays as it is otherwise. With a revision, a record that was changed since is " +
    "left alone.",
  parameters: Schema.Struct({
    id,
    frontMatter: frontMatter("The keys to set; null removes a key"),
    body,
    revision: optional(
      Schema.String,
      "The revision that was read: the change is refused if there is another by now"
    )
  }),
  success: RecordEntry,
  category: "records",
  outputIsUntrusted: true,
  needs: ["records.update", "agents.update", "agents.grant"],
  capabilities: {
    records: { verbs: ["update", "create"] },
    agents: { verbs: ["create", "update", "delete", "grant"] }
  },
  asks: ({ body, frontMatter, id }) => [
    Ask.record("update", id, {
      class: classOf(frontMatter?.class),
      writes: writes(frontMatter, body)
    })
  ],
  execute: (change) => Records.update(change)
})
