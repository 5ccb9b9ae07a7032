/** What goes to a child while it runs. The child sets the pace: nothing is pulled that its pipe has no room for. */
import { Deferred, Effect, FiberId, Stream } from "effect"
import type { ProcessError, ProcessInput } from "../../../capabilities/process/ProcessOperations.js"
import type { Ended } from "./ended.js"
import type { Running } from "./running.js"

const feed = (running: Running, stdin: NonNullable<ProcessInput["stdin"]>): Effect.Effect<void> =>
  Effect.zipRight(
    Stream.runForEachWhile(stdin, (bytes) => Effect.promise(() => running.write(bytes))),
    Effect.sync(running.endInput)
  )

const obey = (running: Running, orders: NonNullable<ProcessInput["orders"]>): Effect.Effect<void> =>
  Stream.runForEach(orders, (order) =>
    Effect.sync(() => (order === "END" ? running.end() : running.signal(order)))
  )

/**
 * Runs a child with its lanes. They are left when it has ended, and its slot is free by then: whoever feeds it may take long
 * to let go. A defect in a lane ends the child.
 */
export const spokenWith = (
  { orders, stdin }: ProcessInput = {},
  begun: (running: Running) => void,
  run: (begun: (running: Running) => void) => Effect.Effect<Ended, ProcessError>
): Effect.Effect<Ended, ProcessError> => {
  if (orders === undefined && stdin === undefined) return run(begun)
  return Effect.suspend(() => {
    const started = Deferred.unsafeMake<Running>(FiberId.none)
    const lanes = Effect.flatMap(Deferred.await(started), (running) =>
      Effect.zip(
        stdin === undefined ? Effect.void : feed(running, stdin),
        orders === undefined ? Effect.void : obey(running, orders),
        { concurrent: true }
      )
    )
    const child = run((running) => {
      begun(running)
      Deferred.unsafeDone(started, Effect.succeed(running))
    })
    return Effect.raceFirst(child, Effect.interruptible(Effect.zipRight(lanes, Effect.never)))
  })
}
