/** Answers for a call without running it: the checks of a real call, and what its arguments will ask for. */
import { type Context, Effect, Either } from "effect"
import { usable } from "../../capabilities/secrets/SecretsDeclaration.js"
import * as Asking from "../../policy/gate/Asking.js"
import { Call as Running } from "../../policy/gate/Call.js"
import * as Authority from "../../policy/lattice/Authority.js"
import { type Denial, message } from "../../policy/lattice/Denial.js"
import { isCapability } from "../../policy/lattice/Facets.js"
import type * as Request from "../../policy/lattice/Request.js"
import { type Policy, sandboxOf } from "../../policy/Policy.js"
import * as Remedy from "../../policy/Remedy.js"
import { permittingAll, speaking } from "../../policy/Source.js"
import type { Ask } from "../../tools/Ask.js"
import * as Isolation from "../../tools/Isolation.js"
import type * as Tool from "../../tools/Tool.js"
import type { Call, Result } from "../Call.js"
import { admit, nothingToAsk, prepare } from "../execution/Admission.js"
import { expired, failed } from "../execution/Elsewhere.js"
import { outside } from "../execution/Outside.js"
import type { Ready, Session } from "../execution/Session.js"
import * as ToolResult from "../ToolResult.js"
import { type Confined, confinedTo, processesOf, serverConfined } from "./Confined.js"
import { inWords, processInWords } from "./childInWords.js"
import { foresee } from "./foresee.js"

/**
 * A line of a file that gives authority. `written` is what stands there, or what would have to.
 *
 * @since 0.1.0
 * @category models
 */
export interface Line {
  readonly file: string
  readonly line: number
  readonly written: string
}

/**
 * A decision that the call would meet.
 *
 * @since 0.1.0
 * @category models
 */
export interface Foreseen {
  readonly capability: string
  readonly asked: string
  readonly allowed: boolean
  readonly scope?: string
  /** The lines that allow it: one of each policy that must. */
  readonly by?: ReadonlyArray<Line>
}

/**
 * @since 0.1.0
 * @category models
 */
export interface Explanation {
  readonly allowed: true
  /** What the call will ask for, as far as its arguments tell. */
  readonly decisions: ReadonlyArray<Foreseen>
  /** All that the tool may touch in this turn, in words. */
  readonly may: ReadonlyArray<string>
  /** What a command that it starts would see, or its server, in words. */
  readonly child?: ReadonlyArray<string>
  /** What the process has that an isolated tool runs in, in words. */
  readonly process?: ReadonlyArray<string>
}

/**
 * @since 0.1.0
 * @category models
 */
export interface Explained extends Result<string, Explanation> {
  /** Where to write what would allow a call that is refused. */
  readonly would?: Line
  /** What a command that it starts would see, or its server. */
  readonly sandbox?: Confined
  /** What the process has that an isolated tool runs in. */
  readonly enclosed?: Isolation.Enclosed
}

const linesFor = ({ parts }: Policy, request: Request.Request): ReadonlyArray<Line> =>
  permittingAll(parts, request).map(({ file, line, written }) => ({ file, line, written }))

/** What a call leans on that names nothing: a search looks at whatever may be read. */
const leanedOn = ({ parts }: Policy, { needs = [] }: Tool.Any): ReadonlyArray<Foreseen> =>
  needs.flatMap((capability) => {
    const by = parts.flatMap(({ sources }) => {
      const found = speaking(sources, capability)
      return found === undefined ? [] : [{ file: found.file, line: found.line, written: found.written }]
    })
    return by.length === 0 ? [] : [{ capability, asked: capability, allowed: true, by }]
  })

/** In the policy that refuses: at what speaks of the capability already, else where more would be written. */
const placeFor = (policy: Policy, denial: Denial): Line | undefined => {
  const part = Remedy.refusing(policy, denial)
  if (part === undefined) return undefined
  const { capability } = denial
  const { file, line } =
    (isCapability(capability) ? speaking(part.sources, capability) : undefined) ?? part.place ?? {}
  return file === undefined || line === undefined
    ? undefined
    : { file, line, written: Remedy.written(Remedy.stepFor(policy, denial), denial) }
}

const refusedBy = ({ turn: { policy } }: Session, call: Call, denial: Denial): Explained => {
  const would = placeFor(policy, denial)
  return {
    id: call.id,
    name: call.name,
    revision: policy.revision,
    result: ToolResult.fail("execution_failed", message(denial), denial),
    ...(would === undefined ? {} : { would })
  }
}

