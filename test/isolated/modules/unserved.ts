/** A tool whose service cannot be served to another process. */
import { Tool } from "bailiwick"
import { Context, Effect, Schema } from "effect"

export class Mailer extends Context.Tag("app/Mailer")<Mailer, { readonly socket: object }>() {}

export const mailing = Tool.make({
  name: "mailing",
  description: "Sends a mail",
  parameters: Schema.Struct({}),
  capabilities: {},
  services: [Mailer],
  execute: () => Effect.map(Mailer, () => "sent")
})
