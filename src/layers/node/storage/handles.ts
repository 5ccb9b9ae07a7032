/**
 * One handle for each file in this process, however many layers use it, and however many copies of this module there are:
 * a second copy of SQLite on a file would drop the locks of the first.
 */
import type { Connection, Open } from "./connection.js"
import { prepare } from "./place.js"
import { setUp } from "./schema.js"

interface Shared {
  users: number
  ready: boolean
  readonly connection: Connection
}

export interface Handle {
  readonly connection: Connection
  readonly isReady: () => boolean
  /** Fails until the file is ours to use. */
  readonly setUp: () => void
  /** Leaves the file to whoever has it, and opens another for the next one who asks: it is no longer in its place. */
  readonly forget: () => void
  /** Closes the file after its last user. */
  readonly release: () => void
}

const KEY = Symbol.for("bailiwick/NodeStorage/1")

/** Whatever stands under the key was put there by a copy of this module. */
const global = globalThis as { [KEY]?: Map<string, Shared> }

const handles = (): Map<string, Shared> => {
  global[KEY] ??= new Map()
  return global[KEY]
}

export const acquire = (directory: string, open: Open): Handle => {
  const { identity, path } = prepare(directory)
  const all = handles()
  const shared = all.get(identity) ?? { users: 0, ready: false, connection: open(path) }
  all.set(identity, shared)
  shared.users += 1
  const forget = () => {
    if (all.get(identity) === shared) all.delete(identity)
  }
  return {
    connection: shared.connection,
    isReady: () => shared.ready,
    setUp: () => {
      if (shared.ready) return
      setUp(shared.connection)
      shared.ready = true
    },
    forget,
    release: () => {
      shared.users -= 1
      if (shared.users > 0) return
      forget()
      try {
        shared.connection.close()
      } catch {
        // Nobody uses it any more, and nothing is left to write.
      }
    }
  }
}
