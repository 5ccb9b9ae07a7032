/** What the store asks of SQLite, whichever it is, and what SQLite answers when it fails. */

export type Value = string | number | Uint8Array | null

export type Row = ReadonlyArray<Value>

/** Statements, prepared once by their text. They run inside of a transaction, where none of them can find a lock taken. */
export interface Queries {
  readonly first: (sql: string, values: ReadonlyArray<Value>) => Row | undefined
  readonly all: (sql: string, values: ReadonlyArray<Value>) => ReadonlyArray<Row>
  /** Answers with how many rows it changed, without those that triggers changed. */
  readonly run: (sql: string, values: ReadonlyArray<Value>) => number
}

/** An open file, as one of the two packages has it. */
export interface Driver extends Queries {
  /** Runs statements that are kept by nobody afterwards. */
  readonly exec: (sql: string) => void
  readonly close: () => void
}

/** An open file. */
export interface Connection {
  readonly exec: (sql: string) => void
  /** Runs while nobody writes. */
  readonly reading: <A>(run: (queries: Queries) => A) => A
  /** Runs alone among all processes, and is on the disk when it returns. */
  readonly writing: <A>(run: (queries: Queries) => A) => A
  readonly close: () => void
}

/** The path is absolute: both drivers take some others for addresses. */
export type Open = (path: string) => Connection

/**
 * A lock is taken by a statement that nobody keeps. libsql leaves a prepared one that finds the lock taken where it is:
 * the next to use it gets what the former had asked for, and every transaction after it keeps its lock.
 */
const READ = "BEGIN; SELECT 1 FROM sqlite_schema LIMIT 1"

/** Exclusive from the start: then nobody can hold up a commit, and there is nothing to undo for one who must wait. */
const WRITE = "BEGIN EXCLUSIVE"

export const connectionOf = (driver: Driver): Connection => {
  const transact = <A>(begin: string, run: (queries: Queries) => A): A => {
    try {
      driver.exec(begin)
      const result = run(driver)
      driver.exec("COMMIT")
      return result
    } catch (error) {
      try {
        driver.exec("ROLLBACK")
      } catch {
        // It has not begun, or SQLite has rolled back by itself.
      }
      throw error
    }
  }
  return {
    exec: driver.exec,
    reading: (run) => transact(READ, run),
    writing: (run) => transact(WRITE, run),
    close: driver.close
  }
}

const PRIMARY = 0xff

/** What SQLite answered, in full; nothing when it was not SQLite that failed. */
export const codeOf = (error: unknown): number | undefined => {
  if (typeof error !== "object" || error === null) return undefined
  if ("errcode" in error && typeof error.errcode === "number") return error.errcode
  return "rawCode" in error && typeof error.rawCode === "number" ? error.rawCode : undefined
}

export const primaryOf = (error: unknown): number | undefined => {
  const code = codeOf(error)
  return code === undefined ? undefined : code & PRIMARY
}

const BUSY = 5
const LOCKED = 6

/** Whether somebody else uses the store at this moment, so that the same call may succeed in the next. */
export const isBusy = (error: unknown): boolean => {
  const code = primaryOf(error)
  return code === BUSY || code === LOCKED
}
