/** Tools that use services of an application: one that can be served across processes, and one that cannot. */
import { Tool } from "bailiwick"
import { Context, Effect, Schema, Stream } from "effect"

export class NoTable extends Schema.TaggedError<NoTable>()("NoTable", { table: Schema.String }) {}

export class Db extends Context.Tag("app/Db")<
  Db,
  {
    readonly count: (table: string) => Effect.Effect<number, NoTable>
    readonly rows: (table: string) => Stream.Stream<Uint8Array, NoTable>
    readonly version: () => Effect.Effect<Date>
  }
>() {
  static readonly operations = {
    count: { payload: Schema.String, success: Schema.Number, failure: NoTable },
    rows: { payload: Schema.String, success: Schema.Uint8ArrayFromBase64, failure: NoTable, stream: true },
    version: { payload: Schema.Undefined, success: Schema.Date, failure: Schema.Never }
  } as const
}

export const counting = Tool.make({
  name: "counting",
  description: "Counts the rows of a table",
  parameters: Schema.Struct({ table: Schema.String }),
  failure: NoTable,
  capabilities: {},
  services: [Db],
  execute: ({ table }) =>
    Effect.gen(function* () {
      const db = yield* Db
      const version = yield* db.version()
      const bytes = yield* Stream.runFold(db.rows(table), 0, (sum, row) => sum + row.length)
      return { count: yield* db.count(table), bytes, year: version.getUTCFullYear() }
    })
})
