/**
 * Whether a call may start: the questions in their order, the same for a call that runs and for one that is only
 * explained. The first refusal is the answer.
 */
import { Cause, type Context, Duration, Effect, Exit, FiberId } from "effect"
import type { Denial } from "../../policy/lattice/Denial.js"
import type { Policy } from "../../policy/Policy.js"
import { serverOf } from "../../policy/ToolOrigin.js"
import type * as Tool from "../../tools/Tool.js"
import type { Call } from "../Call.js"
import type { NotAvailable } from "../NotAvailable.js"
import * as ToolResult from "../ToolResult.js"
import { bare, fork, started, unreadable } from "./batch.js"
import { coded } from "./codec.js"
import { outside } from "./Outside.js"
import { broken, mismatch, pretty } from "./outcome.js"
import type { Ready, Session } from "./Session.js"

export type Admission =
  | { readonly _tag: "Admitted"; readonly ready: Ready; readonly args: unknown }
  | {
      readonly _tag: "Refused"
      readonly result: ToolResult.ToolResult<never>
      /** What the tool broke with, before it could run. */
      readonly defect?: Cause.Cause<unknown>
    }

/** What had to be worked out before: whether tools can work here, asked once per batch. */
export type Availability = ReadonlyMap<Tool.Any, boolean>

const refused = (result: ToolResult.ToolResult<never>): Admission => ({ _tag: "Refused", result })

const denial = (
  tool: string,
  reason: Denial["reason"],
  code: Denial["code"],
  detail: string,
  remedy: string
): Denial => ({ reason, code, detail, tool, capability: "toolset", asked: `call ${tool}`, held: [], remedy })

/** A name that nobody has may hold anything; it is shown short. */
const shown = (name: unknown): string => {
  const text = String(name)
  return text.length <= 80 ? text : `${text.slice(0, 80)}…`
}

/** Whose list it is that has no such tool. */
const whose = ({ agent, personality }: Policy): string =>
  personality === undefined && agent !== undefined ? "agent" : "personality"

/** A server that is configured may have the tool by now, and nobody has accepted it. */
const unknownRemedy = (name: string, unconfigured: string | undefined): string =>
  serverOf(name) === undefined || unconfigured !== undefined
    ? "call a tool of the menu"
    : "call a tool of the menu, or run 'bailiwick manifest' to accept what the MCP server offers now"

const unoffered = (tools: ReadonlyMap<string, Tool.Any>, { plan, turn }: Session, name: string) => {
  const { exclude, policy } = turn
  if (!tools.has(name)) {
    const server = plan.unconfigured(name)
    const why = server === undefined ? "" : `; the MCP server ${shown(server)} is not configured`
    const detail = `Unknown tool: ${shown(name)}${why}`
    return denial(shown(name), "unknown_tool", "UNKNOWN_TOOL", detail, unknownRemedy(name, server))
  }
  if (exclude.has(name)) {
    const detail = `Tool ${name} is not available on this surface`
    return denial(name, "capability_absent", "TOOL_EXCLUDED", detail, "call a tool of the menu")
  }
  if (!plan.offers(name)) {
    const detail = `Tool ${name} is not permitted for this ${whose(policy)}`
    return denial(name, "capability_absent", "TOOL_NOT_PERMITTED", detail, plan.remedyFor(name))
  }
  const unheld = plan.unheld(name)
  if (unheld !== undefined) {
    const [capability] = unheld.needs
    const detail = `Tool ${name} is not available: ${unheld.why}`
    const refusal = denial(name, "capability_absent", unheld.code, detail, unheld.remedy)
    return capability === undefined ? refusal : { ...refusal, capability }
  }
  return undefined
}

const unavailable = ({ message }: NotAvailable): Admission =>
  refused(ToolResult.fail("not_available", message))

/** Whether the turn offers a tool of this name, and why not. */
const offer = (
  session: Session,
  tools: ReadonlyMap<string, Tool.Any>,
  { id, name }: Call
): { readonly tool: Tool.Any } | { readonly refusal: Denial } => {
  const refusal = unoffered(tools, session, name)
  if (refusal === undefined) return { tool: tools.get(name) as Tool.Any }
  const { capability, asked, code, detail, reason, remedy } = refusal
  session.heard({
    ...session.who,
    tool: refusal.tool ?? "",
    callId: id,
    capability,
    asked,
    allowed: false,
    reason,
    code,
    detail,
    remedy
  })
  return { refusal }
}

