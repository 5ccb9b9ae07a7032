/**
 * Executes the calls of a turn: admits each, runs those that may, and cuts what they answer to the budget. The caller
 * is not interruptible: between the start of a call and the wait for it, nothing may be lost.
 */
import { type Cause, Duration, Effect, type Fiber } from "effect"
import type * as Tool from "../../tools/Tool.js"
import type { Call, Result } from "../Call.js"
import type { Planned } from "../Plan.js"
import * as ToolResult from "../ToolResult.js"
import { type Availability, admit } from "./Admission.js"
import { type Cache, keyOf } from "./AnswerCache.js"
import { Batch, type Job, type Settled } from "./batch.js"
import { withinBudget } from "./budget.js"
import { outside } from "./Outside.js"
import { defectOf, expired, interrupted, outcomeOf, pretty, short } from "./outcome.js"
import type { Session } from "./Session.js"

export interface Settings {
  readonly tools: ReadonlyMap<string, Tool.Any>
  readonly cache: Cache
  readonly signal: AbortSignal | undefined
  readonly onResult: ((result: Result) => void) | undefined
}

/** A call that runs: where its result goes, and under which key it may be kept. */
interface Started extends Job {
  readonly index: number
  readonly planned: Planned
  readonly args: unknown
  readonly key: string | undefined
}

type AnyFiber = Fiber.RuntimeFiber<unknown, unknown>

const contract = ({ name }: Tool.Any) =>
  Effect.fail(`${name} broke its contract: execute must return an Effect`)

/** All of it runs in the tool's own fiber, also what it does before it has an effect to give. */
const effectOf = (tool: Tool.Any, args: unknown): Effect.Effect<unknown, unknown> =>
  Effect.suspend(() => {
    const effect: unknown = tool.execute(args)
    return Effect.isEffect(effect) ? (effect as Effect.Effect<unknown, unknown>) : contract(tool)
  })

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
const given = ({ unsafeMap }: Started["context"], { services }: Tool.Any): ReadonlyArray<unknown> =>
  services.map((key) => (unsafeMap.has(key) ? unsafeMap.get(key) : absent))

const dry = (tool: Tool.Any, call: Call): ToolResult.ToolResult => {
  const args = JSON.stringify(call.args) ?? "nothing"
  return ToolResult.succeed(`dry run: ${tool.name} would be called with ${args}`)
}

