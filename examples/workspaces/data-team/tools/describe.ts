/** What is in a CSV file, before somebody counts on it. */
import { Attachments, Storage, Tool } from "bailiwick"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import { CsvInvalid } from "./csv.ts"
import { eachRow } from "./source.ts"

const Column = Schema.Struct({
  name: Schema.String,
  kind: Schema.Literal("number", "text", "empty"),
  empty: Schema.Int
})

const Description = Schema.Struct({ rows: Schema.Int, columns: Schema.Array(Column) })

const describe = (path: string) =>
  Effect.gen(function* () {
    let rows = 0
    const seen = new Map<string, { empty: number; text: boolean }>()
    const names = yield* eachRow(path, (row) => {
      rows += 1
      for (const [name, field] of Object.entries(row)) {
        const column = seen.get(name) ?? { empty: 0, text: false }
        if (field.trim() === "") column.empty += 1
        else if (Number.isNaN(Number(field))) column.text = true
        seen.set(name, column)
      }
    })
    const columns = names.map((name): typeof Column.Type => {
      const { empty = 0, text = false } = seen.get(name) ?? {}
      return { name, kind: text ? "text" : empty === rows ? "empty" : "number", empty }
    })
    return { rows, columns }
  })

const lastOf = (path: string): string => `described/${path}`

const Before = Schema.parseJson(Description)

export const describeCsv = Tool.make({
  name: "describe_csv",
  description: "Columns and rows of a CSV file, and how many rows there were when it was last described",
  parameters: Schema.Struct({ path: Schema.String }),
  success: Schema.Struct({ ...Description.fields, before: Schema.NullOr(Schema.Int) }),
  failure: CsvInvalid,
  readOnly: true,
  outputIsUntrusted: true,
  capabilities: {
    fs_reach: { read: "from-personality" },
    storage: { scope: "personality", kind: "kv" }
  },
  execute: ({ path }) =>
    Effect.gen(function* () {
      const described = yield* describe(path)
      const before = Option.flatMap(yield* Storage.get(lastOf(path)), Schema.decodeOption(Before))
      yield* Storage.set(lastOf(path), yield* Effect.orDie(Schema.encode(Before)(described)))
      return { ...described, before: Option.getOrNull(Option.map(before, ({ rows }) => rows)) }
    })
})

export const describeAttached = Tool.make({
  name: "describe_attached_csv",
  description: "Columns and rows of each CSV file that came with this turn",
  parameters: Schema.Struct({}),
  success: Schema.Array(Schema.Struct({ file: Schema.String, ...Description.fields })),
  failure: CsvInvalid,
  readOnly: true,
  outputIsUntrusted: true,
  capabilities: { attachments: { kinds: ["file"] } },
  execute: () =>
    Effect.gen(function* () {
      const attached = yield* Attachments.list("file")
      return yield* Effect.forEach(
        attached.filter(({ mimeType }) => mimeType === "text/csv"),
        (one) =>
          Effect.gen(function* () {
            const path = yield* Attachments.open(one)
            return { file: one.filename ?? one.ref, ...(yield* describe(path)) }
          })
      )
    })
})
