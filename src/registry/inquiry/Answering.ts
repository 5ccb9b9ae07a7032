/**
 * Who answers what servers ask: the program around the call, where it can. A server is told of a kind only where it is
 * allowed and somebody answers it.
 *
 * @since 0.1.0
 */
import { Context, type Effect, Schema } from "effect"
import type * as Elicitation from "./Elicitation.js"
import type * as Sampling from "./Sampling.js"

/**
 * There is no answer, and why. The server is told the words.
 *
 * @since 0.1.0
 * @category errors
 */
export class Unanswered extends Schema.TaggedError<Unanswered>("bailiwick/Unanswered")("Unanswered", {
  detail: Schema.String
}) {
  /** @since 0.1.0 */
  override get message(): string {
    return this.detail
  }
}

/**
 * @since 0.1.0
 */
export declare namespace Answering {
  /**
   * Which server asks, and in which call of whom.
   *
   * @since 0.1.0
   * @category models
   */
  export interface Who {
    readonly server: string
    readonly session: string
    readonly agent?: string | undefined
    /** The tool that was called, and the id of the call. */
    readonly tool: string
    readonly call: string
  }

  /**
   * What is missing is not answered. What a server asks with is a stranger's: it is bounded and without known secrets, and
   * nothing in it is to be believed. Whoever answers is interrupted when the call ends.
   *
   * @since 0.1.0
   * @category models
   */
  export interface Service {
    readonly sampling?:
      | ((request: Sampling.Request, who: Who) => Effect.Effect<Sampling.Answer, Unanswered>)
      | undefined
    readonly elicitation?:
      | ((request: Elicitation.Request, who: Who) => Effect.Effect<Elicitation.Answer, Unanswered>)
      | undefined
  }
}

/**
 * @since 0.1.0
 * @category tags
 */
export class Answering extends Context.Tag("bailiwick/Answering")<Answering, Answering.Service>() {}
