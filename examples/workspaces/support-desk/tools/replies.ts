/** Answering in two steps: a draft is kept for the session, and only what was drafted is sent. */
import { Storage, Tool } from "bailiwick"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import { Desk, NoSuchTicket, TicketClosed } from "../services/Desk.ts"

const draftOf = (id: number): string => `draft/${id}`

export const draftReply = Tool.make({
  name: "draft_reply",
  description: "Keeps a reply to a ticket until it is sent",
  parameters: Schema.Struct({ id: Schema.Int, text: Schema.NonEmptyTrimmedString }),
  success: Schema.Struct({ id: Schema.Int, words: Schema.Int }),
  failure: NoSuchTicket,
  capabilities: { storage: { scope: "session", kind: "kv" } },
  services: [Desk],
  execute: ({ id, text }) =>
    Effect.gen(function* () {
      yield* Effect.flatMap(Desk, (desk) => desk.show(id))
      yield* Storage.set(draftOf(id), text)
      return { id, words: text.split(/\s+/).length }
    })
})

class NothingDrafted extends Schema.TaggedError<NothingDrafted>()("NothingDrafted", { id: Schema.Int }) {
  override get message(): string {
    return `nothing was drafted for ticket ${this.id} in this session; use draft_reply first`
  }
}

export const sendReply = Tool.make({
  name: "send_reply",
  description: "Sends the draft of a ticket to the customer",
  parameters: Schema.Struct({ id: Schema.Int }),
  success: Schema.Struct({ id: Schema.Int, sent: Schema.String }),
  failure: Schema.Union(NothingDrafted, NoSuchTicket, TicketClosed),
  capabilities: { storage: { scope: "session", kind: "kv" } },
  services: [Desk],
  execute: ({ id }) =>
    Effect.gen(function* () {
      const draft = yield* Storage.get(draftOf(id))
      if (Option.isNone(draft)) return yield* new NothingDrafted({ id })
      yield* Effect.flatMap(Desk, (desk) => desk.answer({ id, text: draft.value }))
      yield* Storage.delete(draftOf(id))
      return { id, sent: draft.value }
    })
})
