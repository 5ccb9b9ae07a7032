/** Waiting for a store that somebody else uses: on the clock of the caller, who may leave at any moment. */
import { Clock, Effect, Random } from "effect"
import type { StorageError } from "../../../capabilities/storage/StorageOperations.js"
import { isBusy } from "./connection.js"
import { busy, failed } from "./failure.js"

/** Each wait is drawn anew, so that those who collided do not collide again. */
const FIRST_WAIT = 1
const LONGEST_WAIT = 20

const again = <A>(until: number, attempt: () => A, tried: number): Effect.Effect<A, StorageError> =>
  Effect.flatMap(Clock.currentTimeMillis, (now) => {
    if (now >= until) return busy
    const most = Math.min(LONGEST_WAIT, FIRST_WAIT + tried)
    return Effect.flatMap(Random.nextRange(0, most), (wait) =>
      Effect.zipRight(Effect.sleep(wait), patiently(until, attempt, tried + 1))
    )
  })

/** Tries at once, and until the moment is over. An attempt takes no time but that of its own work. */
export const patiently = <A>(until: number, attempt: () => A, tried = 0): Effect.Effect<A, StorageError> =>
  Effect.suspend(() => {
    try {
      return Effect.succeed(attempt())
    } catch (error) {
      return isBusy(error) ? again(until, attempt, tried) : failed(error)
    }
  })
