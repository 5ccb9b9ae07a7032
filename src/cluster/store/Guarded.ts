/** The storage of `@effect/cluster`, behind the fence: who takes a shard ends whoever had it, and who was ended writes nothing. */
import * as ClusterErrors from "@effect/cluster/ClusterError"
import * as Message from "@effect/cluster/Message"
import * as MessageStorage from "@effect/cluster/MessageStorage"
import * as Reply from "@effect/cluster/Reply"
import * as RunnerStorage from "@effect/cluster/RunnerStorage"
import type { ShardId } from "@effect/cluster/ShardId"
import type * as Rpc from "@effect/rpc/Rpc"
import type * as SqlClient from "@effect/sql/SqlClient"
import { SqlError } from "@effect/sql/SqlError"
import { Duration, Effect, Fiber, Schedule } from "effect"
import type { Ending } from "./Ending.js"
import type { Life } from "./Life.js"
import { Replies } from "./Replies.js"
import { setAside } from "./Unreadable.js"

type Runners = RunnerStorage.RunnerStorage["Type"]
type Messages = MessageStorage.MessageStorage["Type"]
type Encoded = Reply.WithExitEncoded<Rpc.Any>

/** How much of the time that a lock lasts may pass without an answer of the store before the lock counts as lost. */
const TRUSTED = 0.6

/**
 * How much of it an answer is waited for. After a third of it there would be none, and all that runs would be broken off; a
 * machine that is busy hears late that its time is over.
 */
const PATIENCE = 0.1

/**
 * Locks last for a time that the store counts, and nobody takes one while the store is away: so a store that does not answer
 * for a moment takes nothing away from who holds them. What is running goes on.
 */
const patient = (
  base: Runners,
  silence: Duration.Duration
): ((
  address: Parameters<Runners["refresh"]>[0],
  shards: Iterable<ShardId>
) => ReturnType<Runners["refresh"]>) => {
  const trusted = Duration.toMillis(silence) * TRUSTED
  let last = performance.now()
  return (address, given) => {
    const shards = [...given]
    return Effect.suspend(() => {
      const begun = performance.now()
      // One that comes later counts for the next time.
      const renewing = Effect.tap(base.refresh(address, shards), () =>
        Effect.sync(() => {
          last = Math.max(last, begun)
        })
      )
      const inTime = Effect.timeoutFail(Effect.flatMap(Effect.forkDaemon(renewing), Fiber.join), {
        duration: Duration.times(silence, PATIENCE),
        onTimeout: () => new ClusterErrors.PersistenceError({ cause: "no answer in time" })
      })
      return Effect.matchEffect(inTime, {
        onSuccess: Effect.succeed,
        onFailure: (error) =>
          performance.now() - last < trusted ? Effect.succeed(shards) : Effect.fail(error)
      })
    })
  }
}

const refail = ClusterErrors.PersistenceError.refail

export const runners = (base: Runners, life: Life, silence: Duration.Duration): Runners => {
  const refresh = patient(base, silence)
  // Whether this one was ended is asked as often as its locks are renewed; a store that is away does not say. What was asked of
  // it is not waited for: to take it back may take longer than everything else.
  const asked = Effect.ignore(
    Effect.timeoutOption(Effect.disconnect(life.check), Duration.times(silence, 0.05))
  )
  return RunnerStorage.RunnerStorage.of({
    ...base,
    acquire: (address, shards) =>
      Effect.tap(base.acquire(address, shards), (taken) =>
        taken.length === 0
          ? Effect.void
          : refail(
              life.takeOver(
                address.toString(),
                taken.map((shard) => shard.toString())
              )
            )
      ),
    refresh: (address, shards) => Effect.zipLeft(refresh(address, shards), asked, { concurrent: true }),
    release: (address, shard) =>
      Effect.zipRight(refail(life.letGo(shard.toString())), base.release(address, shard)),
    releaseAll: (address) => Effect.zipRight(refail(life.letAllGo), base.releaseAll(address)),
    // One that is gone is ended, and what it had is free at once: it need not be waited for.
    setRunnerHealth: (address, healthy) =>
      healthy
        ? base.setRunnerHealth(address, true)
        : Effect.all(
            [
              refail(life.endAt(address.toString())),
              base.releaseAll(address),
              base.setRunnerHealth(address, false)
            ],
            { discard: true }
          )
  })
}

