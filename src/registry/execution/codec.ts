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
  HashSet
} from "effect"
import type { ParseError } from "effect/ParseResult"
import { unsure } from "../../tools/QuickDecoder.js"
import { bare, fork, type Inherited } from "./batch.js"

/** A fiber keeps its values under their refs, whatever they are. */
const local = <A>(ref: FiberRef.FiberRef<A>, value: A): Inherited[number] => [
  ref as FiberRef.FiberRef<unknown>,
  [[FiberId.none, value]]
]

const closed: Inherited = [
  local(
    DefaultServices.currentServices,
    Context.add(
      DefaultServices.liveServices,
      ConfigProvider.ConfigProvider,
      ConfigProvider.fromMap(new Map())
    )
  ),
  local(FiberRef.currentLoggers, HashSet.empty())
]

const nothing = bare(Context.empty())

const waits = () => new Error("a schema waits for something, and a call does not")

const settled = (effect: Effect.Effect<unknown, ParseError>): Exit.Exit<unknown, ParseError> => {
  if (Either.isEither(effect)) {
    return effect._tag === "Right" ? Exit.succeed(effect.right) : Exit.fail(effect.left as ParseError)
  }
  const fiber = fork(nothing, closed, undefined, effect)
  const exit = fiber.unsafePoll()
  if (exit !== null) return exit
  fiber.unsafeInterruptAsFork(FiberId.none)
  return Exit.die(waits())
}

/**
 * What comes of a schema, also where it throws; of what is quicker, where that is sure. Whoever calls it is outside of
 * every fiber.
 */
export const coded = (
  schema: (given: unknown) => Effect.Effect<unknown, ParseError>,
  given: unknown,
  quick?: (given: unknown) => unknown
): Exit.Exit<unknown, ParseError> => {
  try {
    const decoded = quick === undefined ? unsure : quick(given)
    if (decoded !== unsure) return Exit.succeed(decoded)
    return settled(schema(given))
  } catch (thrown) {
    return Exit.failCause(Cause.die(thrown))
  }
}
