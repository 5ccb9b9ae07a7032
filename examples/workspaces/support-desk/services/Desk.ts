/** What tools know of the database: the work of the desk, and no SQL. */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"

export const Status = Schema.Literal("open", "answered", "closed")

export const Ticket = Schema.Struct({
  id: Schema.Int,
  customer: Schema.String,
  subject: Schema.String,
  status: Status
})

export const Message = Schema.Struct({ author: Schema.String, text: Schema.String })

export const Conversation = Schema.Struct({ ...Ticket.fields, messages: Schema.Array(Message) })

export class NoSuchTicket extends Schema.TaggedError<NoSuchTicket>()("NoSuchTicket", { id: Schema.Int }) {
  override get message(): string {
    return `there is no ticket ${this.id}`
  }
}

export class TicketClosed extends Schema.TaggedError<TicketClosed>()("TicketClosed", { id: Schema.Int }) {
  override get message(): string {
    return `ticket ${this.id} is closed`
  }
}

const Query = Schema.Struct({ text: Schema.String, status: Schema.optional(Status) })

const Reply = Schema.Struct({ id: Schema.Int, text: Schema.String })

export class Desk extends Context.Tag("desk/Desk")<Desk, Desk.Service>() {
  /** What it takes and gives, so that it is served to tools in a process of their own too. */
  static readonly operations = {
    find: { payload: Query, success: Schema.Array(Ticket), failure: Schema.Never },
    show: { payload: Schema.Int, success: Conversation, failure: NoSuchTicket },
    answer: { payload: Reply, success: Schema.Void, failure: Schema.Union(NoSuchTicket, TicketClosed) }
  }
}

export declare namespace Desk {
  interface Service {
    /** The newest first. */
    readonly find: (query: typeof Query.Type) => Effect.Effect<ReadonlyArray<typeof Ticket.Type>>
    readonly show: (id: number) => Effect.Effect<typeof Conversation.Type, NoSuchTicket>
    readonly answer: (reply: typeof Reply.Type) => Effect.Effect<void, NoSuchTicket | TicketClosed>
  }
}
