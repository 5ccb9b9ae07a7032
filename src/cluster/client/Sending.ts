/** One turn on its way to a runner and back. */
import type { RpcClient } from "@effect/rpc/RpcClient"
import type * as RpcGroup from "@effect/rpc/RpcGroup"
import { Cause, Clock, Duration, Effect, Either, Exit, Fiber, Schedule, type Scope } from "effect"
import type { Call, Result } from "../../registry/Call.js"
import type { Scrubber } from "../../registry/scrub/Scrubber.js"
import type { Turn } from "../../registry/Turn.js"
import type { InTurn } from "../../postgres/InTurn.js"
import { Progress } from "../../tools/Progress.js"
import type { ClusterError } from "../ClusterError.js"
import type { Heard, Session } from "../Session.js"
import type { Keyring } from "../wire/Keys.js"
import type { Unsealed } from "../wire/Sealing.js"
import { unsendable } from "../wire/Secrecy.js"
import * as Turns from "../wire/Turns.js"
import { Attempts } from "./Attempts.js"
import { Collected } from "./Collected.js"
import * as Unanswered from "./unanswered.js"

type Rpcs = RpcGroup.Rpcs<(typeof Session)["protocol"]>

/** What a client has of the cluster. */
export interface Link {
  /** Fails as long as the store was never there. */
  readonly entity: Effect.Effect<Effect.Effect.Success<(typeof Session)["client"]>, ClusterError>
  readonly keys: Keyring
  /** Knows the secrets that were given out here. */
  readonly scrubber: Scrubber
  /** Of the client: what is still to be said is said for as long as it lives. */
  readonly scope: Scope.Scope
  readonly places: InTurn
  /** After how long without an answer it is looked for in the store. */
  readonly silence: Duration.Duration
}

interface Terms {
  readonly durable: boolean
  readonly patience: Duration.Duration
}

interface Given {
  readonly id?: string | undefined
  readonly signal?: AbortSignal | undefined
  readonly onResult?: ((result: Result) => void) | undefined
}

/** What is tried again: the store is away, all hands of the session are full, or nothing is heard of it yet. */
const again = Schedule.exponential(Duration.millis(50), 1.5).pipe(
  Schedule.union(Schedule.spaced(Duration.seconds(1)))
)

/** So often what broke is asked for again, where the answer is kept: what broke with a connection, or a runner, is whole then. */
const BREAKS = 5

/** How long whoever is interrupted waits until its runner knows. */
const GOODBYE = Duration.seconds(1)

/** Until its runner knows: one that is going may not have heard of it, and the next one has the turn then. */
const cancelled = (session: RpcClient<Rpcs, unknown>, key: string): Effect.Effect<void> =>
  Effect.orDie(Effect.retry(Effect.sandbox(session.Cancel({ key })), again))

export class Sending {
  private readonly attempts = new Attempts()
  private readonly collected: Collected

  constructor(
    private readonly link: Link,
    private readonly terms: Terms,
    private readonly turn: Turn,
    calls: ReadonlyArray<Call>,
    private readonly given: Given
  ) {
    const scrubber = link.scrubber.forTurn(turn.redactTokens)
    const wrong = this.unsendableTurn(scrubber)
    const results = calls.map(({ args, id, name }) => {
      const found = wrong ?? unsendable([id, name, args], scrubber)
      return found === undefined ? undefined : Unanswered.secret(found)
    })
    this.collected = new Collected(turn, calls, results, given.onResult)
  }

  private unsendableTurn(scrubber: Scrubber): string | undefined {
    const { attachments, exclude, session, workdir } = this.turn
    const { id = "" } = this.given
    return unsendable([attachments.map((one) => ({ ...one })), [...exclude], session, workdir, id], scrubber)
  }

  readonly run: Effect.Effect<ReadonlyArray<Result>> = Effect.suspend(() => {
    const { collected } = this
    if (this.given.signal?.aborted === true) collected.answerRest(Unanswered.stopped)
    collected.tellAll()
    if (collected.isComplete) return Effect.succeed(collected.all)
    return Effect.map(this.asking, () => {
      collected.tellAll()
      return collected.all
    })
  })

  private readonly asking = Effect.gen(this, function* () {
    const { collected } = this
    const { patience } = this.terms
    const body = Turns.bodyOf({
      turn: this.turn,
      calls: collected.callsToSend,
      id: this.given.id,
      at: yield* Clock.currentTimeMillis,
      patienceMillis: Duration.toMillis(patience)
    })
    const sealed = Turns.sealTurn(this.link.keys, body)
    if (!Turns.isCarried(sealed)) return collected.answerRest(Unanswered.tooLarge)
    const entity = yield* Effect.either(this.link.entity)
    if (Either.isLeft(entity)) return collected.answerRest(Unanswered.unsent(entity.left))
    const session = entity.right(Turns.entityOf(this.turn.session))
    const sending = this.sending(session, sealed)
    let hasBegun = false
    const watched = Effect.suspend(() => {
      hasBegun = true
      return Effect.scoped(Effect.zipRight(this.watching(session, sealed.key), sending))
    })
    return yield* Effect.timeoutTo(this.link.places.run(watched), {
      duration: patience,
      onSuccess: () => undefined,
      onTimeout: () => collected.answerRest(hasBegun ? Unanswered.late : Unanswered.crowded)
    })
  })

