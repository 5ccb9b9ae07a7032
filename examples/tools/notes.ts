/** Keeps notes for as long as the session lasts, and counts them without losing one to a race. */
import { Storage, Tool } from "bailiwick"
import { Effect, Option, Schema } from "effect"

const COUNT = "count"

const next = (current: Option.Option<string>): Option.Option<string> =>
  Option.some(String(Option.match(current, { onNone: () => 1, onSome: (count) => Number(count) + 1 })))

export const addNote = Tool.make({
  name: "add_note",
  description: "Remembers a note until the session ends",
  parameters: Schema.Struct({ text: Schema.NonEmptyString }),
  success: Schema.Struct({ id: Schema.String }),
  capabilities: { storage: { scope: "session", kind: "kv", ttlSecondsDefault: 86_400 } },
  execute: ({ text }) =>
    Effect.gen(function* () {
      const count = yield* Storage.update(COUNT, next)
      const id = `note/${Option.getOrElse(count, () => "1")}`
      yield* Storage.set(id, text)
      return { id }
    })
})

export const listNotes = Tool.make({
  name: "list_notes",
  description: "All notes of the session, oldest first",
  parameters: Schema.Struct({}),
  success: Schema.Array(Schema.String),
  readOnly: true,
  capabilities: { storage: { scope: "session", kind: "kv" } },
  execute: () =>
    Effect.gen(function* () {
      const ids = yield* Storage.list("note/")
      const byNumber = [...ids].sort((a, b) => Number(a.slice(5)) - Number(b.slice(5)))
      const texts = yield* Effect.forEach(byNumber, (id) => Storage.get(id))
      return texts.flatMap(Option.toArray)
    })
})
