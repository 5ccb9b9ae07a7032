/**
 * One server in one session: started on first use, once, and again with pauses when it dies. What it asks for is heard in the
 * call that runs at the moment.
 *
 * @since 0.1.0
 */
import {
  Cause,
  Clock,
  Deferred,
  Effect,
  ExecutionStrategy,
  Exit,
  Fiber,
  FiberId,
  Option,
  Runtime,
  Scope
} from "effect"
import { currentCall, idOf } from "../../policy/gate/Call.js"
import type { Answering } from "../../registry/inquiry/Answering.js"
import type { Serving } from "../../registry/Serving.js"
import type { Caller } from "./Caller.js"
import { Connection, type Terms } from "./Connection.js"
import { GatewayError } from "./GatewayError.js"
import type { Limits } from "./Limits.js"
import { surroundingsOf } from "./surroundings.js"

/**
 * @since 0.1.0
 * @category models
 */
export interface Opening {
  readonly limits: Limits
  /** What the server lives in, besides its own scope. */
  readonly scope: Scope.Scope
  /** Who answers where the program around a call does not say. */
  readonly answering: Answering.Service | undefined
  readonly terms: (
    serving: Serving.Service,
    heard: () => Serving.Hearing | undefined,
    isAlive: () => boolean,
    ended: Terms["ended"]
  ) => Terms
}

/** A server with all that ends with it. */
interface Living {
  readonly scope: Scope.CloseableScope
  /** To be done when it is over. */
  readonly over: Deferred.Deferred<void>
  /** Ends when nothing is left of it. */
  readonly undertaker: Fiber.Fiber<void>
}

const whyOf = (exit: Exit.Failure<unknown, GatewayError>): GatewayError =>
  Option.getOrElse(
    Cause.failureOption(exit.cause),
    () => new GatewayError({ code: "SERVER_NOT_STARTED", detail: "its start was interrupted" })
  )

/** What is decided for a server is heard in the call that uses it. */
const heardIn = (
  { hearing: { log, observe } }: Serving.Service,
  call: string | undefined
): Serving.Hearing => ({
  log,
  observe: (decision, asked, _, request) => observe(decision, asked, call, request)
})

/**
 * @since 0.1.0
 * @category models
 */
export class Slot {
  #connection: Connection | undefined
  #living: Living | undefined
  #starting: Deferred.Deferred<Connection, GatewayError> | undefined
  #failures = 0
  #retryAt = 0
  #why: GatewayError | undefined
  #isClosed = false
  readonly #callers = new Set<Caller>()
  #last: Serving.Hearing | undefined

  constructor(private readonly opening: Opening) {}

  /** Who hears of what the server does now: the call that was started last, of those that run. */
  readonly #heard = (): Serving.Hearing | undefined => [...this.#callers].at(-1)?.hearing ?? this.#last

  /** Uses the server in a call. It is started if it does not run; `refuse` words that it does not. */
  use<A, E, X>(
    serving: Serving.Service,
    use: (connection: Connection, caller: Caller) => Effect.Effect<A, E>,
    refuse: (why: GatewayError) => X
  ): Effect.Effect<A, E | X> {
    return Effect.withFiberRuntime((fiber) => {
      const caller = this.#caller(serving, fiber)
      this.#callers.add(caller)
      return Effect.ensuring(
        Effect.flatMap(Effect.mapError(this.#connected(serving), refuse), (connection) =>
          use(connection, caller)
        ),
        Effect.sync(() => {
          this.#callers.delete(caller)
          // What a server does by itself between two calls belongs to no call.
          this.#last = heardIn(serving, undefined)
        })
      )
    })
  }

  #caller(serving: Serving.Service, fiber: Fiber.RuntimeFiber<unknown, unknown>): Caller {
    const call = idOf(fiber.getFiberRef(currentCall))
    return {
      serving,
      hearing: heardIn(serving, call),
      answering: serving.answering ?? this.opening.answering,
      call: call ?? "",
      run: (effect) => Runtime.runFork(surroundingsOf(fiber), effect)
    }
  }

  /** It has done what it was asked: what failed before is over. */
  worked(): void {
    this.#failures = 0
  }

  /** Ends the server, for good. */
  get close(): Effect.Effect<void> {
    return Effect.suspend(() => {
      this.#isClosed = true
      return this.#end
    })
  }

  get isClosed(): boolean {
    return this.#isClosed
  }

