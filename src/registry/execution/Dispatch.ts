/**
 * Executes the calls of a turn: admits each, runs those that may, and cuts what they answer to the budget. The caller
 * is not interruptible: between the start of a call and the wait for it, nothing may be lost.
 */
import { type Cause, type Clock, Effect, type Fiber } from "effect"
import { Call as Running } from "../../policy/gate/Call.js"
import type * as Tool from "../../tools/Tool.js"
import type { Call, Result } from "../Call.js"
import * as ToolResult from "../ToolResult.js"
import { type Availability, admit } from "./Admission.js"
import { type Cache, keyOf } from "./AnswerCache.js"
import { withinBudget } from "./Budget.js"
import { Batch, type Inherited, type Job, launched, type Settled, type Terms } from "./batch.js"
import { type Defect, loggingDefects, loggingRefusals } from "./complaints.js"
import { Keeping, refusedBehind } from "./Keeping.js"
import { outside } from "./Outside.js"
import { defectOf, effectOf, expired, interrupted, outcomeOf, short } from "./outcome.js"
import type { Kept, Ready, Session } from "./Session.js"
import { reading, timeOf } from "./watch.js"

/** What a registry has. */
interface Stock {
  readonly tools: ReadonlyMap<string, Tool.Any>
  readonly cache: Cache
}

export interface DispatchSettings {
  readonly signal?: AbortSignal | undefined
  readonly onResult?: ((result: Result) => void) | undefined
  /** As `onResult`, by the place of the call: ids are a model's, and may be the same. */
  readonly onResultAt?: ((at: number, result: ToolResult.ToolResult) => void) | undefined
}

/** A call that runs: where its result goes, and under which key it may be kept. */
interface Started extends Job {
  readonly index: number
  readonly ready: Ready
  readonly args: unknown
  readonly key: string | undefined
}

type AnyFiber = Fiber.RuntimeFiber<unknown, unknown>

const traced = (
  effect: Effect.Effect<unknown, unknown>,
  { name }: Tool.Any,
  { policy, session }: Session["turn"],
  parent: NonNullable<AnyFiber["currentSpan"]>
): Effect.Effect<unknown, unknown> =>
  Effect.withSpan(effect, `Tool.${name}`, {
    parent,
    attributes: { tool: name, session, revision: policy.revision }
  })

/** Stands for a reference that nobody gave a value. */
const absent = {}

/** What a tool has of the services that it lists. */
const given = ({ context: { unsafeMap }, planned }: Ready): ReadonlyArray<unknown> =>
  planned.tool.services.map((key) => (unsafeMap.has(key) ? unsafeMap.get(key) : absent))

const dry = (tool: Tool.Any, call: Call): ToolResult.ToolResult => {
  const args = JSON.stringify(call.args) ?? "nothing"
  return ToolResult.succeed(`dry run: ${tool.name} would be called with ${args}`)
}

/** The shape of a result is ours; only what a tool put into it can hold a secret. */
const shownOf = ({ scrubber }: Session, result: ToolResult.ToolResult): ToolResult.ToolResult => {
  if (result.ok) {
    const value = scrubber.value(result.value)
    return value === result.value ? result : { ...result, value }
  }
  if (scrubber.isEmpty && result.denial === undefined) return { ...result, error: short(result.error) }
  const { denial } = result
  return {
    ...result,
    error: short(scrubber.text(result.error)),
    ...(denial === undefined ? {} : { denial: scrubber.value(denial) })
  }
}

const unreadable = (tool: Tool.Any) =>
  ToolResult.fail("execution_failed", `${tool.name} answered with what cannot be read`)

const resultOf = ({ deadlineMillis, planned }: Ready, settled: Settled): ToolResult.ToolResult =>
  settled === "expired"
    ? expired(planned.tool, deadlineMillis)
    : settled === "cancelled"
      ? interrupted
      : outcomeOf(planned, settled)

type Restore = <A>(effect: Effect.Effect<A>) => Effect.Effect<A>

/** What runs, or what came of it. */
type Begun = Batch<Started> | ReadonlyArray<Result>

const settled = <A>(given: ReadonlyArray<A> | Effect.Effect<ReadonlyArray<A>>) =>
  Effect.isEffect(given) ? given : Effect.succeed(given)

