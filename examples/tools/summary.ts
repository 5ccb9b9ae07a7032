/** Reads the Markdown files of a directory that the policy chooses, and says what each is about. */
import { Files, Tool } from "bailiwick"
import { Effect, Schema } from "effect"

const Summary = Schema.Struct({ file: Schema.String, title: Schema.String, words: Schema.Number })

const summarise = (file: string, text: string): typeof Summary.Type => ({
  file,
  title: /^#\s+(.+)$/m.exec(text)?.[1] ?? file,
  words: text.split(/\s+/).filter((word) => word !== "").length
})

export const summariseFiles = Tool.make({
  name: "summarise_files",
  description: "Title and length of every Markdown file in a directory",
  parameters: Schema.Struct({ directory: Schema.String }),
  success: Schema.Array(Summary),
  readOnly: true,
  resultLimit: 20_000,
  capabilities: { fs_reach: { read: "from-personality" } },
  execute: ({ directory }) =>
    Effect.gen(function* () {
      const names = (yield* Files.list(directory)).filter((name) => name.endsWith(".md"))
      return yield* Effect.forEach(names, (name, done) =>
        Files.read(`${directory}/${name}`).pipe(
          Effect.map((text) => summarise(name, text)),
          Effect.zipLeft(Tool.progress(`read ${name}`, { done: done + 1, total: names.length }))
        )
      )
    })
})
