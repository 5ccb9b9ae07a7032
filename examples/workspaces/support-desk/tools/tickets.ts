/** Looking at tickets. What these touch is the desk, which is the application's own. */
import { Tool } from "bailiwick"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { Conversation, Desk, NoSuchTicket, Status, Ticket } from "../services/Desk.ts"

export const findTickets = Tool.make({
  name: "find_tickets",
  description: "Tickets by their subject or customer, the newest first",
  parameters: Schema.Struct({
    text: Schema.optionalWith(Schema.String, { default: () => "" }).annotations({
      description: "A part of the subject or of the customer's address; all tickets without it"
    }),
    status: Schema.optional(Status)
  }),
  success: Schema.Array(Ticket),
  readOnly: true,
  outputIsUntrusted: true,
  capabilities: {},
  services: [Desk],
  execute: (query) => Effect.flatMap(Desk, (desk) => desk.find(query))
})

export const showTicket = Tool.make({
  name: "show_ticket",
  description: "A ticket with all that was written in it",
  parameters: Schema.Struct({ id: Schema.Int }),
  success: Conversation,
  failure: NoSuchTicket,
  readOnly: true,
  outputIsUntrusted: true,
  capabilities: {},
  services: [Desk],
  execute: ({ id }) => Effect.flatMap(Desk, (desk) => desk.show(id))
})
