/** What is kept of the calls of one batch: how long each took and what came of it. Nobody is told of a result before. */
import { type Clock, Context, Effect } from "effect"
import type { Result } from "../Call.js"
import * as ToolResult from "../ToolResult.js"
import { bare, fork } from "./batch.js"
import type { Batch, Entries } from "./entries.js"
import type { Recorder } from "./Recorder.js"
import { reading, timeOf } from "./watch.js"

const nothing = bare(Context.empty())

/** Where the log is, and what is wrong with it, is not the model's to know. */
const withheld = ToolResult.fail(
  "execution_failed",
  "AUDIT_UNWRITABLE: what was decided could not be kept, so the result is withheld; what the call did may have happened"
)

export const refusedBehind = ToolResult.fail(
  "not_available",
  "AUDIT_UNWRITABLE: what is decided cannot be kept now, so nothing was done; try again when the audit log can be written"
)

type Told = (index: number, result: ToolResult.ToolResult) => void

export class Keeping {
  /** When the call was started that is started now: one behind the other, so that most need no reading of their own. */
  private from = Number.NaN
  /** When those were started that have to be waited for. */
  private startedAt: Map<number, number> | undefined
  /** Calls that ended in the same millisecond: of each its index, and how many microseconds it took. */
  private readonly ends: Array<number>
  private length = 0
  private time = ""
  private told: Set<number> | undefined
  private isTelling = false

  constructor(
    private readonly entries: Entries,
    private readonly recorder: Recorder,
    private readonly batch: Batch,
    private readonly clock: Clock.Clock,
    /** Whoever wants each result as it comes. */
    private readonly tell: Told | undefined
  ) {
    // Of the right length: what grows is copied again and again.
    this.ends = new Array(batch.calls.length * 2)
    recorder.started(clock)
  }

  /** The first of the calls is started. */
  begins(): void {
    this.from = reading(this.clock)
  }

  /** A call is started and has to be waited for. */
  runs(index: number): void {
    this.startedAt ??= new Map()
    this.startedAt.set(index, this.from)
    this.from = reading(this.clock)
  }

  /** Some of the calls have to be waited for. */
  waits(): void {
    this.recorder.waits(this.clock)
  }

  /** A call is answered, as is written down; one that settled at once was started just now. */
  answers(index: number, isStarted: boolean): void {
    this.keep(index, isStarted)
    if (this.tell === undefined || this.isTelling) return
    this.isTelling = true
    fork(nothing, [], undefined, Effect.zipRight(Effect.yieldNow(), this.telling))
  }

  /** Those who wait for each result are told of all that are there by then, after one flush. */
  private get telling(): Effect.Effect<void> {
    return Effect.suspend(() => {
      this.isTelling = false
      const due = [...this.batch.calls.keys()].filter(
        (index) => this.batch.results[index] !== undefined && this.told?.has(index) !== true
      )
      if (due.length === 0) return Effect.void
      return Effect.map(this.recorder.flush, (failure) => {
        if (failure === undefined || !this.recorder.isClosed) this.tellAll(due)
      })
    })
  }

  /** The results as they may be handed out: themselves where all is kept by now, else what must be run for them. */
  handedOut(results: ReadonlyArray<Result>): ReadonlyArray<Result> | Effect.Effect<ReadonlyArray<Result>> {
    const flushing = this.recorder.flushed()
    if (flushing !== undefined) return Effect.flatMap(flushing, (failure) => this.shown(results, failure))
    this.tellAll(this.batch.calls.keys())
    return results
  }

  private shown(results: ReadonlyArray<Result>, failure: { readonly message: string } | undefined) {
    const isWithheld = failure !== undefined && this.recorder.isClosed
    const { told } = this
    const shown = isWithheld
      ? results.map((one, index) => (told?.has(index) === true ? one : { ...one, result: withheld }))
      : results
    this.tellAll(this.batch.calls.keys(), isWithheld ? withheld : undefined)
    if (failure === undefined) return Effect.succeed(shown)
    return Effect.as(Effect.logError("the audit log is not written", failure.message), shown)
  }

  /** Nobody waits for the results any more; what was decided is kept all the same. */
  get interrupted(): Effect.Effect<void> {
    return Effect.suspend(() => {
      for (let index = 0; index < this.batch.calls.length; index++) {
        if (this.batch.results[index] === undefined) this.keep(index, false)
      }
      return Effect.asVoid(this.recorder.flush)
    })
  }

  private keep(index: number, isStarted: boolean): void {
    const now = reading(this.clock)
    // One that was never started took no time.
    const started = this.startedAt?.get(index) ?? (isStarted ? this.from : now)
    const micros = Math.round((now - started) * 1000)
    this.from = now
    const time = timeOf(this.clock, now)
    if (time !== this.time) {
      this.give()
      this.time = time
    }
    if (this.length === 0) this.recorder.holds(this)
    this.ends[this.length++] = index
    this.ends[this.length++] = micros > 0 ? micros : 0
  }

  /** The lines are written when they are asked for: all at once, they cost less than each when its call ends. */
  give(): void {
    const { ends, entries, length, time } = this
    if (length === 0) return
    this.length = 0
    this.recorder.add(entries.ended(this.batch, ends, length, time), length >> 1)
  }

  private tellAll(indexes: Iterable<number>, instead?: ToolResult.ToolResult): void {
    if (this.tell === undefined) return
    this.told ??= new Set()
    for (const index of indexes) {
      if (this.told.has(index)) continue
      this.told.add(index)
      this.tell(index, instead ?? this.batch.results[index] ?? withheld)
    }
  }
}
