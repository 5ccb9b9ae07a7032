/**
 * A tool as it is run, wherever that is: here, for a registry, or in a process of its own, for a registry that is not
 * there. What a call comes to is worked out by the same hands in both.
 *
 * @since 0.1.0
 */
import { Cause, type Context, type Effect, Either, type Exit, type Fiber, Option } from "effect"
import * as Authority from "../../policy/lattice/Authority.js"
import type * as Tool from "../../tools/Tool.js"
import { codecsOf } from "../Plan.js"
import * as ToolResult from "../ToolResult.js"
import * as Batch from "./batch.js"
import { coded } from "./codec.js"
import { dataOf } from "./data.js"
import { outside } from "./Outside.js"
import { broken, defectOf, effectOf, expired, failed, mismatch, outcomeOf, pretty } from "./outcome.js"

export {
  /**
   * What a call comes to that was not over in its time.
   *
   * @since 0.1.0
   * @category execution
   */
  expired,
  /**
   * What a call comes to that did not succeed.
   *
   * @since 0.1.0
   * @category execution
   */
  failed
}

/**
 * What a tool does with its arguments, in the fiber of whoever runs it.
 *
 * @since 0.1.0
 * @category execution
 */
export const doing: (tool: Tool.Any, args: unknown) => Effect.Effect<unknown, unknown> = effectOf

/**
 * What every call begins with, beside its Context.
 *
 * @since 0.1.0
 * @category models
 */
export type Inherited = Batch.Inherited

/**
 * Begins what a tool does, in a fiber of its own with this Context.
 *
 * @since 0.1.0
 * @category execution
 */
export const begun = (
  context: Context.Context<never>,
  inherited: Inherited,
  effect: Effect.Effect<unknown, unknown>
): Fiber.RuntimeFiber<unknown, unknown> => Batch.fork(Batch.bare(context), inherited, undefined, effect)

/**
 * What comes of a call, and besides that what only its caller may know: what it failed with, or broke with.
 *
 * @since 0.1.0
 * @category models
 */
export interface Answered {
  readonly result: ToolResult.ToolResult
  readonly failure?: unknown
  readonly defect?: string
}

/**
 * Arguments as a model writes them, decoded; or what is answered where they do not fit.
 *
 * @since 0.1.0
 * @category execution
 */
export const argumentsOf = (tool: Tool.Any, given: unknown): Either.Either<unknown, Answered> => {
  const { decode, quick } = codecsOf(tool)
  const args = outside(() => coded(decode, given, quick))
  if (args._tag === "Success") return Either.right(args.value)
  const error = Cause.failureOption(args.cause)
  return Either.left(
    Option.isNone(error)
      ? { result: broken(tool, args.cause), defect: pretty(args.cause) }
      : { result: ToolResult.fail("input_invalid", `${tool.name}: ${mismatch(error.value)}`) }
  )
}

/**
 * @since 0.1.0
 * @category execution
 */
export const answered = (tool: Tool.Any, exit: Exit.Exit<unknown, unknown>): Answered => {
  const planned = { tool, authority: Authority.nothing, ...codecsOf(tool) }
  const result = outside(() => outcomeOf(planned, exit))
  const defect = defectOf(exit)
  if (defect !== undefined) return { result, defect: pretty(defect) }
  const failure = exit._tag === "Failure" ? Cause.failureOption(exit.cause) : Option.none()
  return Option.isNone(failure) ? { result } : { result, failure: failure.value }
}

/**
 * A value as data, without code in it; throws where it is none.
 *
 * @since 0.1.0
 * @category conversions
 */
export const plain: (value: unknown) => unknown = dataOf
