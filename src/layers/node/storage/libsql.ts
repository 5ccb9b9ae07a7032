/** The package `libsql`, for every Node that has no SQLite of its own, or warns of it. */
import { connectionOf, type Driver, type Open, type Row, type Value } from "./connection.js"

interface Statement {
  readonly raw: () => Statement
  readonly get: (values: ReadonlyArray<Value>) => unknown
  readonly all: (values: ReadonlyArray<Value>) => ReadonlyArray<unknown>
  readonly run: (values: ReadonlyArray<Value>) => { readonly changes: number }
}

interface Database {
  readonly exec: (sql: string) => unknown
  readonly prepare: (sql: string) => Statement
  readonly close: () => unknown
}

/**
 * Its ways: values go in as one array, because it ends the process when it is given bytes alone. A statement that
 * somebody holds works on after the database was closed, and keeps the file open: so all are let go of, and none is
 * used any more. A statement that failed keeps its values: so it is let go of too.
 */
const driver = (database: Database): Driver => {
  const statements = new Map<string, Statement>()
  let closed = false
  const prepared = (sql: string, make: () => Statement): Statement => {
    if (closed) throw new Error("the database is closed")
    const known = statements.get(sql)
    if (known !== undefined) return known
    const made = make()
    statements.set(sql, made)
    return made
  }
  const query = (sql: string): Statement => prepared(sql, () => database.prepare(sql).raw())
  const used = <A>(sql: string, run: () => A): A => {
    try {
      return run()
    } catch (error) {
      statements.delete(sql)
      throw error
    }
  }
  return {
    exec: (sql) => {
      if (closed) throw new Error("the database is closed")
      database.exec(sql)
    },
    // In raw mode a row is an array of its columns.
    first: (sql, values) => used(sql, () => query(sql).get(values) as Row | undefined),
    all: (sql, values) => used(sql, () => query(sql).all(values) as ReadonlyArray<Row>),
    run: (sql, values) => used(sql, () => prepared(sql, () => database.prepare(sql)).run(values).changes),
    close: () => {
      if (closed) return
      closed = true
      statements.clear()
      database.close()
    }
  }
}

const CANNOT_OPEN = 14

/** A file that cannot be opened is told in words alone. */
const opening = (error: unknown): unknown =>
  error instanceof Error && error.message.startsWith("ConnectionFailed")
    ? Object.assign(new Error("ConnectionFailed"), { rawCode: CANNOT_OPEN })
    : error

export const libsql = async (): Promise<Open> => {
  const { default: Database } = await import("libsql")
  return (path) => {
    try {
      return connectionOf(driver(new Database(path)))
    } catch (error) {
      throw opening(error)
    }
  }
}
