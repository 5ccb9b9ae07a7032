import { describe, expect, it } from "@effect/vitest"
import { Attachments, Files, Storage, Tool } from "bailiwick"
import { TestFiles } from "bailiwick/testing"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { describeAttached, describeCsv, sumBy, writeSums } from "../tools/index.ts"

const orders = "region,amount\nnorth,2\nsouth,5\nnorth,1.5\neast,\n"

const disk = Files.mock({ "/data/orders.csv": orders, "/data/broken.csv": "a,b\n1\n" })

describe("describe_csv", () => {
  it.effect("tells what is in a file, and what was in it before", () =>
    Effect.gen(function* () {
      const first = yield* Tool.run(describeCsv, { path: "/data/orders.csv" })
      expect(first).toEqual({
        rows: 4,
        columns: [
          { name: "region", kind: "text", empty: 0 },
          { name: "amount", kind: "number", empty: 1 }
        ],
        before: null
      })
      yield* Files.write("/data/orders.csv", "region,amount\n")
      expect(yield* Tool.run(describeCsv, { path: "/data/orders.csv" })).toMatchObject({ rows: 0, before: 4 })
    }).pipe(Effect.provide(Layer.merge(disk, Storage.mock())))
  )

  it.effect("says which row is broken", () =>
    Effect.gen(function* () {
      const error = yield* Effect.flip(Tool.run(describeCsv, { path: "/data/broken.csv" }))
      expect(error.message).toBe("row 1: it has 1 fields, and there are 2 columns")
    }).pipe(Effect.provide(Layer.merge(disk, Storage.mock())))
  )
})

describe("describe_attached_csv", () => {
  it.effect("looks at CSV files, and leaves the others alone", () =>
    Effect.gen(function* () {
      const attached = Attachments.mock([
        { filename: "orders.csv", mimeType: "text/csv", content: orders },
        { filename: "notes.txt", mimeType: "text/plain", content: "no table" }
      ])
      const found = yield* Tool.run(describeAttached, {}).pipe(Effect.provide(attached))
      expect(found).toMatchObject([{ file: "orders.csv", rows: 4 }])
    })
  )
})

describe("sums", () => {
  it.effect("are the largest first, and name a column that is not there", () =>
    Effect.gen(function* () {
      expect(yield* Tool.run(sumBy, { path: "/data/orders.csv", by: "region", of: "amount" })).toEqual([
        { group: "south", rows: 1, sum: 5 },
        { group: "north", rows: 2, sum: 3.5 },
        { group: "east", rows: 1, sum: 0 }
      ])
      const error = yield* Effect.flip(
        Tool.run(sumBy, { path: "/data/orders.csv", by: "regon", of: "amount" })
      )
      expect(error.message).toBe("there is no column regon; there are region, amount")
    }).pipe(Effect.provide(disk))
  )

  it.effect("read a large file piece by piece, and say how far they are", () =>
    Effect.gen(function* () {
      const line = `${"x".repeat(97)},1\n`
      const big = TestFiles.recording({ "/data/big.csv": `name,one\n${line.repeat(30_000)}` })
      const [sum] = yield* Tool.run(sumBy, { path: "/data/big.csv", by: "name", of: "one" }).pipe(
        Effect.provide(big.layer)
      )
      expect(sum).toMatchObject({ rows: 30_000, sum: 30_000 })
      expect((yield* big.calls).filter(({ operation }) => operation === "readBytes")).toHaveLength(3)
    })
  )

  it.effect("are written into a directory that is made for them", () =>
    Effect.gen(function* () {
      yield* Tool.run(writeSums, {
        path: "/data/orders.csv",
        by: "region",
        of: "amount",
        to: "/out/a/sums.csv"
      })
      expect(yield* Files.read("/out/a/sums.csv")).toBe(
        "region,rows,amount\nsouth,1,5\nnorth,2,3.5\neast,1,0\n"
      )
    }).pipe(Effect.provide(disk))
  )
})
