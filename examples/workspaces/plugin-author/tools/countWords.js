import { Tool } from "bailiwick"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"

const Counts = Schema.Struct({ words: Schema.Int, lines: Schema.Int })

export const countWords = Tool.make({
  name: "acme_count_words",
  description: "How many words and lines a text has",
  parameters: Schema.Struct({ text: Schema.String }),
  success: Counts,
  readOnly: true,
  capabilities: {},
  execute: ({ text }) =>
    Effect.succeed({
      words: text.split(/\s+/).filter((word) => word !== "").length,
      lines: text === "" ? 0 : text.trimEnd().split("\n").length
    })
})
