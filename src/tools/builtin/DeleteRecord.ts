/**
 * @since 0.1.0
 */
import { Effect, Schema } from "effect"
import { Records } from "../../capabilities/records/Records.js"
import * as Ask from "../Ask.js"
import * as Tool from "../Tool.js"
import { id } from "./records.js"

/**
 * @since 0.1.0
 * @category tools
 */
export const deleteRecord = Tool.make({
  name: "delete_record",
  description: "Deletes a record. It goes to the trash, from where only an operator brings it back.",
  parameters: Schema.Struct({ id }),
  success: Schema.Struct({ id: Schema.String, deleted: Schema.Literal(true) }),
  category: "records",
  needs: ["records.delete", "agents.delete"],
  capabilities: { records: { verbs: ["delete"] }, agents: { verbs: ["delete"] } },
  asks: ({ id }) => [Ask.record("delete", id)],
  execute: ({ id }) => Effect.as(Records.delete(id), { id, deleted: true as const })
})
