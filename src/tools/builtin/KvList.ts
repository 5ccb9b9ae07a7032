/**
 * @since 0.1.0
 */
import { Effect, Schema } from "effect"
import { Storage } from "../../capabilities/storage/Storage.js"
import * as Tool from "../Tool.js"
import { optional } from "./fields.js"
import { asksStorage, session } from "./session.js"

/**
 * @since 0.1.0
 * @category tools
 */
export const kvList = Tool.make({
  name: "kv_list",
  description: "Lists the keys of this session's key-value store.",
  parameters: Schema.Struct({ prefix: optional(Schema.String, "Only keys that start with this") }),
  success: Schema.Struct({ keys: Schema.Array(Schema.String) }),
  readOnly: true,
  category: "storage",
  outputIsUntrusted: true,
  capabilities: session,
  asks: asksStorage,
  execute: ({ prefix }) => Effect.map(Storage.list(prefix), (keys) => ({ keys: [...keys].sort() }))
})
