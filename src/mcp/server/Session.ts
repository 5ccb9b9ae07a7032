/**
 * One client of a server, whatever carries its messages: a pipe, or requests over HTTP.
 *
 * @since 0.1.0
 */
import type { Effect } from "effect"
import type { Message, RequestId } from "../protocol/Message.js"

/**
 * Hands a message to the client. `about` is the request that it belongs to, where it belongs to one: progress and logs of a
 * call go the way of its answer. Where that is gone, nothing is sent.
 *
 * @since 0.1.0
 * @category models
 */
export type Send = (message: Message, about?: RequestId) => Effect.Effect<void>

/**
 * @since 0.1.0
 * @category models
 */
export interface Session {
  /**
   * Takes one message as it was parsed, which may be anything at all. It never fails. It settles once the message is taken;
   * the answer to a request is sent when there is one.
   */
  readonly receive: (message: unknown) => Effect.Effect<void>
  /** Tells the client that tools, resources and prompts may be others now. */
  readonly changed: Effect.Effect<void>
  /** Interrupts the requests that run. Closing the scope of the session does the same. */
  readonly close: Effect.Effect<void>
}
