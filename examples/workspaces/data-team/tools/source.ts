/** The rows of a file, read piece by piece. */
import { Files, Tool } from "bailiwick"
import * as Effect from "effect/Effect"
import { CsvInvalid, type Row, Rows } from "./csv.ts"

const PIECE = 1024 * 1024

const reading = (rows: Rows, add: () => void, see: (row: Row) => void) =>
  Effect.try({
    try: () => {
      add()
      for (const row of rows.taken()) see(row)
    },
    catch: (error) =>
      error instanceof CsvInvalid ? error : new CsvInvalid({ row: 0, problem: "it is no UTF-8" })
  })

/** Gives each row to `see`, and answers with the names of the columns. */
export const eachRow = (path: string, see: (row: Row) => void) =>
  Effect.gen(function* () {
    const { size } = yield* Files.stat(path)
    const decoder = new TextDecoder("utf-8", { fatal: true })
    const rows = new Rows()
    for (let offset = 0; offset < size; offset += PIECE) {
      const bytes = yield* Files.readBytes(path, { offset, length: PIECE })
      yield* reading(rows, () => rows.add(decoder.decode(bytes, { stream: true })), see)
      yield* Tool.progress(`read ${path}`, { done: Math.min(offset + PIECE, size), total: size })
    }
    yield* reading(rows, () => rows.add(decoder.decode()), see)
    yield* reading(rows, () => rows.end(), see)
    return rows.names
  })
