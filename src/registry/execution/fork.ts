/** Starts an effect in a Context of its own, with no more inherited than is given. This is the hot path of a call. */
import {
  type Context,
  type Effect,
  type Fiber,
  type FiberId,
  FiberRef,
  FiberRefs,
  Runtime,
  RuntimeFlags
} from "effect"
import { currentCall } from "../../policy/gate/CurrentCall.js"

/** Without fiber refs, so that the runtime has none to copy: they are put in place once, below. */
const bare = <R>(context: Context.Context<R>): Runtime.Runtime<R> =>
  Runtime.make({ context, fiberRefs: noRefs, runtimeFlags })

const noRefs = FiberRefs.empty()

/** The usual ones, but for the metrics that the runtime keeps of every fiber: they cost more than a call's decision. */
const runtimeFlags = RuntimeFlags.disable(Runtime.defaultRuntimeFlags, RuntimeFlags.RuntimeMetrics)

type Locals = Map<FiberRef.FiberRef<unknown>, readonly [readonly [FiberId.Single, unknown]]>

export const fork = <A, E>(
  context: Context.Context<never>,
  inherited: FiberRefs.FiberRefs,
  call: string | undefined,
  effect: Effect.Effect<A, E>
): Fiber.RuntimeFiber<A, E> =>
  // biome-ignore lint/plugin: the registry is where calls start, each in a Context of its own
  Runtime.runFork(bare(context), effect, {
    updateRefs: (_refs, fiberId) => {
      // The runtime's own type is a Map of stacks of any value; here each stack has the one entry that a new fiber has.
      const locals = new Map(inherited.locals) as unknown as Locals
      locals.set(FiberRef.currentContext as FiberRef.FiberRef<unknown>, [[fiberId, context]])
      if (call !== undefined) locals.set(currentCall as FiberRef.FiberRef<unknown>, [[fiberId, call]])
      return FiberRefs.unsafeMake(locals)
    }
  })
