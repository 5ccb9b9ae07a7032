/**
 * One environment for each directory in this process, however many layers use it. Two would wait for each other: while
 * one holds the lock for a transaction that needs the event loop, the other blocks the loop to get it.
 */
import { realpathSync } from "node:fs"
import { open, prepare, type Tables } from "./tables.js"

interface Shared {
  users: number
  readonly tables: Promise<Tables>
}

export interface Held {
  readonly tables: Tables
  /** Closes the files after their last user. */
  readonly release: () => Promise<void>
}

const held = new Map<string, Shared>()
const closing = new Map<string, Promise<void>>()

const free = (place: string, shared: Shared): Promise<void> => {
  shared.users -= 1
  if (shared.users > 0) return Promise.resolve()
  held.delete(place)
  const done = shared.tables
    .then((tables) => tables.close())
    // What could not be opened need not be closed.
    .catch(() => {})
    .then(() => {
      if (closing.get(place) === done) closing.delete(place)
    })
  closing.set(place, done)
  return done
}

export const acquire = async (directory: string): Promise<Held> => {
  prepare(directory)
  const place = realpathSync(directory)
  const shared = held.get(place) ?? {
    users: 0,
    tables: (closing.get(place) ?? Promise.resolve()).then(() => open(place))
  }
  shared.users += 1
  held.set(place, shared)
  try {
    return { tables: await shared.tables, release: () => free(place, shared) }
  } catch (error) {
    await free(place, shared)
    throw error
  }
}
