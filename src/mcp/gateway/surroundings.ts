/** What runs for a call beside its own fiber: with its loggers and its name, and without its services. */
import { Context, type Fiber, Runtime } from "effect"

export const surroundingsOf = (fiber: Fiber.RuntimeFiber<unknown, unknown>): Runtime.Runtime<never> =>
  Runtime.make({
    context: Context.empty(),
    fiberRefs: fiber.getFiberRefs(),
    runtimeFlags: Runtime.defaultRuntimeFlags
  })
