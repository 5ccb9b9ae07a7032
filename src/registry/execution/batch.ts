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
  type FiberRef,
  FiberRefs,
  Runtime,
  RuntimeFlags
} from "effect"
import { type Call, currentCall, end } from "../../policy/gate/Call.js"

/** What a fiber starts with beside its Context: values by their refs. */
export type Inherited = ReadonlyArray<
  readonly [ref: FiberRef.FiberRef<unknown>, stack: readonly [readonly [FiberId.Single, unknown]]]
>

/** Without fiber refs, so that the runtime has none to copy: they are put in place once, below. */
export const bare = (context: Context.Context<never>): Runtime.Runtime<never> =>
  Runtime.make({ context, fiberRefs: noRefs, runtimeFlags })

const noRefs = FiberRefs.empty()

/** The usual ones, but for the metrics that the runtime keeps of every fiber: they cost more than a call's decision. */
const runtimeFlags = RuntimeFlags.disable(Runtime.defaultRuntimeFlags, RuntimeFlags.RuntimeMetrics)

/** Starts an effect in a Context of its own, with no more inherited than is given. This is the hot path of a call. */
export const fork = <A, E>(
  runtime: Runtime.Runtime<never>,
  inherited: Inherited,
  call: Call | undefined,
  effect: Effect.Effect<A, E>
): Fiber.RuntimeFiber<A, E> =>
  // biome-ignore lint/plugin: the registry is where calls start, each in a Context of its own
  Runtime.runFork(runtime, effect, {
    // These the runtime made for this fiber alone, with its Context in them: nobody needs a copy.
    updateRefs: (refs, fiberId) => {
      const { locals } = refs
      for (let i = 0; i < inherited.length; i++) {
        const [ref, stack] = inherited[i] as Inherited[number]
        locals.set(ref, stack)
      }
      if (call !== undefined) locals.set(currentCall, [[fiberId, call]])
      return refs
    }
  })

type AnyFiber = Fiber.RuntimeFiber<unknown, unknown>

/** A tool may throw what cannot even be looked at, and the runtime with it. */
export const started = (start: () => AnyFiber): AnyFiber | undefined => {
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
  readonly ready: { readonly runtime: Runtime.Runtime<never>; readonly deadlineMillis: number }
}

export type Settled = Exit.Exit<unknown, unknown> | "expired" | "cancelled"

/** On what terms calls run. */
export interface Terms<J extends Job> {
  readonly clock: Clock.Clock
  effectOf(job: J): Effect.Effect<unknown, unknown>
  /** Hears of each call that does not settle at once. */
  runs(job: J): void
  /** Hears of each call as it settles. */
  settled(job: J, settled: Settled): void
}

/** Starts a call: what comes of it if it settles at once, or else what runs. */
export const launched = <J extends Job>(
  job: J,
  inherited: Inherited,
  terms: Terms<J>
): { readonly exit: Exit.Exit<unknown, unknown> } | { readonly exit: null; readonly fiber: AnyFiber } => {
  const fiber = started(() => fork(job.ready.runtime, inherited, job.call, terms.effectOf(job)))
  const exit = fiber === undefined ? unreadable : fiber.unsafePoll()
  if (fiber !== undefined && exit === null) return { exit, fiber }
  end(job.call)
  return { exit: exit ?? unreadable }
}

/** How long an interrupted batch waits for its calls to clean up after themselves. */
const GRACE = Duration.seconds(10)

const nothing = bare(Context.empty())

interface Running {
  readonly fiber: AnyFiber
  readonly endsAt: number
}

export class Batch<J extends Job> {
  /** None, for as long as calls settle at once. */
  private running: Map<J, Running> | undefined
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
    private readonly inherited: Inherited,
    private readonly concurrency: number,
    private readonly terms: Terms<J>
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
    while (
      !this.stopped &&
      this.next < this.jobs.length &&
      (this.running === undefined || this.running.size < this.concurrency)
    ) {
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
    const call = launched(job, this.inherited, this.terms)
    if (call.exit === null) this.keep(job, call.fiber)
    else this.settle(job, call.exit)
  }

  /** Takes over a call that was started already, the first. */
  adopt(job: J, fiber: AnyFiber): void {
    this.next += 1
    this.keep(job, fiber)
  }

  private keep(job: J, fiber: AnyFiber): void {
    const { terms } = this
    terms.runs(job)
    const endsAt = terms.clock.unsafeCurrentTimeMillis() + job.ready.deadlineMillis
    this.running ??= new Map()
    const { running } = this
    running.set(job, { fiber, endsAt })
    fiber.addObserver((ended) => {
      end(job.call)
      if (running.delete(job)) this.settle(job, ended)
    })
    if (this.onDone !== undefined && endsAt < this.wakesAt) this.watch()
  }

  private settle(job: J, settled: Settled): void {
    this.left -= 1
    this.terms.settled(job, settled)
    if (this.onDone === undefined) return
    if (this.left > 0) this.begin()
    else {
      this.watcher?.unsafeInterruptAsFork(FiberId.none)
      this.onDone()
    }
  }

  private abandon(job: J, settled: "expired" | "cancelled"): boolean {
    const running = this.running?.get(job)
    if (running !== undefined) {
      this.running?.delete(job)
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
    const patience = fork(
      nothing,
      this.inherited,
      undefined,
      Effect.map(this.terms.clock.sleep(GRACE), () => end(call))
    )
    fiber.addObserver(() => patience.unsafeInterruptAsFork(FiberId.none))
  }

  /** One timer for all calls: it wakes at the next deadline. */
  private watch(): void {
    const { clock } = this.terms
    const { running = new Map() } = this
    this.watcher?.unsafeInterruptAsFork(FiberId.none)
    const loop = Effect.gen(this, function* () {
      while (running.size > 0) {
        const now = clock.unsafeCurrentTimeMillis()
        for (const [job, { endsAt }] of [...running]) if (endsAt <= now) this.abandon(job, "expired")
        this.wakesAt = Number.POSITIVE_INFINITY
        for (const { endsAt } of running.values()) this.wakesAt = Math.min(this.wakesAt, endsAt)
        if (running.size > 0) yield* clock.sleep(Duration.millis(this.wakesAt - now))
      }
    })
    this.watcher = fork(nothing, this.inherited, undefined, loop)
  }

  /** Interrupts what runs, starts nothing more, and waits until it has cleaned up, within reason. */
  get interrupt(): Effect.Effect<void> {
    return Effect.async<void>((resume) => {
      const { running = new Map<J, Running>() } = this
      this.stopped = true
      this.watcher?.unsafeInterruptAsFork(FiberId.none)
      const fibers = Array.from(running.values(), ({ fiber }) => fiber)
      for (const [job, { fiber }] of running) this.endInTime(job, fiber)
      running.clear()
      const patience = fork(
        nothing,
        this.inherited,
        undefined,
        Effect.map(this.terms.clock.sleep(GRACE), () => resume(Effect.void))
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
