/** One turn on its way to a runner and back. */
import type { RpcClient } from "@effect/rpc/RpcClient"
import type * as RpcGroup from "@effect/rpc/RpcGroup"
import { SqlError } from "@effect/sql/SqlError"
import { Cause, Clock, Duration, Effect, Either, Exit, Fiber, Schedule, type Scope, Stream } from "effect"
import type { Call, Result } from "../../registry/Call.js"
import { withinBudget } from "../../registry/execution/Budget.js"
import type { Scrubber } from "../../registry/scrub/Scrubber.js"
import * as ToolResult from "../../registry/ToolResult.js"
import type { Turn } from "../../registry/Turn.js"
import type { InTurn } from "../../postgres/InTurn.js"
import { troubleOf } from "../../postgres/Trouble.js"
import { Progress } from "../../tools/Progress.js"
import { ClusterError } from "../ClusterError.js"
import type { Heard, Session } from "../Session.js"
import { unreachable } from "../store/Awaiting.js"
import type { Keyring } from "../wire/Keys.js"
import { unsendable } from "../wire/Secrecy.js"
import * as Turns from "../wire/Turns.js"

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

const unanswered = ToolResult.fail(
  "interrupted",
  "no runner has answered in time; whether the call took effect is not known"
)

const tooLarge = ToolResult.fail(
  "input_invalid",
  "the calls of the turn are larger than what a cluster carries from one machine to another; send less at once"
)

const stopped = ToolResult.fail("interrupted", "the call was interrupted")

const away = ToolResult.fail(
  "interrupted",
  "the store of the cluster cannot be reached; whether the call took effect is not known"
)

const unsent = ({ message }: ClusterError): ToolResult.ToolResult =>
  ToolResult.fail("not_available", `${message}. The call was not sent`)

const crowded = ToolResult.fail(
  "not_available",
  "this client has too many turns under way, and no place came free in time. The call was not sent"
)

const misread = ToolResult.fail(
  "execution_failed",
  "the answer of the cluster cannot be read: it was altered, or is of another version; whether the call took effect is not known"
)

/** What is tried again: the store is away, all hands of the session are full, or nothing is heard of it yet. */
const again = Schedule.exponential(Duration.millis(50), 1.5).pipe(
  Schedule.union(Schedule.spaced(Duration.seconds(1)))
)

/** How long whoever is interrupted waits until its runner knows. */
const GOODBYE = Duration.seconds(1)

/** Until its runner knows: one that is going may not have heard of it, and the next one has the turn then. */
const cancelled = (session: RpcClient<Rpcs, unknown>, key: string): Effect.Effect<void> =>
  Effect.orDie(Effect.retry(Effect.sandbox(session.Cancel({ key })), again))

export class Sending {
  private readonly told = new Set<number>()
  private underWay = 0
  private mayBeSent = false
  /** Why the store has nothing of it, where that is known. */
  private unsent: ClusterError | undefined
  /** The calls that are sent, by their place among all. */
  private readonly sent: ReadonlyArray<number>
  private readonly results: Array<ToolResult.ToolResult | undefined>
  /** What came of calls before the turn was answered. */
  private readonly heard = new Map<number, ToolResult.ToolResult>()

  constructor(
    private readonly link: Link,
    private readonly terms: Terms,
    private readonly turn: Turn,
    private readonly calls: ReadonlyArray<Call>,
    private readonly given: Given
  ) {
    const scrubber = link.scrubber.forTurn(turn.redactTokens)
    const wrong = this.unsendableTurn(scrubber)
    this.results = calls.map(({ args, id, name }) => {
      const found = wrong ?? unsendable([id, name, args], scrubber)
      return found === undefined
        ? undefined
        : ToolResult.fail(
            "input_invalid",
            `the call holds ${found}, and nothing of that kind is sent to a runner`
          )
    })
    this.sent = this.results.flatMap((result, at) => (result === undefined ? [at] : []))
  }

  private unsendableTurn(scrubber: Scrubber): string | undefined {
    const { attachments, exclude, session, workdir } = this.turn
    const { id = "" } = this.given
    return unsendable([attachments.map((one) => ({ ...one })), [...exclude], session, workdir, id], scrubber)
  }

  readonly run: Effect.Effect<ReadonlyArray<Result>> = Effect.suspend(() => {
    if (this.given.signal?.aborted === true) this.answerRest(stopped)
    this.tellAll()
    if (this.results.every((one) => one !== undefined)) return Effect.succeed(this.answers)
    return Effect.gen(this, function* () {
      const at = yield* Clock.currentTimeMillis
      const { patience } = this.terms
      const body = Turns.bodyOf({
        turn: this.turn,
        calls: this.sent.map((one) => this.calls[one] as Call),
        id: this.given.id,
        at,
        patienceMillis: Duration.toMillis(patience)
      })
      const sealed = Turns.sealTurn(this.link.keys, body)
      if (!Turns.isCarried(sealed)) {
        this.answerRest(tooLarge)
        this.tellAll()
        return this.answers
      }
      const entity = yield* Effect.either(this.link.entity)
      if (Either.isLeft(entity)) {
        this.answerRest(unsent(entity.left))
        this.tellAll()
        return this.answers
      }
      const session = entity.right(Turns.entityOf(this.turn.session))
      const sending = this.sending(session, sealed)
      let hasBegun = false
      const watched = Effect.suspend(() => {
        hasBegun = true
        return Effect.scoped(Effect.zipRight(this.watching(session, sealed.key), sending))
      })
      yield* Effect.timeoutTo(this.link.places.run(watched), {
        duration: patience,
        onSuccess: () => undefined,
        onTimeout: () => this.answerRest(hasBegun ? unanswered : crowded)
      })
      this.tellAll()
      return this.answers
    })
  })

