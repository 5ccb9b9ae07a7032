import { describe, expect, it } from "@effect/vitest"
import { Storage, Tool } from "bailiwick"
import { Effect } from "effect"
import { addNote, listNotes } from "./notes.js"

describe("the note store", () => {
  it.effect("gives every note a number of its own, even when they arrive at once", () =>
    Effect.gen(function* () {
      const texts = Array.from({ length: 12 }, (_, i) => `note ${i}`)
      const ids = yield* Effect.forEach(texts, (text) => Tool.run(addNote, { text }), {
        concurrency: "unbounded"
      })
      expect(new Set(ids.map(({ id }) => id)).size).toBe(12)
      const notes = yield* Tool.run(listNotes, {})
      expect([...notes].sort()).toEqual([...texts].sort())
    }).pipe(Effect.provide(Storage.mock()))
  )

  it.effect("is empty at first", () =>
    Effect.gen(function* () {
      expect(yield* Tool.run(listNotes, {})).toEqual([])
    }).pipe(Effect.provide(Storage.mock()))
  )
})
