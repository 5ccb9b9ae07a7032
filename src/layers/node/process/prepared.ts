import type { Effect, Scope } from "effect"
import type { ProcessError } from "../../../capabilities/process/ProcessOperations.js"
import type { Limits } from "../../../policy/Sandbox.js"
import type { Launch } from "./launch.js"
import type { Running } from "./running.js"

/** What may be interrupted is asked for inside of this. Nothing is open by then but a directory, which is closed. */
export type Restore = <A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>

/** A command that is to be started now: what it is made of is open. */
export interface Prepared {
  readonly launch: Launch
  /** What the policy writes of limits. */
  readonly limits: Limits
  /** What is done between the birth of the child and its command, which begins after it. */
  readonly open: ((running: Running) => Effect.Effect<void, ProcessError, Scope.Scope>) | undefined
  /** For when it has ended, and nobody is left of it. */
  readonly closed?: () => void
  /** For when nobody is left of it: looks for what it made and must not have made, and says what was done. */
  readonly swept: Effect.Effect<ReadonlyArray<string>>
}
