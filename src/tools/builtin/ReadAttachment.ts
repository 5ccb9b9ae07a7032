/**
 * @since 0.1.0
 */
import { Effect, Schema } from "effect"
import { Attachments } from "../../capabilities/attachments/Attachments.js"
import * as Ask from "../Ask.js"
import * as Tool from "../Tool.js"
import { contents, countLines, inBase64, inText } from "./contents.js"
import { described, Encoding, optional } from "./fields.js"

/**
 * @since 0.1.0
 * @category tools
 */
export const readAttachment = Tool.make({
  name: "read_attachment",
  description:
    "Reads a file that came with this turn, by its ref. Text is given exactly as it is; for what is not text, ask " +
    "with encoding base64.",
  parameters: Schema.Struct({
    ref: described(Schema.String, "The ref of the attachment, such as att-0"),
    encoding: optional(Encoding, "utf8 for text (the default), base64 for bytes")
  }),
  success: Schema.Struct({ ref: Schema.String, ...contents }),
  readOnly: true,
  category: "attachments",
  outputIsUntrusted: true,
  capabilities: { attachments: { kinds: "*" } },
  asks: ({ ref }) => [Ask.attachment(ref)],
  execute: ({ encoding = "utf8", ref }) =>
    Effect.map(Attachments.read(ref), (bytes) => ({
      ref,
      ...(encoding === "base64"
        ? inBase64(bytes, false)
        : inText(bytes, { totalLines: countLines(bytes), truncated: false }))
    }))
})
