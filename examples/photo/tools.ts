/** Two tools that look at what came with a message: each sees the kind that it declares, and no other. */
import { Attachments, Tool } from "bailiwick"
import { Effect, Schema } from "effect"

export const lookAtPhoto = Tool.make({
  name: "look_at_photo",
  description: "What a photo shows",
  parameters: Schema.Struct({ ref: Schema.String }),
  success: Schema.String,
  readOnly: true,
  outputIsUntrusted: true,
  capabilities: { attachments: { kinds: ["image"] } },
  execute: ({ ref }) =>
    Effect.map(Attachments.read(ref), (bytes) => new TextDecoder().decode(bytes.subarray(4)))
})

export const readDocument = Tool.make({
  name: "read_document",
  description: "The text of a document",
  parameters: Schema.Struct({ ref: Schema.String }),
  success: Schema.String,
  readOnly: true,
  outputIsUntrusted: true,
  capabilities: { attachments: { kinds: ["file"] } },
  execute: ({ ref }) => Effect.map(Attachments.read(ref), (bytes) => new TextDecoder().decode(bytes))
})
