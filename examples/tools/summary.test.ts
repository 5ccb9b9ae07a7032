import { describe, expect, it } from "@effect/vitest"
import { Files, Tool } from "bailiwick"
import { Effect } from "effect"
import { summariseFiles } from "./summary.js"

describe("summarise_files", () => {
  it.effect("reads the Markdown files and leaves the others alone", () =>
    Effect.gen(function* () {
      const files = Files.mock({
        "/notes/a.md": "# Apples\n\nThey keep well.",
        "/notes/b.md": "no title here",
        "/notes/c.png": "not text"
      })
      const summaries = yield* Tool.run(summariseFiles, { directory: "/notes" }).pipe(Effect.provide(files))
      expect(summaries).toEqual([
        { file: "a.md", title: "Apples", words: 5 },
        { file: "b.md", title: "b.md", words: 3 }
      ])
    })
  )

  it.effect("fails, typed, when the directory is not there", () =>
    Effect.gen(function* () {
      const error = yield* Effect.flip(
        Tool.run(summariseFiles, { directory: "/nowhere" }).pipe(Effect.provide(Files.mock({})))
      )
      expect(error.code).toBe("NOT_FOUND")
    })
  )
})
