/**
 * The schemas of a tool are its code: what they do while they decode and encode is done without any service, without the
 * configuration of the process, and at once.
 */
import {
  Cause,
  ConfigProvider,
  Context,
  DefaultServices,
  type Effect,
  Either,
  Exit,
  FiberId,
  FiberRef,
  FiberRefs,
  HashSet
} from "effect"
import type { ParseError } from "effect/ParseResult"
import { fork } from "./batch.js"

const given = new Map<FiberRef.FiberRef<unknown>, ReadonlyArray<readonly [FiberId.None, unknown]>>()

const give = <A>(ref: FiberRef.FiberRef<A>, value: A): void => {
  // A fiber keeps its values under their refs, whatever they are.
  given.set(ref as FiberRef.FiberRef<unknown>, [[FiberId.none, value]])
}

give(
  DefaultServices.currentServices,
  Context.add(DefaultServices.liveServices, ConfigProvider.ConfigProvider, ConfigProvider.fromMap(new Map()))
)
give(FiberRef.currentLoggers, HashSet.empty())

const closed = FiberRefs.unsafeMake(given as Map<never, never>)

const waits = () => new Error("a schema waits for something, and a call does not")

const settled = (effect: Effect.Effect<unknown, ParseError>): Exit.Exit<unknown, ParseError> => {
  if (Either.isEither(effect)) {
    return effect._tag === "Right" ? Exit.succeed(effect.right) : Exit.fail(effect.left as ParseError)
  }
  const fiber = fork(Context.empty(), closed, undefined, effect)
  const exit = fiber.unsafePoll()
  if (exit !== null) return exit
  fiber.unsafeInterruptAsFork(FiberId.none)
  return Exit.die(waits())
}

/** What comes of a schema, also where it throws. Whoever calls it is outside of every fiber. */
export const coded = (
  schema: (given: unknown) => Effect.Effect<unknown, ParseError>,
  given: unknown
): Exit.Exit<unknown, ParseError> => {
  try {
    return settled(schema(given))
  } catch (thrown) {
    return Exit.failCause(Cause.die(thrown))
  }
}
