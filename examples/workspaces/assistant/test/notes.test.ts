import { describe, expect, it } from "@effect/vitest"
import { Declaration, Records, Storage, Tool } from "bailiwick"
import { TestRecords } from "bailiwick/testing"
import { Effect, Layer } from "effect"
import { type Letter, Mail } from "../services/Mail.ts"
import { jotNote, mailNote } from "../tools/index.ts"

const kept = [
  { id: "notes/cake", class: "note", frontMatter: { title: "Cake" }, body: "Bring it.\n" },
  { id: "contacts/ada", class: "contact", frontMatter: { email: "ada@example.com" } },
  { id: "contacts/bo", class: "contact", frontMatter: { title: "Bo" } },
  { id: "plans/secret", class: "plan", body: "Nobody knows." }
]

/** Keeps what was sent. */
const mailbox = () => {
  const letters: Array<Letter> = []
  const layer = Layer.succeed(Mail, { send: (letter) => Effect.sync(() => void letters.push(letter)) })
  return { letters, layer: Layer.mergeAll(layer, Records.mock(kept), Storage.mock()) }
}

describe("jot_note", () => {
  it.effect("writes a note under its title", () =>
    Effect.gen(function* () {
      const { id } = yield* Tool.run(jotNote, { title: "Call Ada, tomorrow!", text: "At nine.", tags: [] })
      expect(id).toBe("notes/call-ada-tomorrow")
      expect(yield* Records.get(id)).toMatchObject({
        class: "note",
        frontMatter: { title: "Call Ada, tomorrow!" },
        body: "At nine.\n"
      })
    }).pipe(Effect.provide(Records.mock([])))
  )

  it.effect("replaces no note", () =>
    Effect.gen(function* () {
      const error = yield* Effect.flip(Tool.run(jotNote, { title: "Cake", text: "Eaten.", tags: [] }))
      expect(error).toMatchObject({ code: "RECORD_EXISTS" })
    }).pipe(Effect.provide(Records.mock(kept)))
  )
})

describe("mail_note", () => {
  it.effect("sends a note to a contact, and again only when it has changed", () => {
    const { layer, letters } = mailbox()
    const call = Tool.run(mailNote, { note: "notes/cake", to: "contacts/ada" })
    return Effect.gen(function* () {
      expect(yield* call).toEqual({ subject: "Cake", to: "ada@example.com", sent: true })
      expect(yield* call).toMatchObject({ sent: false })
      yield* Records.update({ id: "notes/cake", body: "Eaten." })
      expect(yield* call).toMatchObject({ sent: true })
      expect(letters.map(({ text }) => text)).toEqual(["Bring it.\n", "Eaten."])
    }).pipe(Effect.provide(layer))
  })

  it.effect("sends nothing without a note, and a contact that has an address", () => {
    const { layer, letters } = mailbox()
    const refusal = (note: string, to: string) =>
      Effect.map(Effect.flip(Tool.run(mailNote, { note, to })), ({ message }) => message)
    return Effect.gen(function* () {
      expect(yield* refusal("notes/cake", "contacts/bo")).toContain("contacts/bo is no contact with an email")
      expect(yield* refusal("notes/cake", "notes/cake")).toContain("notes/cake is no contact with an email")
      expect(yield* refusal("contacts/ada", "contacts/ada")).toContain("contacts/ada is no note")
      expect(letters).toEqual([])
    }).pipe(Effect.provide(layer))
  })

  it.effect("reads nothing but notes and contacts", () =>
    Effect.gen(function* () {
      const authority = yield* Declaration.authority(mailNote.capabilities)
      const error = yield* Tool.run(mailNote, { note: "plans/secret", to: "contacts/ada" }).pipe(
        Effect.flip,
        Effect.provide(TestRecords.layerMemory(authority, kept))
      )
      expect(error).toMatchObject({ code: "RECORD_NOT_REACHABLE" })
    }).pipe(Effect.provide(mailbox().layer))
  )
})