/** One in a process of its own is asked there, and may answer as a call does. */
const asksOf = (
  { context, deadlineMillis, planned: { tool } }: Ready,
  args: unknown
): Effect.Effect<ReadonlyArray<Ask>, ToolResult.ToolResult<never>> => {
  const isolation = Isolation.of(tool)
  if (isolation === undefined) return Effect.sync(() => ownAsks(tool, args))
  const asked = Effect.provide(isolation.asks(args), context as Context.Context<Isolation.Calling>)
  return Effect.timeoutFail(
    Effect.catchAllCause(asked, (cause) => Effect.fail(failed(tool, cause))),
    { duration: deadlineMillis, onTimeout: () => expired(tool, deadlineMillis) }
  )
}

/** A tool that cannot say what it will ask for leaves it to the run. */
const ownAsks = (tool: Tool.Any, args: unknown): ReadonlyArray<Ask> => {
  try {
    // A copy: what is read of it later is not the tool's to run.
    const asks: unknown = outside(() => structuredClone(tool.asks?.(args)))
    return Array.isArray(asks) ? asks : []
  } catch {
    return []
  }
}

/** A server touches what it requires, whatever its tools declare. */
const requiredOf = ({ plan }: Session, name: string): Authority.Authority | undefined => {
  const { own, requires } = plan.registered(name) ?? {}
  return own === undefined || requires === "unknown" ? undefined : requires
}

export const explainCall = (
  session: Session,
  tools: ReadonlyMap<string, Tool.Any>,
  call: Call
): Effect.Effect<Explained> =>
  Effect.gen(function* () {
    const { id, name } = call
    const { policy } = session.turn
    const { revision } = policy
    const available = yield* prepare(session, tools, [call]) ?? Effect.succeed(nothingToAsk)
    const admission = outside(() => admit(session, tools, available, call))
    if (admission._tag === "Refused") return { id, name, revision, result: admission.result }
    const { args, ready } = admission
    const { planned } = ready
    const decisions: Array<Foreseen> = []
    let sandbox: Confined | undefined
    const heard = { asked: "" }
    const own = session.holderOf(planned, () => true)
    const holder: Asking.Holder = {
      ...own,
      observe: (decision, asked, of, request) => {
        heard.asked = asked
        own.observe(decision, asked, of, request)
      }
    }
    const asks = yield* Effect.either(asksOf(ready, args))
    if (Either.isLeft(asks)) return { id, name, revision, result: asks.left }
    for (const ask of asks.right) {
      // What is no question of ours is left to the run.
      const questions = Effect.suspend(() => foresee(session, planned.tool, holder, ask))
      for (const foreseen of yield* Effect.catchAllDefect(questions, () => Effect.succeed([]))) {
        if (foreseen._tag === "Failed") {
          return { id, name, revision, result: ToolResult.fail("execution_failed", foreseen.error) }
        }
        if (foreseen._tag === "Refused") {
          const denial = { ...foreseen.denial, tool: name }
          holder.observe({ allowed: false, denial }, denial.asked, id)
          return refusedBy(session, call, denial)
        }
        const asked = Asking.ask(
          { ...holder, backend: processesOf(session) },
          foreseen.made,
          new Running(id, ready.owner)
        )
        if (Either.isLeft(asked)) {
          return refusedBy(session, call, asked.left.denial)
        }
        const { request, scope } = asked.right
        sandbox ??= yield* confinedTo(session, asked.right)
        const by = linesFor(policy, request)
        decisions.push({
          capability: request.capability,
          asked: heard.asked,
          allowed: true,
          scope,
          ...(by.length === 0 ? {} : { by })
        })
      }
    }
    if (decisions.length === 0) decisions.push(...leanedOn(policy, planned.tool))
    sandbox ??= yield* serverConfined(session, name, holder)
    const may = Authority.describe(
      requiredOf(session, name) ?? usable(planned.authority, planned.tool.capabilities.secrets)
    )
    const enclosed = yield* Isolation.of(planned.tool)?.enclosed(sandboxOf(policy)) ??
      Effect.succeed(undefined)
    const value = {
      allowed: true as const,
      decisions,
      may,
      ...(sandbox === undefined ? {} : { child: inWords(sandbox) }),
      ...(enclosed === undefined ? {} : { process: processInWords(enclosed) })
    }
    return {
      ...{ id, name, revision, result: ToolResult.succeed(value) },
      ...(sandbox === undefined ? {} : { sandbox }),
      ...(enclosed === undefined ? {} : { enclosed })
    }
  })
