/**
 * A call that runs at a server: in whose name it asks, and who answers for it.
 *
 * @since 0.1.0
 */
import type { Effect, Fiber } from "effect"
import type { Answering } from "../../registry/inquiry/Answering.js"
import type { Serving } from "../../registry/Serving.js"

/**
 * @since 0.1.0
 * @category models
 */
export interface Caller {
  readonly serving: Serving.Service
  readonly hearing: Serving.Hearing
  readonly answering: Answering.Service | undefined
  readonly call: string
  /** Runs in the surroundings of the call. */
  readonly run: (effect: Effect.Effect<void>) => Fiber.RuntimeFiber<void>
}