  private sending(session: RpcClient<Rpcs, unknown>, sealed: Turns.Sealed): Effect.Effect<void> {
    const once = this.terms.durable ? session.Turn(sealed) : session.Quick(sealed)
    let breaks = 0
    // What a runner broke off when it ended is asked of whoever has taken over. A connection that breaks in the middle of a
    // message is a defect to the transport; the claims hold, whoever is asked.
    const isBrokenOff = (cause: Cause.Cause<unknown>): boolean => {
      if (Cause.isInterruptedOnly(cause)) return true
      return Cause.failureOption(cause)._tag === "None" && (!this.terms.durable || ++breaks <= BREAKS)
    }
    const whole = Effect.catchAllCause(once as Effect.Effect<string, { readonly _tag: string }>, (cause) =>
      isBrokenOff(cause) ? Effect.fail({ _tag: "BrokenOff" }) : Effect.failCause(cause)
    )
    const patient = Effect.flatMap(Clock.currentTimeMillis, (begun) =>
      Effect.retry(this.attempts.noting(whole), {
        schedule: again,
        while: (error) =>
          Effect.map(
            Clock.currentTimeMillis,
            (now) =>
              error._tag !== "TurnRefused" &&
              (this.attempts.unsent === undefined || now - begun < Duration.toMillis(this.link.silence))
          )
      })
    )
    // A runner that has answered, or has died, while its store was away may have told nobody: what is asked again is the same
    // turn, and is answered out of the store. Each is tried on its own.
    const hedged = this.terms.durable
      ? Effect.raceFirst(
          Effect.disconnect(patient),
          Effect.disconnect(Effect.delay(patient, this.link.silence))
        )
      : patient
    const asked = this.terms.durable
      ? Effect.onInterrupt(hedged, () => this.goodbye(cancelled(session, sealed.key)))
      : hedged
    return Effect.flatMap(Effect.exit(asked), (exit) =>
      Exit.match(exit, {
        onSuccess: (reply) => Effect.sync(() => this.answered(sealed.key, reply)),
        onFailure: (cause) => this.failed(cause)
      })
    )
  }

  /** Nobody waits for it any more. In fibers of their own: this one is interrupted already. */
  private goodbye(cancelling: Effect.Effect<void>): Effect.Effect<void> {
    const { patience } = this.terms
    const begun = Effect.forkIn(
      Effect.interruptible(Effect.timeoutOption(cancelling, patience)),
      this.link.scope
    )
    return Effect.flatMap(begun, (fiber) =>
      Effect.flatMap(
        Effect.forkDaemon(Effect.interruptible(Effect.timeoutOption(Fiber.await(fiber), GOODBYE))),
        (waiting) => Effect.asVoid(Fiber.await(waiting))
      )
    )
  }

  private failed(cause: Cause.Cause<{ readonly _tag: string }>): Effect.Effect<void> {
    const failure = Cause.failureOption(cause)
    if (failure._tag === "Some") {
      const { _tag, reason } = failure.value as { readonly _tag: string; readonly reason?: Unsealed }
      const { unsent } = this.attempts
      this.collected.answerRest(
        _tag === "TurnRefused"
          ? Unanswered.refused(reason)
          : unsent === undefined
            ? Unanswered.away
            : Unanswered.unsent(unsent)
      )
      return Effect.void
    }
    this.collected.answerRest(Unanswered.broken)
    return Effect.logError("the cluster broke unexpectedly", cause)
  }

  private answered(key: string, reply: string): void {
    const opened = Turns.openReply(this.link.keys, key, reply)
    const { events, results } = Either.getOrElse(opened, () => ({ events: [], results: [] }))
    for (const { sequence: _, type: __, ...event } of events) this.turn.transcript.add(event)
    this.collected.answered(results)
    this.collected.answerRest(Unanswered.misread)
  }

  /** What is heard while it runs: results as they come, progress, and that it is to end. */
  private watching(session: RpcClient<Rpcs, unknown>, key: string) {
    return Effect.gen(this, function* () {
      const { onResult, signal } = this.given
      const ambient = yield* Effect.context<never>()
      const listens = ambient.unsafeMap.has(Progress.key)
      if (signal !== undefined) {
        const aborted = Effect.async<void>((resume) => {
          const abort = () => resume(Effect.void)
          if (signal.aborted) return abort()
          signal.addEventListener("abort", abort)
          return Effect.sync(() => signal.removeEventListener("abort", abort))
        })
        yield* Effect.forkScoped(Effect.zipRight(aborted, cancelled(session, key)))
      }
      if (onResult === undefined && !listens) return
      let after = ""
      const hear = (news: Heard) =>
        Effect.suspend(() => {
          if (news._tag === "Progress") {
            return Effect.flatMap(Progress, ({ report }) => report(news.event))
          }
          const result = Turns.openResult(this.link.keys, key, news.call, news.sealed)
          if (Either.isRight(result)) this.collected.hears(news.call, result.right)
          return Effect.void
        })
      const once = Effect.flatMap(
        Effect.suspend(() => session.Watch({ key, after })),
        ({ news, next }) => {
          after = next
          return Effect.as(Effect.forEach(news, hear, { discard: true }), news.length > 0)
        }
      )
      const heard = Effect.repeat(once, { while: (isMore) => isMore })
      // A runner that is not ready for it, or is gone, is not the last one: the turn may be on another by then.
      const listening = Effect.repeat(
        Effect.catchAllCause(heard, () => Effect.void),
        again
      )
      const fiber = yield* Effect.forkScoped(listening)
      yield* Effect.addFinalizer(() => Fiber.interruptFork(fiber))
    })
  }
}
