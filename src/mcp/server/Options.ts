/**
 * What a server serves, under which name, and within which limits.
 *
 * @since 0.1.0
 */
import type { Readable, Writable } from "node:stream"
import { type Context, type Duration, type Effect, Schema } from "effect"
import type { AgentRecord } from "../../policy/agent/AgentRecord.js"
import type * as Skill from "../../policy/skill/Skill.js"
import type { Registry } from "../../registry/Registry.js"
import type { Turn } from "../../registry/Turn.js"
import type * as Tool from "../../tools/Tool.js"
import type { Session } from "./Session.js"

/**
 * Skills to serve as prompts. Those whose requirements the policy of the turn does not hold are neither listed nor given.
 *
 * @since 0.1.0
 * @category models
 */
export interface Skills {
  readonly loaded: ReadonlyArray<Skill.Skill>
  /** The agent that is served, whose roots skills are checked at; without one, the working directory of the turn. */
  readonly agent?: AgentRecord | undefined
  readonly options?: Skill.Options | undefined
}

/**
 * What is served at the moment. The registry keeps sessions by the turn: give the same turn for as long as its policy is
 * the same, and another one when it was edited. Where the registry has the built-in `list_records` and `get_record`,
 * records are served as resources, as far as the turn offers these tools.
 *
 * @since 0.1.0
 * @category models
 */
export interface Serving<out R = never> {
  readonly registry: Registry<Tool.Any, R>
  readonly turn: Turn
  readonly skills?: Skills | undefined
  /**
   * What these tools need besides what the session was opened with, such as backends that are loaded when they are first
   * needed. It goes before that.
   */
  readonly backends?:
    | ((tools: Iterable<string>) => Effect.Effect<Context.Context<never>, Unserved>)
    | undefined
}

/**
 * Nothing is served at the moment, and why: a policy that cannot be read any more permits nothing.
 *
 * @since 0.1.0
 * @category errors
 */
export class Unserved extends Schema.TaggedError<Unserved>("bailiwick/McpUnserved")("McpUnserved", {
  detail: Schema.String
}) {
  override get message(): string {
    return this.detail
  }
}

/**
 * @since 0.1.0
 * @category models
 */
export interface Limits {
  /** How many requests of a client run at once; one more is refused. */
  readonly inFlight: number
  /** How many bytes a message may have. */
  readonly messageBytes: number
  /** How many items a page of a list has. */
  readonly pageSize: number
  /** How long requests may still take to settle when the input has ended, before they are interrupted. */
  readonly grace: Duration.DurationInput
}

/**
 * @since 0.1.0
 * @category defaults
 */
export const defaultLimits: Limits = {
  inFlight: 256,
  messageBytes: 16 * 1024 * 1024,
  pageSize: 200,
  grace: "2 seconds"
}

/**
 * @since 0.1.0
 * @category models
 */
export interface Options<out R = never> {
  /**
   * Asked before each request, so that an edited policy holds from the next one on. Where it fails, calls are refused
   * with what it says.
   */
  readonly serves: Effect.Effect<Serving<R>, Unserved, R>
  /** `bailiwick`, unless it is given. */
  readonly name?: string | undefined
  readonly title?: string | undefined
  readonly version?: string | undefined
  /** How to use what is served, for the model. */
  readonly instructions?: string | undefined
  /**
   * Whether what tools log is told to the client too, word for word but for secrets. It is not, unless this is `true`: a
   * tool logs for its operator. Refusals are always told.
   */
  readonly toolLogs?: boolean | undefined
  readonly limits?: Partial<Limits> | undefined
}

/**
 * @since 0.1.0
 * @category models
 */
export interface Pipes {
  readonly input: Readable
  readonly output: Writable
  /** Runs beside the session, and ends with it: to tell its client of changes. */
  readonly onSession?: ((session: Session) => Effect.Effect<void>) | undefined
}
