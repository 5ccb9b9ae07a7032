/**
 * A tool that runs in a process of its own: what a registry has to know of it that its declaration does not say. Such a
 * tool is told in which turn it is called, and how its process must be held.
 *
 * @since 0.1.0
 */
import { Context, type Effect } from "effect"
import type { ProcessBackend } from "../capabilities/process/ProcessBackend.js"
import type { Limits, Mode, Settings } from "../policy/Sandbox.js"
import type { Ask } from "./Ask.js"
import type * as Tool from "./Tool.js"

/**
 * What the process of a tool has: its code, what is under `reads`, and nothing else. It writes nothing, reaches no host, has
 * no environment and starts no process. Where it is not held, `why` says why, and nothing of this holds.
 *
 * @since 0.1.0
 * @category models
 */
export interface Enclosed {
  readonly mode: Extract<Mode, "required" | "preferred">
  readonly held: boolean
  readonly why?: string
  readonly per: "call" | "turn"
  readonly reads: ReadonlyArray<string>
  readonly limits: Limits
}

/**
 * @since 0.1.0
 * @category models
 */
export interface Isolation {
  /** Whether it says that it may be called again. Nobody relies on that. */
  readonly idempotent: boolean
  /** Whether its process can be held here. */
  readonly holding: Effect.Effect<ProcessBackend.Holding>
  /** What its process would have. None is started for it. */
  readonly enclosed: (settings: Settings) => Effect.Effect<Enclosed>
  /** What a call will ask for, if its arguments fit. It is asked of its process, and believed as little as that. */
  readonly asks: (args: unknown) => Effect.Effect<ReadonlyArray<Ask>, unknown, Calling>
}

/**
 * @since 0.1.0
 */
export declare namespace Calling {
  /**
   * @since 0.1.0
   * @category models
   */
  export interface Service {
    /** By which a turn is known, for as long as somebody holds it. */
    readonly turn: object
    readonly session: string
    readonly sandbox: Settings
  }
}

/**
 * Given to isolated tools by the registry alone.
 *
 * @since 0.1.0
 * @category tags
 */
export class Calling extends Context.Tag("bailiwick/Calling")<Calling, Calling.Service>() {}

const known = new WeakMap<Tool.Any, Isolation>()

/**
 * Has a tool known as one that is isolated.
 *
 * @since 0.1.0
 * @category constructors
 */
export const isolated = <T extends Tool.Any>(tool: T, isolation: Isolation): T => {
  known.set(tool, isolation)
  return tool
}

/**
 * @since 0.1.0
 * @category accessors
 */
export const of = (tool: Tool.Any): Isolation | undefined => known.get(tool)

/**
 * Whether a tool says that it may be called again, for whoever shows that.
 *
 * @since 0.1.0
 * @category accessors
 */
export const saysIdempotent = (tool: Tool.Any): boolean => tool.idempotent || of(tool)?.idempotent === true
