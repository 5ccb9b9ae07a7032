/**
 * @since 0.1.0
 */
import { Effect, Schema } from "effect"
import { Storage } from "../../capabilities/storage/Storage.js"
import * as Tool from "../Tool.js"
import { asksStorage, key, session } from "./session.js"

/**
 * @since 0.1.0
 * @category tools
 */
export const kvDelete = Tool.make({
  name: "kv_delete",
  description: "Removes an entry of this session's key-value store, if it is there.",
  parameters: Schema.Struct({ key }),
  success: Schema.Struct({ key: Schema.String, deleted: Schema.Literal(true) }),
  category: "storage",
  capabilities: session,
  asks: asksStorage,
  execute: ({ key }) => Effect.as(Storage.delete(key), { key, deleted: true as const })
})
