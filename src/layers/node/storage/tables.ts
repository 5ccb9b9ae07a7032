/** The files of the store, opened: entries, and an index of those that expire. */
import { chmodSync, closeSync, fstatSync, mkdirSync, openSync, readSync } from "node:fs"
import { join } from "node:path"
import type { Database, RootDatabase } from "lmdb"

export type Table = Database<Buffer, Buffer>

export interface Tables {
  readonly entries: Table
  readonly expiries: Table
  /** Runs in one transaction, alone among all processes; settles once it is on the disk. */
  readonly transact: <A>(run: () => A) => Promise<A>
  /** Reads see what any process committed before now. */
  readonly refresh: () => void
  /** Waits for what is being written, then lets go of the files. */
  readonly close: () => Promise<void>
}

const OWNER_ONLY = 0o600

/** Stands in the first page of a database, after the header of the page. */
const MAGIC = Buffer.from([0xde, 0xc0, 0xef, 0xbe])
const FIRST_BYTES = 64

/** The database ends the process when it is given a file that is not its own. */
const assertOurs = (file: number, size: number): void => {
  if (size === 0) return
  const first = Buffer.alloc(FIRST_BYTES)
  const length = readSync(file, first, 0, FIRST_BYTES, 0)
  if (length < FIRST_BYTES || !first.includes(MAGIC)) throw new Error("MDB_INVALID")
}

/** What the database would create readable for everyone is there before it looks. */
export const prepare = (directory: string): void => {
  mkdirSync(directory, { recursive: true, mode: 0o700 })
  for (const name of ["data.mdb", "lock.mdb"]) {
    const path = join(directory, name)
    const file = openSync(path, "a+", OWNER_ONLY)
    try {
      const { mode, size } = fstatSync(file)
      if (name === "data.mdb") assertOurs(file, size)
      if ((mode & 0o077) !== 0) chmodSync(path, OWNER_ONLY)
    } finally {
      closeSync(file)
    }
  }
}

/** A failed commit says why in a promise of its own, which must be heard. */
const reasonOf = (error: unknown): unknown =>
  error instanceof Error && "commitError" in error ? error.commitError : error

const raise = (error: unknown): never => {
  throw error
}

/**
 * `overlappingSync` is off: a commit is flushed before it is acknowledged, and before another process can see it.
 * Writes that wait for the disk together share one commit, so it costs a flush per batch and not per write.
 */
export const open = async (directory: string): Promise<Tables> => {
  const lmdb = await import("lmdb")
  const bytes = { encoding: "binary", keyEncoding: "binary" } as const
  const root: RootDatabase<Buffer, Buffer> = lmdb.open({
    path: directory,
    noSubdir: false,
    overlappingSync: false,
    maxDbs: 4,
    maxReaders: 1024,
    ...bytes
  })
  const entries: Table = root.openDB({ name: "entries", ...bytes })
  const expiries: Table = root.openDB({ name: "expiries", ...bytes })
  const writing = new Set<Promise<unknown>>()
  return {
    entries,
    expiries,
    refresh: () => root.resetReadTxn(),
    transact: (run) => {
      const write = root
        .transaction(run)
        .catch((error: unknown) => Promise.resolve(reasonOf(error)).then(raise, raise))
      writing.add(write)
      const done = () => void writing.delete(write)
      write.then(done, done)
      return write
    },
    close: async () => {
      await Promise.allSettled(writing)
      await root.close()
    }
  }
}
