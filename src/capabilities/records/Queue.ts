/**
 * Changes to one record wait for each other in this process: each is worked out from what the one before has written, so
 * that none fails because of another. Those of other processes are found out by the backend.
 */
import { Effect } from "effect"
import { getOrSet } from "../../policy/Memo.js"
import type { RecordsBackend } from "./RecordsBackend.js"

const waiting = new WeakMap<RecordsBackend.Service, Map<string, Waiting>>()

interface Waiting {
  readonly turn: Effect.Semaphore
  count: number
}

export const queued = <A, E>(
  backend: RecordsBackend.Service,
  id: string,
  change: Effect.Effect<A, E>
): Effect.Effect<A, E> =>
  Effect.acquireUseRelease(
    Effect.sync(() => {
      const ids = getOrSet(waiting, backend, () => new Map<string, Waiting>())
      const mine = getOrSet(ids, id, () => ({ turn: Effect.unsafeMakeSemaphore(1), count: 0 }))
      mine.count += 1
      return { ids, mine }
    }),
    ({ mine }) => mine.turn.withPermits(1)(change),
    ({ ids, mine }) =>
      Effect.sync(() => {
        mine.count -= 1
        if (mine.count === 0) ids.delete(id)
      })
  )
