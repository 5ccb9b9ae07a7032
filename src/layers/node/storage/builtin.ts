/** `node:sqlite`, as far as it is used. The types of Node 20 do not have it. */
import { connectionOf, type Open, type Row, type Value } from "./connection.js"

interface Statement {
  readonly setReturnArrays: (enabled: boolean) => void
  readonly get: (...values: ReadonlyArray<Value>) => Row | undefined
  readonly all: (...values: ReadonlyArray<Value>) => ReadonlyArray<Row>
  readonly run: (...values: ReadonlyArray<Value>) => { readonly changes: number | bigint }
}

interface Database {
  readonly exec: (sql: string) => void
  readonly prepare: (sql: string) => Statement
  readonly close: () => void
}

interface Sqlite {
  readonly DatabaseSync: new (path: string) => Database
}

/** The first of each line to have it without a warning: to load an earlier one prints a line on standard error. */
const QUIET_SINCE: ReadonlyMap<number, number> = new Map([
  [24, 15],
  [25, 7]
])
const QUIET_FROM = 26

const NAME = "node:sqlite"

/** Asked by version: to load the module is what prints the warning. */
export const isQuiet = (version: string): boolean => {
  const [major = 0, minor = 0] = version.split(".").map(Number)
  return major >= QUIET_FROM || minor >= (QUIET_SINCE.get(major) ?? Number.POSITIVE_INFINITY)
}

const loaded = (): Sqlite | undefined =>
  // It has this shape wherever it is quiet.
  process.getBuiltinModule?.(NAME) as Sqlite | undefined

/** Node may have been built or started without it. */
export const hasBuiltin = (version: string): boolean => isQuiet(version) && loaded() !== undefined

export const builtin = (): Open => {
  const sqlite = loaded()
  if (sqlite === undefined) throw new Error(`No native build of ${NAME}`)
  return (path) => {
    const database = new sqlite.DatabaseSync(path)
    const statements = new Map<string, Statement>()
    const prepared = (sql: string): Statement => {
      const known = statements.get(sql)
      if (known !== undefined) return known
      const made = database.prepare(sql)
      made.setReturnArrays(true)
      statements.set(sql, made)
      return made
    }
    return connectionOf({
      exec: (sql) => database.exec(sql),
      first: (sql, values) => prepared(sql).get(...values),
      all: (sql, values) => prepared(sql).all(...values),
      run: (sql, values) => Number(prepared(sql).run(...values).changes),
      close: () => {
        statements.clear()
        database.close()
      }
    })
  }
}