  private sending(session: RpcClient<Rpcs, unknown>, sealed: Turns.Sealed): Effect.Effect<void> {
    const once = this.terms.durable ? session.Turn(sealed) : session.Quick(sealed)
    // What a runner broke off when it ended is asked of whoever has taken over. Where nothing is kept, a connection that breaks
    // in the middle of a message is a defect to the transport; the claims hold, whoever is asked.
    const isBrokenOff = (cause: Cause.Cause<unknown>): boolean =>
      Cause.isInterruptedOnly(cause) || (!this.terms.durable && Cause.failureOption(cause)._tag === "None")
    const whole = Effect.catchAllCause(once as Effect.Effect<string, { readonly _tag: string }>, (cause) =>
      isBrokenOff(cause) ? Effect.fail({ _tag: "BrokenOff" }) : Effect.failCause(cause)
    )
    const patient = Effect.flatMap(Clock.currentTimeMillis, (begun) =>
      Effect.retry(this.noting(whole), {
        schedule: again,
        while: (error) =>
          Effect.map(
            Clock.currentTimeMillis,
            (now) =>
              error._tag !== "TurnRefused" &&
              (this.unsent === undefined || now - begun < Duration.toMillis(this.link.silence))
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

  /** Keeps in mind whether anything of it can have reached the store. */
  private noting<A>(attempt: Effect.Effect<A, { readonly _tag: string }>) {
    return Effect.zipRight(
      Effect.sync(() => {
        this.underWay += 1
      }),
      Effect.tapError(attempt, (error) =>
        Effect.sync(() => {
          this.underWay -= 1
          const cause = error._tag === "PersistenceError" && "cause" in error ? error.cause : undefined
          const trouble = cause instanceof SqlError ? troubleOf(cause) : undefined
          this.mayBeSent ||= trouble === undefined || trouble.kind === "unknown"
          this.unsent =
            trouble === undefined || this.mayBeSent || this.underWay > 0 ? undefined : unreachable(trouble)
        })
      )
    )
  }

  private failed(cause: Cause.Cause<{ readonly _tag: string }>): Effect.Effect<void> {
    const failure = Cause.failureOption(cause)
    if (failure._tag === "Some") {
      const { detail } = failure.value as { readonly detail?: string }
      this.answerRest(
        failure.value._tag === "TurnRefused"
          ? ToolResult.fail(
              "not_available",
              new ClusterError({ code: "MESSAGE_REFUSED", detail: `a runner refused the turn: ${detail}` })
                .message
            )
          : this.unsent === undefined
            ? away
            : unsent(this.unsent)
      )
      return Effect.void
    }
    this.answerRest(away)
    return Effect.logError("the cluster broke unexpectedly", cause)
  }

  private answered(key: string, reply: string): void {
    const opened = Turns.openReply(this.link.keys, key, reply)
    const { events, results } = Either.getOrElse(opened, () => ({ events: [], results: [] }))
    for (const { sequence: _, type: __, ...event } of events) this.turn.transcript.add(event)
    if (results.length === this.sent.length) {
      this.sent.forEach((at, index) => {
        this.results[at] = this.known(at, results[index]?.result)
      })
    }
    this.answerRest(misread)
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
      const heard = Stream.runForEach(session.Watch({ key }) as Stream.Stream<Heard>, (news) =>
        Effect.suspend(() => {
          if (news._tag === "Progress") {
            return Effect.flatMap(Progress, ({ report }) => report(news.event))
          }
          const result = Turns.openResult(this.link.keys, key, news.call, news.sealed)
          const at = this.sent[news.call]
          if (at === undefined || Either.isLeft(result)) return Effect.void
          this.heard.set(at, result.right)
          this.tell(at, result.right)
          return Effect.void
        })
      )
      // A runner that is not ready for it, or is gone, is not the last one: the turn may be on another by then.
      const listening = Effect.repeat(
        Effect.catchAllCause(heard, () => Effect.void),
        again
      )
      const fiber = yield* Effect.forkScoped(listening)
      yield* Effect.addFinalizer(() => Fiber.interruptFork(fiber))
    })
  }

  private answerRest(result: ToolResult.ToolResult): void {
    this.results.forEach((one, at) => {
      if (one === undefined) this.results[at] = this.known(at, result)
    })
  }

  /** That a call has succeeded is known once it was heard, also where whoever answers for it does not know. */
  private known(at: number, result: ToolResult.ToolResult | undefined): ToolResult.ToolResult | undefined {
    const heard = this.heard.get(at)
    if (heard?.ok !== true || result?.ok === true || result?.code !== "interrupted") return result
    const [within] = withinBudget([this.calls[at] as Call], [heard], this.turn, new Map())
    return within?.result
  }

  private tellAll(): void {
    this.results.forEach((result, at) => {
      if (result !== undefined) this.tell(at, result)
    })
  }

  private tell(at: number, result: ToolResult.ToolResult): void {
    const { onResult } = this.given
    if (onResult === undefined || this.told.has(at)) return
    this.told.add(at)
    const { id, name } = this.calls[at] as Call
    try {
      onResult({ id, name, result, revision: this.turn.policy.revision })
    } catch {
      // A listener that throws has heard; what it throws is not the call's.
    }
  }

  private get answers(): ReadonlyArray<Result> {
    const { revision } = this.turn.policy
    return this.calls.map(({ id, name }, at) => ({
      id,
      name,
      result: this.results[at] ?? unanswered,
      revision
    }))
  }
}