/** The calls of one batch. Methods and few closures: what it makes, a batch of one pays alone. */
class Dispatch implements Terms<Started> {
  readonly results: Array<ToolResult.ToolResult>
  /** Of the right length if none is refused: what grows takes room for more than there will be. */
  private started: Array<Started>
  private admissions = 0
  private defects: Array<Defect> | undefined
  private keeping: Keeping | undefined

  constructor(
    private readonly session: Session,
    private readonly stock: Stock,
    private readonly settings: DispatchSettings,
    private readonly available: Availability,
    readonly calls: ReadonlyArray<Call>,
    private readonly parent: AnyFiber
  ) {
    this.results = new Array(calls.length)
    this.started = new Array(calls.length)
  }

  run(restore: Restore): Effect.Effect<ReadonlyArray<Result>> {
    const { kept } = this.session
    if (kept === undefined) return this.proceed(this.begunOutside(), restore)
    const { asked } = kept.recorder
    if (asked === undefined) return this.recorded(kept, restore)
    return Effect.flatMap(asked, (failure) =>
      failure === undefined ? this.recorded(kept, restore) : this.refused(kept)
    )
  }

  /** What settles at once, and is kept at once, pays for nothing but its lines and the write. */
  private recorded({ entries, recorder }: Kept, restore: Restore): Effect.Effect<ReadonlyArray<Result>> {
    const { onResult, onResultAt } = this.settings
    const tell = (onResult ?? onResultAt) === undefined ? undefined : this.tell.bind(this)
    const keeping = new Keeping(entries, recorder, this, this.clock, tell)
    this.keeping = keeping
    let handed: ReturnType<Keeping["handedOut"]>
    try {
      const begun = this.begunOutside()
      handed =
        begun === undefined || begun instanceof Batch || this.defects !== undefined
          ? Effect.flatMap(
              Effect.onInterrupt(this.proceed(begun, restore), () => keeping.interrupted),
              (all) => settled(keeping.handedOut(all))
            )
          : keeping.handedOut(begun)
    } catch (error) {
      handed = Effect.die(error)
    }
    if (Effect.isEffect(handed)) {
      return Effect.ensuring(
        handed,
        Effect.sync(() => recorder.ended())
      )
    }
    recorder.ended()
    return Effect.succeed(handed)
  }

  /** Nothing is done while nothing is kept; that it was refused is owed. */
  private refused({ entries, recorder }: Kept): Effect.Effect<ReadonlyArray<Result>> {
    const { revision } = this.session.turn.policy
    return Effect.sync(() => {
      this.results.fill(refusedBehind)
      recorder.started(this.clock)
      const ends = this.calls.flatMap((_, index) => [index, 0])
      const time = timeOf(this.clock, reading(this.clock))
      recorder.add(entries.ended(this, ends, ends.length, time), this.calls.length)
      recorder.ended()
      return this.calls.map(({ id, name }, index) => {
        this.tell(index, refusedBehind)
        return { id, name, result: refusedBehind, revision }
      })
    })
  }

  private begunOutside(): Begun | undefined {
    return outside(() => this.begun())
  }

  private proceed(begun: Begun | undefined, restore: Restore): Effect.Effect<ReadonlyArray<Result>> {
    if (begun === undefined) {
      const begin = Effect.suspend(() =>
        this.ending(
          outside(() => this.begin()),
          restore
        )
      )
      return Effect.zipRight(loggingRefusals(this.session, this.results), begin)
    }
    return this.ending(begun, restore)
  }

  /** What runs, or what came of it if all has settled already; nothing while refusals are to be logged first. */
  private begun(): Begun | undefined {
    const { calls } = this
    for (let index = 0; index < calls.length; index++) {
      const result = this.admitted(calls[index] as Call, index)
      if (result !== undefined) this.answer(index, result, false)
    }
    if (this.admissions === calls.length) return this.begin()
    this.started = this.started.slice(0, this.admissions)
    return undefined
  }

  /** The result, where there is one already; else the call is put among those that run. */
  private admitted(call: Call, index: number): ToolResult.ToolResult | undefined {
    const { session, stock } = this
    if (this.settings.signal?.aborted === true) return interrupted
    const admission = admit(session, stock.tools, this.available, call)
    if (admission._tag === "Refused") {
      const { defect, result } = admission
      if (defect !== undefined) this.broke(call.id, call.name, defect)
      return result
    }
    const { args, ready } = admission
    const { tool } = ready.planned
    if (session.turn.dryRun) return dry(tool, call)
    const key = tool.cache ? keyOf(session.turn, call.args, given(ready)) : undefined
    const kept = key === undefined ? undefined : stock.cache.get(tool, key)
    if (kept !== undefined) return ToolResult.succeed(kept.value)
    const { id } = call
    this.started[this.admissions++] = { id, call: new Running(id, ready.owner), index, ready, args, key }
    return undefined
  }

