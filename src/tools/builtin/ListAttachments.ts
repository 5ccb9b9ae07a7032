/**
 * @since 0.1.0
 */
import { Effect, Schema } from "effect"
import { Attachments } from "../../capabilities/attachments/Attachments.js"
import { Attachment } from "../../capabilities/attachments/AttachmentsOperations.js"
import * as Tool from "../Tool.js"

/** Where an attachment lies is nothing to a model: its ref stands for it. */
const Listed = Attachment.omit("url")

/**
 * @since 0.1.0
 * @category tools
 */
export const listAttachments = Tool.make({
  name: "list_attachments",
  description:
    "Lists the files that came with this turn, each with the ref by which read_attachment reads it.",
  parameters: Schema.Struct({}),
  success: Schema.Struct({ attachments: Schema.Array(Listed) }),
  readOnly: true,
  category: "attachments",
  outputIsUntrusted: true,
  capabilities: { attachments: { kinds: "*" } },
  execute: () =>
    Effect.map(Attachments.list(), (all) => ({
      attachments: all.map(({ url: _, ...listed }) => listed)
    }))
})
