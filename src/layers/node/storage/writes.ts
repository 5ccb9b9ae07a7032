/**
 * Writes that come together share a transaction, and so the flush that it ends with. Whoever is first in the line waits
 * for one turn of the event loop, takes along those who stand behind, and commits for all of them.
 */
import { Effect, type Either } from "effect"
import type { StorageError } from "../../../capabilities/storage/StorageOperations.js"
import { type Connection, isBusy, type Queries } from "./connection.js"
import { patiently } from "./patience.js"

/** A transaction holds up this process and the writers of others: it takes no more than these. */
const MOST_WRITES = 128
const MOST_BYTES = 4 * 1024 * 1024

export interface Work<A> {
  /** How much it writes, more or less. */
  readonly bytes: number
  /** A refusal is an answer: what others write in the same transaction stays. */
  readonly run: (queries: Queries) => Either.Either<A, StorageError>
}

interface Waiting {
  readonly bytes: number
  /** Runs inside of a transaction; what it returns is called once that is on the disk. */
  readonly attempt: (queries: Queries) => () => void
  /** It shared a transaction that failed, and is tried without the others from now on. */
  alone: boolean
}

export interface Writes {
  /** Settles once it is on the disk. Who is interrupted while waiting leaves the line, and writes nothing. */
  readonly write: <A>(until: number, work: Work<A>) => Effect.Effect<A, StorageError>
}

const turnOfTheLoop = Effect.async<void>((resume) => {
  const next = setImmediate(() => resume(Effect.void))
  return Effect.sync(() => clearImmediate(next))
})

const make = (connection: Connection): Writes => {
  const turn = Effect.unsafeMakeSemaphore(1)
  const line = new Set<Waiting>()

  const batchOf = (leader: Waiting): ReadonlyArray<Waiting> => {
    const batch = [leader]
    let bytes = leader.bytes
    if (leader.alone) return batch
    for (const next of line) {
      if (next === leader || next.alone) continue
      bytes += next.bytes
      if (batch.length === MOST_WRITES || bytes > MOST_BYTES) break
      batch.push(next)
    }
    return batch
  }

  const commit = (leader: Waiting): void => {
    const batch = batchOf(leader)
    try {
      const settled = connection.writing((queries) => batch.map(({ attempt }) => attempt(queries)))
      for (const settle of settled) settle()
      for (const each of batch) line.delete(each)
    } catch (error) {
      if (isBusy(error) || batch.length === 1) throw error
      // One of them cannot be written: the others need not fail with it.
      for (const each of batch) each.alone = true
      commit(leader)
    }
  }

  return {
    write: <A>(until: number, { bytes, run }: Work<A>) =>
      Effect.suspend(() => {
        let answer: Either.Either<A, StorageError> | undefined
        const attempt = (queries: Queries) => {
          const given = run(queries)
          return () => {
            answer = given
          }
        }
        const mine: Waiting = { bytes, attempt, alone: false }
        const lead = Effect.zipRight(
          turnOfTheLoop,
          patiently(until, () => commit(mine))
        )
        return Effect.acquireUseRelease(
          Effect.sync(() => line.add(mine)),
          () => turn.withPermits(1)(Effect.suspend(() => (answer === undefined ? lead : Effect.void))),
          () => Effect.sync(() => line.delete(mine))
        ).pipe(
          // Whoever led has settled it.
          Effect.flatMap(() => answer ?? Effect.dieMessage("a write was neither made nor refused"))
        )
      })
  }
}

const lines = new WeakMap<Connection, Writes>()

/** The line of those who write through a connection, the same for all its layers. */
export const writesOf = (connection: Connection): Writes => {
  const known = lines.get(connection) ?? make(connection)
  lines.set(connection, known)
  return known
}
