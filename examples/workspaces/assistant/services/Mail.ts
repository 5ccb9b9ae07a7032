/** What tools know of the mailer: a letter, and no server, no password, no sender to choose. */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"

export interface Letter {
  readonly to: string
  readonly subject: string
  readonly text: string
}

export class MailNotSent extends Schema.TaggedError<MailNotSent>()("MailNotSent", { why: Schema.String }) {
  override get message(): string {
    return `the mail was not sent: ${this.why}`
  }
}

export class Mail extends Context.Tag("assistant/Mail")<
  Mail,
  { readonly send: (letter: Letter) => Effect.Effect<void, MailNotSent> }
>() {}
