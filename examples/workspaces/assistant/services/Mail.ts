/** What tools know of the mailer: a letter, and no server, no password, no sender to choose. */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"

const Letter = Schema.Struct({ to: Schema.String, subject: Schema.String, text: Schema.String })

export type Letter = typeof Letter.Type

export class MailNotSent extends Schema.TaggedError<MailNotSent>()("MailNotSent", { why: Schema.String }) {
  override get message(): string {
    return `the mail was not sent: ${this.why}`
  }
}

export class Mail extends Context.Tag("assistant/Mail")<
  Mail,
  { readonly send: (letter: Letter) => Effect.Effect<void, MailNotSent> }
>() {
  /** What it takes and gives, so that it is served to tools in a process of their own too. */
  static readonly operations = {
    send: { payload: Letter, success: Schema.Void, failure: MailNotSent }
  }
}