export const admit = (
  session: Session,
  tools: ReadonlyMap<string, Tool.Any>,
  available: Availability,
  call: Call
): Admission => {
  const known = tools.get(call.name)
  const ready = known === undefined ? undefined : session.ready(known)
  if (ready !== undefined) return decoded(ready, call)
  const offered = offer(session, tools, call)
  if ("refusal" in offered) {
    return refused(ToolResult.fail("not_available", offered.refusal.detail, offered.refusal))
  }
  const { tool } = offered
  if (available.get(tool) === false) {
    return refused(ToolResult.fail("not_available", `Tool ${tool.name} is not currently available`))
  }
  const planned = session.plan.of(tool)
  if (planned._tag === "Left") return unavailable(planned.left)
  const context = session.contextOf(tool)
  if (context === undefined)
    return refused(ToolResult.fail("not_available", `Tool ${tool.name} is not ready`))
  if (context._tag === "Left") return unavailable(context.left)
  return decoded(session.readied(planned.right, context.right), call)
}

const decoded = (ready: Ready, call: Call): Admission => {
  const args = coded(ready.planned.decode, call.args, ready.planned.quick)
  if (args._tag === "Success") return { _tag: "Admitted", ready, args: args.value }
  const { tool } = ready.planned
  const error = Cause.failureOption(args.cause)
  if (error._tag === "None") return { _tag: "Refused", result: broken(tool, args.cause), defect: args.cause }
  return refused(ToolResult.fail("input_invalid", `${tool.name}: ${mismatch(error.value)}`))
}

/**
 * Whether a tool says that it can work: in its own Context, and within the time of a call. One that cannot even say so
 * cannot.
 */
const asked = (session: Session, tool: Tool.Any, context: Context.Context<never>): Effect.Effect<boolean> =>
  Effect.withFiberRuntime((fiber) => {
    const saying = Effect.suspend(() => {
      const answer: unknown = tool.isAvailable?.() ?? true
      return Effect.isEffect(answer) ? (answer as Effect.Effect<unknown, unknown>) : Effect.succeed(answer)
    })
    const answered = (exit: Exit.Exit<unknown, unknown>): Effect.Effect<boolean> =>
      Exit.isSuccess(exit)
        ? Effect.succeed(exit.value === true)
        : Effect.as(
            Effect.suspend(() => session.broke(tool.name, "isAvailable", pretty(exit.cause))),
            false
          )
    const said = Effect.async<Exit.Exit<unknown, unknown>>((resume) => {
      const asking = started(() =>
        outside(() => fork(bare(context), session.surroundingsOf(fiber), undefined, saying))
      )
      if (asking === undefined) {
        resume(Effect.succeed(unreadable))
        return
      }
      asking.addObserver((exit) => resume(Effect.succeed(exit)))
      return Effect.sync(() => asking.unsafeInterruptAsFork(FiberId.none))
    })
    return Effect.timeoutTo(Effect.flatMap(said, answered), {
      duration: Duration.min(tool.deadline ?? session.turn.deadline, session.turn.deadline),
      onSuccess: (answer) => answer,
      onTimeout: () => false
    })
  })

/** Makes what the calls of a batch need before they can be admitted; nothing, when all of it is there. */
export const prepare = (
  session: Session,
  tools: ReadonlyMap<string, Tool.Any>,
  calls: ReadonlyArray<Call>
): Effect.Effect<Availability> | undefined => {
  let wanted: Set<Tool.Any> | undefined
  for (const { name } of calls) {
    const tool = tools.get(name)
    if (tool === undefined || (tool.isAvailable === undefined && session.contextOf(tool) !== undefined))
      continue
    wanted ??= new Set()
    wanted.add(tool)
  }
  return wanted === undefined ? undefined : preparing(session, wanted)
}

/** One that does not answer keeps no other waiting; each may be a process. */
const AT_ONCE = 16

const preparing = (session: Session, wanted: ReadonlySet<Tool.Any>): Effect.Effect<Availability> =>
  Effect.gen(function* () {
    const available = new Map<Tool.Any, boolean>()
    const asking: Array<Effect.Effect<unknown>> = []
    for (const tool of wanted) {
      if (unoffered(new Map([[tool.name, tool]]), session, tool.name) !== undefined) continue
      const planned = session.plan.of(tool)
      if (planned._tag === "Left") continue
      const made = session.contextOf(tool) ?? (yield* session.make(planned.right))
      if (tool.isAvailable !== undefined && made._tag === "Right") {
        asking.push(Effect.map(asked(session, tool, made.right), (answer) => available.set(tool, answer)))
      }
    }
    if (asking.length > 0) yield* Effect.all(asking, { concurrency: AT_ONCE, discard: true })
    return available
  })

export const nothingToAsk: Availability = new Map()
