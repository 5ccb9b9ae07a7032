/**
 * Has what was decided kept before anybody is told of it. Lines gather while calls run, and are given to the sink
 * together: once for all that is there when somebody waits for it. What a sink does not take is given to it again.
 */
import { Cause, type Clock, Context, Duration, Effect, type Fiber, FiberId } from "effect"
import { VERSION } from "../../audit/AuditEntry.js"
import { Encoder, entriesOf } from "../../audit/AuditLine.js"
import { AuditError, type AuditSink } from "../../audit/AuditSink.js"
import { getOrSet } from "../../policy/Memo.js"
import { bare, fork } from "./batch.js"
import { nowOf } from "./watch.js"

/** So many entries wait for a sink that does not take them, and so long; what is more is counted, and the count is kept. */
const CAPACITY = 100_000
const LENGTH = 64 * 1024 * 1024

/** What is decided in a call that takes longer is kept before the call has ended: the process may end first. */
const INTERVAL = Duration.seconds(1)

const nothing = bare(Context.empty())

const recorders = new WeakMap<AuditSink.Service, Recorder>()

/** One for all turns that are kept in one place. */
export const recorderOf = (sink: AuditSink.Service): Recorder =>
  getOrSet(recorders, sink, () => new Recorder(sink))

const asError = (cause: Cause.Cause<AuditError>): AuditError => {
  const failure = Cause.failureOption(cause)
  return failure._tag === "Some"
    ? failure.value
    : new AuditError({ code: "AUDIT_UNWRITABLE", detail: "the audit log broke unexpectedly" })
}

/** Has lines, and gives them when they are asked for. */
interface Held {
  give(): void
}

/** Lines that wait, and how many more there were. */
interface Pending {
  readonly lines: string
  readonly count: number
  readonly lost: number
}

export class Recorder {
  private held: Held | undefined
  private lines = ""
  private count = 0
  private lost = 0
  private batches = 0
  private isLate = false
  private isWriting = false
  /** Those who come while it is written: they find that others have written for them, or write for others. */
  private waiting: Array<() => void> = []
  private ticking: Fiber.RuntimeFiber<unknown> | undefined
  private clock: Clock.Clock | undefined
  /** Why the last attempt failed, for as long as none has succeeded since. */
  private failure: AuditError | undefined

  constructor(private readonly sink: AuditSink.Service) {}

  get isClosed(): boolean {
    return this.sink.onFailure === "closed"
  }

  /** Where nothing is to be done that cannot be kept: what is asked first, and answers why it cannot be. */
  get asked(): Effect.Effect<AuditError | undefined> | undefined {
    if (!this.isClosed) return undefined
    // What was decided before is not kept yet.
    if (this.failure !== undefined) return this.flush
    const { reached } = this.sink
    return reached && Effect.matchCause(reached, { onFailure: asError, onSuccess: () => undefined })
  }

  /** Lines, each with its newline. */
  add(lines: string, count = 1): void {
    this.take()
    if (this.count + count <= CAPACITY && this.lines.length < LENGTH) {
      this.lines += lines
      this.count += count
    } else this.lost += count
    if (this.batches === 0) this.flushLate()
  }

  /** Somebody has lines that come next; they are asked for before any other. */
  holds(held: Held): void {
    if (this.held === held) return
    this.take()
    this.held = held
  }

  /** Takes what is held. */
  private take(): void {
    const { held } = this
    if (held === undefined) return
    this.held = undefined
    held.give()
  }

  /** While calls run, their entries wait for them. */
  started(clock: Clock.Clock): void {
    this.clock = clock
    this.batches += 1
  }

  /** Calls have to be waited for. */
  waits(clock: Clock.Clock): void {
    this.ticking ??= fork(
      nothing,
      [],
      undefined,
      Effect.forever(Effect.zipRight(clock.sleep(INTERVAL), this.flush))
    )
  }

  ended(): void {
    this.batches -= 1
    if (this.batches > 0) return
    this.ticking?.unsafeInterruptAsFork(FiberId.none)
    this.ticking = undefined
    this.take()
    if (this.count > 0 && this.failure === undefined) this.flushLate()
  }

  /** Settles when all that was added is kept, or with the reason why it is not. */
  readonly flush: Effect.Effect<AuditError | undefined> = Effect.uninterruptible(
    Effect.suspend(() => this.flushed() ?? Effect.succeed(undefined))
  )

  /** Gives the sink what is there. Nothing, where all is kept by then; else what must be run, and settles as `flush` does. */
  flushed(): Effect.Effect<AuditError | undefined> | undefined {
    if (this.isWriting) return Effect.zipRight(this.turn, this.flush)
    this.take()
    const { count, lines, lost } = this
    if (count === 0 && lost === 0) return undefined
    const given = { lines, count, lost }
    this.lines = ""
    this.count = 0
    this.lost = 0
    this.isWriting = true
    const keeping = this.keep(lost === 0 ? lines : lines + this.gap(lost))
    if (keeping !== undefined) return this.settling(given, keeping)
    this.over(undefined)
    return undefined
  }

  /** Without a fiber where the sink needs none. */
  private keep(lines: string): Effect.Effect<void, AuditError> | undefined {
    const { append } = this.sink
    if (append.lines === undefined) return Effect.suspend(() => this.sink.append(entriesOf(lines)))
    try {
      return append.lines(lines, nowOf(this.clock))
    } catch (error) {
      return Effect.die(error)
    }
  }

  private settling(given: Pending, keeping: Effect.Effect<void, AuditError>) {
    return Effect.matchCause(keeping, {
      onSuccess: () => this.over(undefined),
      onFailure: (cause) => {
        this.lines = given.lines + this.lines
        this.count += given.count
        this.lost += given.lost
        return this.over(asError(cause))
      }
    })
  }

  private over(failure: AuditError | undefined): AuditError | undefined {
    this.isWriting = false
    this.failure = failure
    if (this.waiting.length === 0) return failure
    const { waiting } = this
    this.waiting = []
    for (const resume of waiting) resume()
    return failure
  }

  /** Settles when nobody writes. */
  private readonly turn: Effect.Effect<void> = Effect.async((resume) => {
    if (this.isWriting) this.waiting.push(() => resume(Effect.void))
    else resume(Effect.void)
  })

  private gap(lost: number): string {
    const why = this.failure?.message ?? "there were too many at once"
    const time = new Date(nowOf(this.clock)).toISOString()
    return new Encoder().lines([{ v: VERSION, type: "gap", time, lost, why }])
  }

  /** What is decided when no call runs, such as for a server that lives longer, is waited for by nobody. */
  private flushLate(): void {
    if (this.isLate) return
    this.isLate = true
    const flushing = Effect.zipRight(
      Effect.yieldNow(),
      Effect.suspend(() => {
        this.isLate = false
        return this.flush
      })
    )
    fork(nothing, [], undefined, flushing)
  }
}
