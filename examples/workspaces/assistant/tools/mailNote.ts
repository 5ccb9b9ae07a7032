/** Mails a note to somebody among the contacts. An address that nobody wrote down is never written to. */
import { Records, Storage, Tool } from "bailiwick"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import { Mail, MailNotSent } from "../services/Mail.ts"

class NoAddress extends Schema.TaggedError<NoAddress>()("NoAddress", { contact: Schema.String }) {
  override get message(): string {
    return `${this.contact} is no contact with an email; name one such as contacts/ada`
  }
}

class NoNote extends Schema.TaggedError<NoNote>()("NoNote", { note: Schema.String }) {
  override get message(): string {
    return `${this.note} is no note; find its id with search_records`
  }
}

const addressOf = Schema.decodeUnknownOption(
  Schema.Struct({ email: Schema.String.pipe(Schema.pattern(/^[^\s@<>]+@[^\s@<>]+$/)) })
)

const titleOf = Schema.decodeUnknownOption(Schema.Struct({ title: Schema.String }))

const ADDRESSEE = "The id of a contact, such as contacts/ada; not an address"

export const mailNote = Tool.make({
  name: "mail_note",
  description: "Mails a note to a contact. A note that has not changed is mailed to a contact once.",
  parameters: Schema.Struct({
    note: Schema.String.annotations({ description: "The id of a note, such as notes/groceries" }),
    to: Schema.String.annotations({ description: ADDRESSEE })
  }),
  success: Schema.Struct({ subject: Schema.String, to: Schema.String, sent: Schema.Boolean }),
  failure: Schema.Union(NoNote, NoAddress, MailNotSent),
  capabilities: {
    records: { verbs: ["read"], classes: ["note", "contact"] },
    storage: { scope: "tool-private", kind: "kv" }
  },
  services: [Mail],
  execute: ({ note: id, to: contact }) =>
    Effect.gen(function* () {
      const note = yield* Records.get(id)
      if (note.class !== "note") return yield* new NoNote({ note: id })
      const { class: kind, frontMatter } = yield* Records.get(contact)
      const address = kind === "contact" ? addressOf(frontMatter) : Option.none()
      if (Option.isNone(address)) return yield* new NoAddress({ contact })
      const subject = Option.match(titleOf(note.frontMatter), {
        onNone: () => id,
        onSome: ({ title }) => title
      })
      const { email } = address.value
      const key = `sent/${id}/${contact}`
      if (Option.contains(yield* Storage.get(key), note.revision)) return { subject, to: email, sent: false }
      yield* Effect.flatMap(Mail, (mail) => mail.send({ to: email, subject, text: note.body }))
      yield* Storage.set(key, note.revision)
      return { subject, to: email, sent: true }
    })
})
