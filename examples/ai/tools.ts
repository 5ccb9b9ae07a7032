/** Two tools of a notebook. What of it they may touch is for the policy to say. */
import { Files, Tool } from "bailiwick"
import { Effect, Schema } from "effect"

export const readNote = Tool.make({
  name: "read_note",
  description: "Reads a note of the notebook",
  parameters: Schema.Struct({ path: Schema.String }),
  success: Schema.String,
  readOnly: true,
  capabilities: { fs_reach: { read: "from-personality" } },
  execute: ({ path }) => Files.read(path)
})

export const writeNote = Tool.make({
  name: "write_note",
  description: "Writes a note of the notebook",
  parameters: Schema.Struct({ path: Schema.String, content: Schema.String }),
  capabilities: { fs_reach: { write: "from-personality" } },
  execute: ({ content, path }) => Effect.as(Files.write(path, content), `wrote ${path}`)
})
