import { describe, expect, it } from "@effect/vitest"
import { Storage, Tool } from "bailiwick"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { Desk, NoSuchTicket } from "../services/Desk.ts"
import { layerAt } from "../services/sqlite.ts"
import { draftReply, findTickets, sendReply, showTicket } from "../tools/index.ts"

const desk = Layer.merge(layerAt(":memory:"), Storage.mock())

describe("the desk in SQLite", () => {
  it.effect("finds tickets by what is typed, and takes it for no pattern", () =>
    Effect.gen(function* () {
      expect((yield* Tool.run(findTickets, { text: "invoice" })).map(({ id }) => id)).toEqual([1])
      expect((yield* Tool.run(findTickets, { text: "", status: "open" })).map(({ id }) => id)).toEqual([2, 1])
      expect(yield* Tool.run(findTickets, { text: "%" })).toEqual([])
      expect(yield* Tool.run(findTickets, { text: "' OR 1=1 --" })).toEqual([])
    }).pipe(Effect.provide(desk))
  )

  it.effect("sends what was drafted, once", () =>
    Effect.gen(function* () {
      expect(yield* Tool.run(draftReply, { id: 2, text: "It is below your name." })).toEqual({
        id: 2,
        words: 5
      })
      yield* Tool.run(sendReply, { id: 2 })
      const { messages, status } = yield* Tool.run(showTicket, { id: 2 })
      expect(status).toBe("answered")
      expect(messages.at(-1)).toEqual({ author: "desk", text: "It is below your name." })
      expect((yield* Effect.flip(Tool.run(sendReply, { id: 2 }))).message).toContain("use draft_reply first")
    }).pipe(Effect.provide(desk))
  )

  it.effect("sends nothing into a closed ticket, and keeps the draft", () =>
    Effect.gen(function* () {
      yield* Tool.run(draftReply, { id: 3, text: "You are welcome." })
      for (const _ of [1, 2]) {
        expect((yield* Effect.flip(Tool.run(sendReply, { id: 3 }))).message).toBe("ticket 3 is closed")
      }
    }).pipe(Effect.provide(desk))
  )

  it.effect("is told apart from a file that is no database", () =>
    Effect.gen(function* () {
      const error = yield* Effect.flip(Layer.build(layerAt("/nowhere/desk.db")))
      expect(error._tag).toBe("DatabaseUnusable")
    }).pipe(Effect.scoped)
  )
})

describe("draft_reply", () => {
  it.effect("needs no database to be tested", () =>
    Effect.gen(function* () {
      const empty = Layer.mock(Desk, { show: (id) => new NoSuchTicket({ id }) })
      const error = yield* Effect.flip(
        Tool.run(draftReply, { id: 7, text: "Hello" }).pipe(Effect.provide([empty, Storage.mock()]))
      )
      expect(error.message).toBe("there is no ticket 7")
    })
  )
})
