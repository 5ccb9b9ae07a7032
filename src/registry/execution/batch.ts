/**
 * Runs calls side by side and waits for the last. A call that settles at once costs a fork and no more; only what is
 * still running is observed, timed and, when the batch is interrupted, interrupted with it. A call that will not end
 * is left behind at its deadline, so that it holds up nobody.
 */
import {
  type Clock,
  Context,
  Duration,
  Effect,
  Exit,
  type Fiber,
  FiberId,
  FiberRef,
  FiberRefs,
  Runtime,
  RuntimeFlags
} from "effect"
import { type Call, currentCall, end } from "../../policy/gate/Call.js"

/** Without fiber refs, so that the runtime has none to copy: they are put in place once, below. */
const bare = <R>(context: Context.Context<R>): Runtime.Runtime<R> =>
  Runtime.make({ context, fiberRefs: noRefs, runtimeFlags })

const noRefs = FiberRefs.empty()

/** The usual ones, but for the metrics that the runtime keeps of every fiber: they cost more than a call's decision. */
const runtimeFlags = RuntimeFlags.disable(Runtime.defaultRuntimeFlags, RuntimeFlags.RuntimeMetrics)

type Locals = Map<FiberRef.FiberRef<unknown>, readonly [readonly [FiberId.Single, unknown]]>

/** Starts an effect in a Context of its own, with no more inherited than is given. This is the hot path of a call. */
export const fork = <A, E>(
  context: Context.Context<never>,
  inherited: FiberRefs.FiberRefs,
  call: Call | undefined,
  effect: Effect.Effect<A, E>
): Fiber.RuntimeFiber<A, E> =>
  // biome-ignore lint/plugin: the registry is where calls start, each in a Context of its own
  Runtime.runFork(bare(context), effect, {
    updateRefs: (_refs, fiberId) => {
      // The runtime's own type is a Map of stacks of any value; here each stack has the one entry that a new fiber has.
      const locals = new Map(inherited.locals) as unknown as Locals
      locals.set(FiberRef.currentContext as FiberRef.FiberRef<unknown>, [[fiberId, context]])
      if (call !== undefined) locals.set(currentCall as FiberRef.FiberRef<unknown>, [[fiberId, call]])
      return FiberRefs.unsafeMake(locals)
    }
  })

/** A tool may throw what cannot even be looked at, and the runtime with it. */
export const started = (start: () => Fiber.RuntimeFiber<unknown, unknown>) => {
  try {
    return start()
  } catch {
    return undefined
  }
}

/** What comes of such a call. */
export const unreadable: Exit.Exit<never> = Exit.die(new Error("it threw what cannot be looked at"))

export interface Job {
  readonly id: string
  /** What its services are good for. It ends with the fiber, so that a tool can still clean up after itself. */
  readonly call: Call
  readonly context: Context.Context<never>
  readonly deadlineMillis: number
}

export type Settled = Exit.Exit<unknown, unknown> | "expired" | "cancelled"

export interface Settings<J extends Job> {
  readonly concurrency: number
  readonly inherited: FiberRefs.FiberRefs
  readonly clock: Clock.Clock
  readonly effectOf: (job: J) => Effect.Effect<unknown, unknown>
  /** Hears of each call as it settles. */
  readonly onSettled: (job: J, settled: Settled) => void
}

/** How long an interrupted batch waits for its calls to clean up after themselves. */
const GRACE = Duration.seconds(10)

const nothing: Context.Context<never> = Context.empty()

interface Running {
  readonly fiber: Fiber.RuntimeFiber<unknown, unknown>
  readonly endsAt: number
}

export class Batch<J extends Job> {
  private readonly running = new Map<J, Running>()
  private next = 0
  private left: number
  private filling = false
  private stopped = false
  /** Calls that were cancelled before they started. */
  private gone: Set<J> | undefined
  private onDone: (() => void) | undefined
  private watcher: Fiber.RuntimeFiber<void> | undefined
  private wakesAt = Number.POSITIVE_INFINITY

  constructor(
    private readonly jobs: ReadonlyArray<J>,
    private readonly settings: Settings<J>
  ) {
    this.left = jobs.length
  }

  get isDone(): boolean {
    return this.left === 0
  }

  /** Starts what may run at once. Whoever calls it must not be interruptible until it waits. */
  begin(): void {
    // A call that settles at once comes back here from inside the loop, which then goes on.
    if (this.filling) return
    this.filling = true
    while (!this.stopped && this.next < this.jobs.length && this.running.size < this.settings.concurrency) {
      const job = this.jobs[this.next++] as J
      if (this.gone?.has(job) !== true) this.start(job)
    }
    this.filling = false
  }