  get #end(): Effect.Effect<void> {
    const living = this.#living
    this.#living = undefined
    this.#connection = undefined
    if (living === undefined) return Effect.void
    Deferred.unsafeDone(living.over, Effect.void)
    return Effect.asVoid(Fiber.await(living.undertaker))
  }

  #connected(serving: Serving.Service): Effect.Effect<Connection, GatewayError> {
    const { attempts } = this.opening.limits
    return Effect.suspend((): Effect.Effect<Connection, GatewayError> => {
      const known = this.#connection
      if (known !== undefined && known.peer.ended === undefined) return Effect.succeed(known)
      if (this.#starting !== undefined) return Deferred.await(this.#starting)
      if (this.#isClosed) {
        return Effect.fail(new GatewayError({ code: "SERVER_ENDED", detail: "the session has ended" }))
      }
      return Effect.flatMap(Clock.currentTimeMillis, (now) => {
        const pause = this.#failures === 0 ? 0 : this.#retryAt - now
        if (pause > 0 && this.#failures >= attempts) return Effect.fail(this.#unavailable(pause))
        // Another may have begun while this one waited.
        if (pause > 0) return Effect.zipRight(Effect.sleep(pause), this.#connected(serving))
        return Effect.catchIf(
          this.#started(serving),
          // One that dies may live the next time; one that cannot be started cannot.
          ({ code }) => code === "SERVER_ENDED" && !this.#isClosed && this.#failures < attempts,
          () => this.#connected(serving)
        )
      })
    })
  }

  #unavailable(pause: number): GatewayError {
    const why = this.#why?.detail ?? "it does not start"
    const seconds = Math.ceil(pause / 1000)
    return new GatewayError({
      code: "SERVER_NOT_STARTED",
      detail: `${why}; it failed ${this.#failures} times in a row, and is tried again in ${seconds} s`
    })
  }

  /** In a fiber of its own: whoever is interrupted while it starts takes nobody along. */
  #started(serving: Serving.Service): Effect.Effect<Connection, GatewayError> {
    return Effect.suspend(() => {
      if (this.#starting !== undefined) return Deferred.await(this.#starting)
      const starting = Deferred.unsafeMake<Connection, GatewayError>(FiberId.none)
      this.#starting = starting
      const begin = Effect.flatMap(this.#begun(serving), (exit) => {
        this.#starting = undefined
        return Deferred.done(starting, exit)
      })
      return Effect.zipRight(
        Effect.forkIn(Effect.locally(begin, currentCall, undefined), this.opening.scope),
        Deferred.await(starting)
      )
    })
  }

  /** A scope for one life of the server, which is closed by nobody but its undertaker. */
  get #born(): Effect.Effect<Living> {
    const { scope: outer } = this.opening
    return Effect.gen(function* () {
      const scope = yield* Scope.fork(outer, ExecutionStrategy.sequential)
      const over = Deferred.unsafeMake<void>(FiberId.none)
      const burying = Effect.zipRight(
        Deferred.await(over),
        Effect.uninterruptible(Scope.close(scope, Exit.void))
      )
      return { scope, over, undertaker: yield* Effect.forkIn(burying, outer) }
    })
  }

  #begun(serving: Serving.Service): Effect.Effect<Exit.Exit<Connection, GatewayError>> {
    const { opening } = this
    return Effect.gen(this, function* () {
      const clock = yield* Effect.clock
      yield* this.#end
      const living = yield* this.#born
      this.#living = living
      let isAlive = true
      const ended = (why: GatewayError) => {
        if (this.#living !== living) return
        this.#failed(why, clock.unsafeCurrentTimeMillis())
        this.#living = undefined
        this.#connection = undefined
        Deferred.unsafeDone(living.over, Effect.void)
      }
      // Added first and run last: what ends with the server may still ask.
      yield* Scope.addFinalizer(
        living.scope,
        Effect.sync(() => {
          isAlive = false
        })
      )
      const terms = opening.terms(serving, this.#heard, () => isAlive, ended)
      const exit = yield* Effect.exit(
        Effect.provideService(Connection.open(terms), Scope.Scope, living.scope)
      )
      if (Exit.isSuccess(exit)) {
        if (this.#living === living) this.#connection = exit.value
        return exit
      }
      ended(whyOf(exit))
      yield* Fiber.await(living.undertaker)
      return Exit.fail(whyOf(exit))
    })
  }

  #failed(why: GatewayError, now: number): void {
    const { firstPauseMillis, longestPauseMillis } = this.opening.limits
    this.#why = why
    this.#failures++
    this.#retryAt = now + Math.min(longestPauseMillis, firstPauseMillis * 2 ** (this.#failures - 1))
  }
}
