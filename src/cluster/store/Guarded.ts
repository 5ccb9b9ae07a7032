/** The storage of `@effect/cluster`, behind the fence: who takes a shard ends whoever had it, and who was ended writes nothing. */
import * as ClusterErrors from "@effect/cluster/ClusterError"
import * as Message from "@effect/cluster/Message"
import * as MessageStorage from "@effect/cluster/MessageStorage"
import * as RunnerStorage from "@effect/cluster/RunnerStorage"
import type { ShardId } from "@effect/cluster/ShardId"
import type { Snowflake } from "@effect/cluster/Snowflake"
import type * as Rpc from "@effect/rpc/Rpc"
import type * as SqlClient from "@effect/sql/SqlClient"
import { Duration, Effect, Schedule } from "effect"
import { answeredInTime } from "./inTime.js"
import type { Life } from "./Life.js"

type Runners = RunnerStorage.RunnerStorage["Type"]

/** How much of the time that a lock lasts may pass without an answer of the store before the lock counts as lost. */
const TRUSTED = 0.6

/** How much of it an answer may take: less than a third, after which it would count as none. */
const PATIENCE = 0.25

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
      const inTime = Effect.timeoutFail(base.refresh(address, shards), {
        duration: Duration.times(silence, PATIENCE),
        onTimeout: () => new ClusterErrors.PersistenceError({ cause: "no answer in time" })
      })
      return Effect.matchEffect(inTime, {
        onSuccess: (held) => {
          last = begun
          return Effect.succeed(held)
        },
        onFailure: (error) =>
          performance.now() - last < trusted ? Effect.succeed(shards) : Effect.fail(error)
      })
    })
  }
}

const refail = ClusterErrors.PersistenceError.refail

export const runners = (base: Runners, life: Life, silence: Duration.Duration): Runners => {
  const refresh = patient(base, silence)
  // Whether this one was ended is asked as often as its locks are renewed; a store that is away does not say.
  const asked = Effect.ignore(Effect.timeoutOption(life.check, Duration.times(silence, 0.05)))
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
    refresh: (address, shards) => Effect.zipLeft(refresh(address, shards), asked),
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

/** PostgreSQL says so where a row is there already. */
const UNIQUE = "23505"

/** Whether somebody else has answered. */
const isAnswered = (error: unknown): boolean => {
  let cause = error
  for (let depth = 0; typeof cause === "object" && cause !== null && depth < 8; depth++) {
    if ("code" in cause && cause.code === UNIQUE) return true
    cause = "cause" in cause ? cause.cause : undefined
  }
  return false
}

/** Replies of one that was ended are not kept: whoever took over answers. */
export const messages = (
  base: MessageStorage.MessageStorage["Type"],
  sql: SqlClient.SqlClient,
  life: Life,
  silence: Duration.Duration
): MessageStorage.MessageStorage["Type"] => {
  // Whoever waits here for an answer that stands in the store, or will, is sent there.
  const released = ({ reply }: { readonly reply: { readonly requestId: Snowflake } }) =>
    base.unregisterReplyHandler(reply.requestId)
  const once: typeof base.saveReply = (reply) =>
    Effect.catchTags(
      answeredInTime(sql.withTransaction(Effect.zipRight(life.check, base.saveReply(reply)))),
      {
        SqlError: (cause) => Effect.fail(new ClusterErrors.PersistenceError({ cause })),
        // It would not be kept the next time either.
        ClusterError: () => released(reply)
      }
    )
  // A store that restarts is waited for: what was done is done, and is to be known. Where it is away for longer, the shard
  // is lost, and whoever has it next finds what was written down.
  const saveReply: typeof base.saveReply = (reply) =>
    Effect.catchIf(
      Effect.retry(once(reply), {
        schedule: Schedule.upTo(Schedule.spaced(PAUSE), Duration.times(silence, 2)),
        while: (error) => error._tag === "PersistenceError" && !isAnswered(error)
      }),
      isAnswered,
      () => released(reply)
    )
  // What is read brings along how it is answered.
  const answered = <E>(reading: Effect.Effect<ReadonlyArray<Message.Incoming<Rpc.Any>>, E>) =>
    Effect.map(reading, (all) =>
      all.map((one) =>
        one._tag === "IncomingRequest" ? new Message.IncomingRequest({ ...one, respond: saveReply }) : one
      )
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
  return MessageStorage.MessageStorage.of({
    ...base,
    saveReply,
    unprocessedMessages: (shards) =>
      Effect.suspend(() =>
        Effect.zipRight(readAgain(shards), answered(losing(base.unprocessedMessages(shards))))
      ),
    unprocessedMessagesById: (ids) => answered(base.unprocessedMessagesById(ids))
  })
}