  /** Settles when every call has. What it was interrupted in is for `interrupt` to clean up. */
  get wait(): Effect.Effect<void> {
    return Effect.async<void>((resume) => {
      this.onDone = () => resume(Effect.void)
      if (this.left === 0) this.onDone()
      else this.watch()
    })
  }

  /** Settles one call, or all that are left, as cancelled. */
  cancel(id?: string): boolean {
    // Those that wait go first: the end of one that runs would start them.
    return this.jobs
      .filter((job) => id === undefined || job.id === id)
      .reverse()
      .map((job) => this.abandon(job, "cancelled"))
      .includes(true)
  }

  private start(job: J): void {
    const { clock, effectOf, inherited } = this.settings
    const fiber = started(() => fork(job.context, inherited, job.call, effectOf(job)))
    const exit = fiber === undefined ? unreadable : fiber.unsafePoll()
    if (fiber === undefined || exit !== null) {
      end(job.call)
      this.settle(job, exit ?? unreadable)
      return
    }
    const endsAt = clock.unsafeCurrentTimeMillis() + job.deadlineMillis
    this.running.set(job, { fiber, endsAt })
    fiber.addObserver((ended) => {
      end(job.call)
      if (this.running.delete(job)) this.settle(job, ended)
    })
    if (this.onDone !== undefined && endsAt < this.wakesAt) this.watch()
  }

  private settle(job: J, settled: Settled): void {
    this.left -= 1
    this.settings.onSettled(job, settled)
    if (this.onDone === undefined) return
    if (this.left > 0) this.begin()
    else {
      this.watcher?.unsafeInterruptAsFork(FiberId.none)
      this.onDone()
    }
  }

  private abandon(job: J, settled: "expired" | "cancelled"): boolean {
    const running = this.running.get(job)
    if (running !== undefined) {
      this.running.delete(job)
      running.fiber.unsafeInterruptAsFork(FiberId.none)
      this.endInTime(job, running.fiber)
    } else {
      const waits = this.jobs.indexOf(job) >= this.next && this.gone?.has(job) !== true
      if (!waits) return false
      this.gone ??= new Set()
      this.gone.add(job)
    }
    this.settle(job, settled)
    return true
  }

  /** A call that does not heed its interruption loses its services after a while. */
  private endInTime({ call }: J, fiber: Running["fiber"]): void {
    const { clock, inherited } = this.settings
    const patience = fork(
      nothing,
      inherited,
      undefined,
      Effect.map(clock.sleep(GRACE), () => end(call))
    )
    fiber.addObserver(() => patience.unsafeInterruptAsFork(FiberId.none))
  }

  /** One timer for all calls: it wakes at the next deadline. */
  private watch(): void {
    const { clock, inherited } = this.settings
    this.watcher?.unsafeInterruptAsFork(FiberId.none)
    const loop = Effect.gen(this, function* () {
      while (this.running.size > 0) {
        const now = clock.unsafeCurrentTimeMillis()
        for (const [job, { endsAt }] of [...this.running]) if (endsAt <= now) this.abandon(job, "expired")
        this.wakesAt = Number.POSITIVE_INFINITY
        for (const { endsAt } of this.running.values()) this.wakesAt = Math.min(this.wakesAt, endsAt)
        if (this.running.size > 0) yield* clock.sleep(Duration.millis(this.wakesAt - now))
      }
    })
    this.watcher = fork(nothing, inherited, undefined, loop)
  }

  /** Interrupts what runs, starts nothing more, and waits until it has cleaned up, within reason. */
  get interrupt(): Effect.Effect<void> {
    return Effect.async<void>((resume) => {
      const { clock, inherited } = this.settings
      this.stopped = true
      this.watcher?.unsafeInterruptAsFork(FiberId.none)
      const fibers = Array.from(this.running.values(), ({ fiber }) => fiber)
      for (const [job, { fiber }] of this.running) this.endInTime(job, fiber)
      this.running.clear()
      const patience = fork(
        nothing,
        inherited,
        undefined,
        Effect.map(clock.sleep(GRACE), () => resume(Effect.void))
      )
      let left = fibers.length
      const ended = () => {
        left -= 1
        if (left > 0) return
        patience.unsafeInterruptAsFork(FiberId.none)
        resume(Effect.void)
      }
      for (const fiber of fibers) {
        fiber.addObserver(ended)
        fiber.unsafeInterruptAsFork(FiberId.none)
      }
      if (fibers.length === 0) ended()
    })
  }
}
