/** Sums by a column, as an answer or as a report on disk. */
import { Files, Tool } from "bailiwick"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { CsvInvalid, print } from "./csv.ts"
import { eachRow } from "./source.ts"

class NoSuchColumn extends Schema.TaggedError<NoSuchColumn>()("NoSuchColumn", {
  column: Schema.String,
  columns: Schema.Array(Schema.String)
}) {
  override get message(): string {
    return `there is no column ${this.column}; there are ${this.columns.join(", ")}`
  }
}

const Sum = Schema.Struct({ group: Schema.String, rows: Schema.Int, sum: Schema.Number })

const Asked = Schema.Struct({
  path: Schema.String,
  by: Schema.String.annotations({ description: "The column whose values are the groups" }),
  of: Schema.String.annotations({
    description: "The column that is summed; what is no number counts as nothing"
  })
})

const sums = ({ by, of, path }: typeof Asked.Type) =>
  Effect.gen(function* () {
    const groups = new Map<string, { rows: number; sum: number }>()
    const columns = yield* eachRow(path, (row) => {
      const group = row[by] ?? ""
      const { rows, sum } = groups.get(group) ?? { rows: 0, sum: 0 }
      const value = Number(row[of] ?? "")
      groups.set(group, { rows: rows + 1, sum: sum + (Number.isFinite(value) ? value : 0) })
    })
    for (const column of [by, of]) {
      if (!columns.includes(column)) return yield* new NoSuchColumn({ column, columns })
    }
    return [...groups]
      .map(([group, counted]) => ({ group, ...counted }))
      .sort((one, other) => other.sum - one.sum)
  })

export const sumBy = Tool.make({
  name: "sum_by",
  description: "Sums a column of a CSV file by the values of another, the largest first",
  parameters: Asked,
  success: Schema.Array(Sum),
  failure: Schema.Union(CsvInvalid, NoSuchColumn),
  readOnly: true,
  outputIsUntrusted: true,
  capabilities: { fs_reach: { read: "from-personality" } },
  execute: sums
})

const folderOf = (path: string): string => path.slice(0, Math.max(0, path.lastIndexOf("/"))) || "."

export const writeSums = Tool.make({
  name: "write_sums",
  description: "Writes the sums of a CSV file into another CSV file",
  parameters: Schema.Struct({ ...Asked.fields, to: Schema.String }),
  success: Schema.Struct({ path: Schema.String, groups: Schema.Int }),
  failure: Schema.Union(CsvInvalid, NoSuchColumn),
  capabilities: { fs_reach: { read: "from-personality", write: "from-personality" } },
  execute: ({ to, ...asked }) =>
    Effect.gen(function* () {
      const found = yield* sums(asked)
      const rows = found.map(({ group, rows, sum }) => [group, String(rows), String(sum)])
      yield* Files.mkdir(folderOf(to), { recursive: true })
      yield* Files.write(to, print([asked.by, "rows", asked.of], rows))
      return { path: to, groups: found.length }
    })
})
