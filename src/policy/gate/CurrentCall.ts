/** Which call a fiber, or the fiber that forked it, belongs to: so that a decision can name it. */
import { FiberRef } from "effect"

export const currentCall: FiberRef.FiberRef<string | undefined> = FiberRef.unsafeMake<string | undefined>(
  undefined
)