const PAUSE = Duration.millis(200)

interface Guarding {
  readonly sql: SqlClient.SqlClient
  readonly life: Life
  readonly silence: Duration.Duration
  readonly ending: Ending
}

/** Replies of one that was ended are not kept: whoever took over answers. */
export const messages = (
  base: Messages,
  { ending, life, silence, sql }: Guarding
): Effect.Effect<Messages> => {
  const replies = new Replies(sql, life)
  const once = (reply: Encoded): Effect.Effect<boolean, ClusterErrors.PersistenceError> =>
    Effect.catchTags(replies.save(reply), {
      SqlError: (cause) => Effect.fail(new ClusterErrors.PersistenceError({ cause })),
      // It would not be kept the next time either.
      ClusterError: () => Effect.succeed(false)
    })
  // A store that restarts is waited for: what was done is done, and is to be known. Where it is away for longer, the shard
  // is lost, and whoever has it next finds what was written down.
  const saved = (reply: Encoded) =>
    ending.counting(
      Effect.retry(once(reply), Schedule.upTo(Schedule.spaced(PAUSE), Duration.times(silence, 2)))
    )
  // What was read is marked as read; where the answer was lost on the way, nobody has it, and it is to be read again.
  let isLost = false
  const readAgain = (shards: Iterable<ShardId>) =>
    isLost
      ? Effect.tap(base.resetShards(shards), () => {
          isLost = false
        })
      : Effect.void
  const losing = <A, E>(reading: Effect.Effect<A, E>): Effect.Effect<A, E> =>
    Effect.tapError(reading, () =>
      Effect.sync(() => {
        isLost = true
      })
    )
  return Effect.gen(function* () {
    const storage: Messages = yield* MessageStorage.make({
      ...base,
      saveReply: (reply) =>
        Effect.flatMap(Reply.serialize(reply), (encoded) => {
          // A turn has one answer; nothing that is kept is answered in parts.
          if (encoded._tag === "Chunk") return Effect.dieMessage("an answer in parts is not kept")
          // Whoever waits here for an answer that stands in the store, or will, is sent there.
          return Effect.flatMap(saved(encoded), (kept) =>
            kept ? Effect.void : storage.unregisterReplyHandler(reply.reply.requestId)
          )
        })
    })
    // What is read brings along how it is answered.
    const answered = <E>(reading: Effect.Effect<ReadonlyArray<Message.Incoming<Rpc.Any>>, E>) =>
      Effect.map(reading, (all) =>
        all.map((one) =>
          one._tag === "IncomingRequest"
            ? new Message.IncomingRequest({ ...one, respond: storage.saveReply })
            : one
        )
      )
    // What fails and is not the store's is a row that cannot be read.
    const read = (shards: Iterable<ShardId>): ReturnType<Messages["unprocessedMessages"]> =>
      Effect.catchIf(
        base.unprocessedMessages(shards),
        ({ cause }) => !(cause instanceof SqlError),
        () =>
          Effect.zipRight(
            Effect.all([refail(setAside(sql, replies, shards)), base.resetShards(shards)]),
            base.unprocessedMessages(shards)
          )
      )
    return MessageStorage.MessageStorage.of({
      ...storage,
      unprocessedMessages: (shards) =>
        Effect.suspend(() => Effect.zipRight(readAgain(shards), answered(losing(read(shards))))),
      unprocessedMessagesById: (ids) => answered(base.unprocessedMessagesById(ids))
    })
  })
}
