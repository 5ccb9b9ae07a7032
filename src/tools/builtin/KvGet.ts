/**
 * @since 0.1.0
 */
import { Effect, Option, Schema } from "effect"
import { Storage } from "../../capabilities/storage/Storage.js"
import * as Tool from "../Tool.js"
import { asksStorage, key, session } from "./session.js"

/**
 * @since 0.1.0
 * @category tools
 */
export const kvGet = Tool.make({
  name: "kv_get",
  description: "Reads an entry of this session's key-value store. The value is null when there is none.",
  parameters: Schema.Struct({ key }),
  success: Schema.Struct({ key: Schema.String, value: Schema.NullOr(Schema.String) }),
  readOnly: true,
  category: "storage",
  outputIsUntrusted: true,
  capabilities: session,
  asks: asksStorage,
  execute: ({ key }) => Effect.map(Storage.get(key), (value) => ({ key, value: Option.getOrNull(value) }))
})
