/**
 * A command that runs: its output is read, it is told things, and it is waited for, each when its tool likes.
 *
 * @since 0.1.0
 */
import { Cause, Deferred, Effect, Exit, Fiber, Mailbox, type Scope, Stream } from "effect"
import { fed, type Source } from "./feed.js"
import { Outlet } from "./outlet.js"
import {
  ProcessError,
  type ProcessEvent,
  type ProcessInput,
  type ProcessOperations,
  type ProcessOrder,
  type ProcessSignal
} from "./ProcessOperations.js"

/**
 * @since 0.1.0
 * @category models
 */
export type Ended = Omit<Extract<typeof ProcessEvent.Type, { readonly exitCode: number }>, "_tag">

/**
 * A command from its start to the end of the scope that it was started in. `E` is what its input may fail with.
 *
 * Output waits for its reader, and a command that has written more than fits waits with it. Output that nobody reads is
 * dropped past that while something else of the command is waited for, and `truncated` says so.
 *
 * @since 0.1.0
 * @category models
 */
export interface Running<out E = never> {
  /** What the system calls it, where the backend tells. */
  readonly pid: number | undefined
  readonly stdout: Stream.Stream<Uint8Array, ProcessError | E>
  readonly stderr: Stream.Stream<Uint8Array, ProcessError | E>
  /** Waits for its end. An exit code other than 0 is a result, not a failure, and so is an end by a signal. */
  readonly exit: Effect.Effect<Ended, ProcessError | E>
  readonly isRunning: Effect.Effect<boolean, ProcessError>
  /** Ends it with all that it has started, politely and then by force, and waits until nobody is left. */
  readonly kill: Effect.Effect<void, ProcessError>
  /** Sends a signal to its group, and waits for nothing. One that has ended gets none. */
  readonly signal: (name: typeof ProcessSignal.Type) => Effect.Effect<void, ProcessError>
}

const outOfScope = new ProcessError({
  code: "ENDED",
  detail:
    "the command was ended with the scope that it was started in; read what it writes and wait for it inside"
})

const silent = new ProcessError({
  code: "SPAWN_FAILED",
  detail: "the command was lost without its exit; start it again"
})

type Events = (input: ProcessInput) => ReturnType<ProcessOperations["start"]>

/** The two outputs, the end, and who waits for them. */
class Ears<E> {
  private isKilled = false
  private awaiting = 0
  readonly stdout: Outlet<E> = new Outlet((isRead) => this.isLetGo(isRead, this.stderr))
  readonly stderr: Outlet<E> = new Outlet((isRead) => this.isLetGo(isRead, this.stdout))

  constructor(readonly ended: Deferred.Deferred<Ended, E>) {}

  private isLetGo(isRead: boolean, other: Outlet<E>): boolean {
    return this.isKilled || (!isRead && (this.awaiting > 0 || other.isRead))
  }

  readonly look = (): void => {
    this.stdout.wake()
    this.stderr.wake()
  }

  /** From now on nobody is waited for who reads slowly. */
  readonly kill = (): void => {
    this.isKilled = true
    this.look()
  }

  readonly exit: Effect.Effect<Ended, E> = Effect.acquireUseRelease(
    Effect.sync(() => {
      this.awaiting++
      this.look()
    }),
    () => Deferred.await(this.ended),
    () =>
      Effect.sync(() => {
        this.awaiting--
      })
  )

  hear(event: typeof ProcessEvent.Type): Effect.Effect<unknown> {
    if (event._tag !== "Exit") return (event._tag === "Stdout" ? this.stdout : this.stderr).put(event.bytes)
    const { _tag, ...ended } = event
    const isCut = this.stdout.isCut || this.stderr.isCut
    return Deferred.succeed(this.ended, isCut ? { ...ended, truncated: true } : ended)
  }

  finish(exit: Exit.Exit<void, E>): Effect.Effect<unknown> {
    this.stdout.end(exit)
    this.stderr.end(exit)
    return Exit.isFailure(exit) ? Deferred.failCause(this.ended, exit.cause) : Effect.void
  }
}

/** How many orders may be on their way before who gives the next waits. */
const ORDERS = 16

/**
 * Starts a command, and answers when it runs. `standing` refuses to those who may no longer use it.
 *
 * @since 0.1.0
 * @category constructors
 */
export const begin = <E, R>(
  events: Events,
  source: Source<E, R> | undefined,
  standing: Effect.Effect<void, ProcessError>
): Effect.Effect<Running<E>, ProcessError | E, R | Scope.Scope> =>
  Effect.uninterruptibleMask((restore) =>
    Effect.gen(function* () {
      type Fails = ProcessError | E
      const ready = yield* Deferred.make<number | undefined, Fails>()
      const ears = new Ears<Fails>(yield* Deferred.make<Ended, Fails>())
      const orders = yield* Mailbox.make<typeof ProcessOrder.Type>({ capacity: ORDERS })
      const input = { orders: Mailbox.toStream(orders) }
      const listening = (given: ProcessInput) =>
        Stream.runForEach(events(given), (event) =>
          event._tag === "Started" ? Deferred.succeed(ready, event.pid) : ears.hear(event)
        )
      const whole: Effect.Effect<void, Fails, R> =
        source === undefined ? listening(input) : fed(source, (stdin) => listening({ ...input, stdin }))
      const finish = (exit: Exit.Exit<void, Fails>) => {
        const heard = Exit.match(exit, {
          onSuccess: () => exit,
          onFailure: (cause) => (Cause.isInterruptedOnly(cause) ? Exit.fail(outOfScope) : exit)
        })
        const unheard = Exit.isSuccess(heard) ? Exit.fail(silent) : heard
        return Effect.all([
          orders.end,
          ears.finish(heard),
          Deferred.done(ears.ended, unheard as Exit.Exit<never, Fails>),
          Deferred.done(ready, unheard as Exit.Exit<never, Fails>)
        ])
      }
      const fiber = yield* Effect.forkScoped(Effect.onExit(restore(whole), finish))
      const pid = yield* Effect.onError(restore(Deferred.await(ready)), () => Fiber.interrupt(fiber))
      const guarded = <A, X>(effect: Effect.Effect<A, X>) => Effect.zipRight(standing, effect)
      const output = (outlet: Outlet<Fails>) =>
        Stream.mapChunksEffect(outlet.stream(ears.look), (chunk) => Effect.as(standing, chunk))
      const exit = guarded(ears.exit)
      return {
        pid,
        stdout: output(ears.stdout),
        stderr: output(ears.stderr),
        exit,
        isRunning: guarded(Effect.map(Deferred.isDone(ears.ended), (isDone) => !isDone)),
        kill: guarded(
          Effect.suspend(() => {
            ears.kill()
            return Effect.zipRight(orders.offer("END"), Effect.exit(Deferred.await(ears.ended)))
          })
        ),
        signal: (name) => guarded(Effect.asVoid(orders.offer(name)))
      }
    })
  )
