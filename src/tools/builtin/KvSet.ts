/**
 * @since 0.1.0
 */
import { Effect, Schema } from "effect"
import { Storage } from "../../capabilities/storage/Storage.js"
import { Lifetime } from "../../capabilities/storage/StorageOperations.js"
import * as Tool from "../Tool.js"
import { described, optional } from "./fields.js"
import { asksStorage, key, session } from "./session.js"

/**
 * @since 0.1.0
 * @category tools
 */
export const kvSet = Tool.make({
  name: "kv_set",
  description: "Writes an entry of this session's key-value store, in place of what was there.",
  parameters: Schema.Struct({
    key,
    value: described(Schema.String, "The text to keep"),
    ttlSeconds: optional(Lifetime, "After how many seconds to forget it")
  }),
  success: Schema.Struct({ key: Schema.String, stored: Schema.Literal(true) }),
  category: "storage",
  capabilities: session,
  asks: asksStorage,
  execute: ({ key, ttlSeconds, value }) =>
    Effect.as(Storage.set(key, value, ttlSeconds === undefined ? {} : { ttlSeconds }), {
      key,
      stored: true as const
    })
})