  private begin(): Begun {
    const inherited = this.session.surroundingsOf(this.parent)
    this.keeping?.begins()
    const [first] = this.started
    if (first !== undefined && this.started.length === 1) return this.alone(first, inherited)
    const batch = new Batch<Started>(this.started, inherited, this.session.turn.concurrency, this)
    batch.begin()
    return batch.isDone ? this.done() : batch
  }

  /** One call needs a batch only if it has to be waited for. */
  private alone(call: Started, inherited: Inherited): Begun {
    const run = launched(call, inherited, this)
    if (run.exit !== null) {
      this.taken(call, run.exit)
      return this.done()
    }
    const batch = new Batch<Started>(this.started, inherited, 1, this)
    batch.adopt(call, run.fiber)
    return batch
  }

  private done(): ReadonlyArray<Result> {
    return withinBudget(this.calls, this.results, this.session.turn, this.stock.tools)
  }

  private ending(begun: Begun, restore: Restore) {
    if (!(begun instanceof Batch)) return this.logged(begun)
    this.keeping?.waits()
    const ended = this.session.running(begun, this.settings.signal)
    // An interruption may be there already: then nothing of what is restored runs, and this must.
    const waited = Effect.onInterrupt(restore(begun.wait), () => begun.interrupt)
    return Effect.flatMap(Effect.ensuring(waited, Effect.sync(ended)), () =>
      this.logged(outside(() => this.done()))
    )
  }

  private logged(results: ReadonlyArray<Result>): Effect.Effect<ReadonlyArray<Result>> {
    const { defects } = this
    return defects === undefined
      ? Effect.succeed(results)
      : Effect.as(loggingDefects(this.session, defects), results)
  }

  get clock(): Clock.Clock {
    return this.session.clockOf(this.parent)
  }

  effectOf({ args, ready: { planned } }: Started): Effect.Effect<unknown, unknown> {
    const effect = effectOf(planned.tool, args)
    const span = this.parent.currentSpan
    return span === undefined ? effect : traced(effect, planned.tool, this.session.turn, span)
  }

  runs({ index }: Started): void {
    this.keeping?.runs(index)
  }

  /** This runs outside of every fiber: what it throws would be nobody's, and the end of the process. */
  settled(call: Started, settled: Settled): void {
    outside(() => this.taken(call, settled))
  }

  private taken(call: Started, settled: Settled): void {
    const { tool } = call.ready.planned
    const defect = defectOf(settled)
    if (defect !== undefined) this.broke(call.id, tool.name, defect)
    // One that was cancelled while it waited was never started.
    const isStarted = settled !== "cancelled"
    try {
      const result = this.answer(call.index, resultOf(call.ready, settled), isStarted)
      // As it was shown: the next who is given it may know of other secrets.
      if (call.key !== undefined && result.ok) this.stock.cache.set(tool, call.key, result.value)
    } catch {
      this.answer(call.index, unreadable(tool), isStarted)
    }
  }

  private broke(id: string, tool: string, cause: Cause.Cause<unknown>): void {
    this.defects ??= []
    this.defects.push({ id, tool, cause })
  }

  private answer(index: number, result: ToolResult.ToolResult, isStarted: boolean): ToolResult.ToolResult {
    const shown = shownOf(this.session, result)
    this.results[index] = shown
    if (this.keeping === undefined) this.tell(index, shown)
    else this.keeping.answers(index, isStarted)
    return shown
  }

  private tell(index: number, result: ToolResult.ToolResult): void {
    const { onResult, onResultAt } = this.settings
    onResultAt?.(index, result)
    if (onResult === undefined) return
    const { id, name } = this.calls[index] as Call
    try {
      onResult({ id, name, result, revision: this.session.turn.policy.revision })
    } catch {
      // A listener that throws has heard; what it throws is not the call's.
    }
  }
}

export const dispatch = (
  session: Session,
  stock: Stock,
  settings: DispatchSettings,
  available: Availability,
  calls: ReadonlyArray<Call>,
  parent: AnyFiber,
  restore: Restore
): Effect.Effect<ReadonlyArray<Result>> =>
  new Dispatch(session, stock, settings, available, calls, parent).run(restore)