/** The shape of a result is ours; only what a tool put into it can hold a secret. */
const shownOf = ({ scrubber }: Session, result: ToolResult.ToolResult): ToolResult.ToolResult => {
  if (result.ok) return scrubber.isEmpty ? result : { ...result, value: scrubber.value(result.value) }
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

const resultOf = ({ deadlineMillis, planned }: Started, settled: Settled): ToolResult.ToolResult =>
  settled === "expired"
    ? expired(planned.tool, deadlineMillis)
    : settled === "cancelled"
      ? interrupted
      : outcomeOf(planned, settled)

export const dispatch = (
  session: Session,
  { cache, onResult, signal, tools }: Settings,
  available: Availability,
  calls: ReadonlyArray<Call>,
  parent: AnyFiber,
  restore: <A>(effect: Effect.Effect<A>) => Effect.Effect<A>
): Effect.Effect<ReadonlyArray<Result>> => {
  const { turn } = session
  const results = new Array<ToolResult.ToolResult>(calls.length)
  const started: Array<Started> = []
  const defects: Array<Defect> = []
  const answer = (index: number, result: ToolResult.ToolResult): ToolResult.ToolResult => {
    const shown = shownOf(session, result)
    results[index] = shown
    if (onResult === undefined) return shown
    const { id, name } = calls[index] as Call
    try {
      onResult({ id, name, result: shown, revision: turn.policy.revision })
    } catch {
      // A listener that throws has heard; what it throws is not the call's.
    }
    return shown
  }
  /** The result, where there is one already; else the call is put among those that run. */
  const begin = (call: Call, index: number): ToolResult.ToolResult | undefined => {
    if (signal?.aborted === true) return interrupted
    const admission = admit(session, tools, available, call)
    if (admission._tag === "Refused") {
      const { defect, result } = admission
      if (defect !== undefined) defects.push({ id: call.id, tool: call.name, cause: defect })
      return result
    }
    const { args, context, planned } = admission
    const { tool } = planned
    if (turn.dryRun) return dry(tool, call)
    const key = tool.cache ? keyOf(turn, call.args, given(context, tool)) : undefined
    const kept = key === undefined ? undefined : cache.get(tool, key)
    if (kept !== undefined) return ToolResult.succeed(kept.value)
    const deadlineMillis = Duration.toMillis(tool.deadline ?? turn.deadline)
    started.push({
      id: call.id,
      call: session.callOf(tool, call.id),
      index,
      planned,
      args,
      key,
      context,
      deadlineMillis
    })
    return undefined
  }
  outside(() => {
    for (let index = 0; index < calls.length; index++) {
      const result = begin(calls[index] as Call, index)
      if (result !== undefined) answer(index, result)
    }
  })
  const finish = (): Effect.Effect<ReadonlyArray<Result>> => {
    const done = outside(() => withinBudget(calls, results, turn, tools))
    return defects.length === 0 ? Effect.succeed(done) : Effect.as(loggingDefects(session, defects), done)
  }
  const run = (): Effect.Effect<ReadonlyArray<Result>> => {
    if (started.length === 0) return finish()
    const span = parent.currentSpan
    const batch = new Batch<Started>(started, {
      concurrency: turn.concurrency,
      inherited: session.surroundingsOf(parent),
      clock: session.clockOf(parent),
      effectOf: ({ args, planned: { tool } }) => {
        const effect = effectOf(tool, args)
        return span === undefined ? effect : traced(effect, tool, turn, span)
      },
      // This runs outside of every fiber: what it throws would be nobody's, and the end of the process.
      onSettled: (call, settled) =>
        outside(() => {
          const { tool } = call.planned
          const defect = defectOf(settled)
          if (defect !== undefined) defects.push({ id: call.id, tool: tool.name, cause: defect })
          try {
            const result = answer(call.index, resultOf(call, settled))
            // As it was shown: the next who is given it may know of other secrets.
            if (call.key !== undefined && result.ok) cache.set(tool, call.key, result.value)
          } catch {
            answer(call.index, unreadable(tool))
          }
        })
    })
    outside(() => batch.begin())
    if (batch.isDone) return finish()
    const ended = session.running(batch, signal)
    // An interruption may be there already: then nothing of what is restored runs, and this must.
    const waited = Effect.onInterrupt(restore(batch.wait), () => batch.interrupt)
    return Effect.flatMap(Effect.ensuring(waited, Effect.sync(ended)), finish)
  }
  return started.length === calls.length
    ? run()
    : Effect.zipRight(loggingRefusals(session, results), Effect.suspend(run))
}

interface Defect {
  readonly id: string
  readonly tool: string
  readonly cause: Cause.Cause<unknown>
}

/** What tools broke with, for whoever operates them: with stack and paths, and without secrets. */
const loggingDefects = (session: Session, defects: ReadonlyArray<Defect>): Effect.Effect<void> =>
  Effect.forEach(defects, ({ cause, id, tool }) => session.broke(tool, id, pretty(cause)), { discard: true })

/** Refusals of calls that did not start; those of services are logged where they are made. */
const loggingRefusals = (
  session: Session,
  results: ReadonlyArray<ToolResult.ToolResult | undefined>
): Effect.Effect<void> =>
  Effect.forEach(
    results,
    (result) =>
      result?.ok === false && result.denial !== undefined
        ? session.logged(
            result.denial.tool ?? "",
            { allowed: false, denial: result.denial },
            result.denial.asked
          )
        : Effect.void,
    { discard: true }
  )
