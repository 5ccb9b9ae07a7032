/** The answers that a client finds in the store. One that cannot be read is the answer of its own turn, and of no other. */
import type * as Message from "@effect/cluster/Message"
import type * as MessageStorage from "@effect/cluster/MessageStorage"
import * as Reply from "@effect/cluster/Reply"
import type * as Rpc from "@effect/rpc/Rpc"
import { SqlError } from "@effect/sql/SqlError"
import { Effect, Exit } from "effect"

type Messages = MessageStorage.MessageStorage["Type"]

/** No seal opens it. */
const unreadable = <R extends Rpc.Any>({
  envelope: { requestId }
}: Message.OutgoingRequest<R>): Reply.Reply<R> =>
  new Reply.WithExit({ id: requestId, requestId, exit: Exit.succeed("") as never })

export const each = (base: Messages): Messages => {
  const apart = <R extends Rpc.Any>(one: Message.OutgoingRequest<R>) =>
    Effect.catchIf(
      base.repliesFor([one]),
      ({ cause }) => !(cause instanceof SqlError),
      () => Effect.succeed([unreadable(one)])
    )
  return {
    ...base,
    repliesFor: (sent) => {
      const all = [...sent]
      return Effect.catchIf(
        base.repliesFor(all),
        ({ cause }) => !(cause instanceof SqlError),
        () => Effect.map(Effect.forEach(all, apart), (found) => found.flat())
      )
    }
  }
}
