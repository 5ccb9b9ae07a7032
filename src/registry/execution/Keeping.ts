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
  "AUDIT_UNWRITABLE: what was decided before could not be kept yet, so nothing was done; try again when the audit log can be written"
)

type Told = (index: number, result: ToolResult.ToolResult) => void

export class Keeping {
  /** The call that was started last, if it runs, and when; most have ended before another is started. */
  private last = -1
  private lastAt = Number.NaN
  /** When the others were started that run. */
  private startedAt: Map<number, number> | undefined
  /** When the last call ended, while calls are started one behind the other: the next starts then, and no clock is asked. */
  private endedAt = Number.NaN
  private isWaiting = false
  /** Calls that ended in the same millisecond: of each its index, and how many microseconds it took. */
  private ends: Array<number> = []
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
    recorder.started(clock)
  }

  starts(index: number): void {
    const { endedAt } = this
    if (this.last >= 0) {
      this.startedAt ??= new Map()
      this.startedAt.set(this.last, this.lastAt)
    }
    this.last = index
    this.lastAt = Number.isNaN(endedAt) ? reading(this.clock) : endedAt
    this.endedAt = Number.NaN
  }

  /** Some of the calls have to be waited for. */
  waits(): void {
    this.isWaiting = true
    this.endedAt = Number.NaN
    this.recorder.waits(this.clock)
  }

  /** A call is answered, as is written down. */
  answers(index: number): void {
    this.keep(index)
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
        if (this.batch.results[index] === undefined) this.keep(index)
      }
      return Effect.asVoid(this.recorder.flush)
    })
  }

  private keep(index: number): void {
    const now = reading(this.clock)
    const started = index === this.last ? this.lastAt : (this.startedAt?.get(index) ?? Number.NaN)
    if (index === this.last) this.last = -1
    const micros = Math.round((now - started) * 1000)
    // One that never started took no time, and says nothing of when the next one starts.
    if (!Number.isNaN(started) && !this.isWaiting) this.endedAt = now
    const time = timeOf(this.clock, now)
    if (time !== this.time) {
      if (this.ends.length > 0) this.give()
      this.time = time
    }
    if (this.ends.length === 0) this.recorder.holds(this)
    this.ends.push(index, micros > 0 ? micros : 0)
  }

  /** The lines are written when they are asked for: all at once, they cost less than each when its call ends. */
  give(): void {
    const { ends, entries, time } = this
    if (ends.length === 0) return
    this.ends = []
    this.recorder.add(entries.ended(this.batch, ends, time), ends.length >> 1)
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
