/** Some lines of something that may be much larger than they are, read part by part and no further than needed. */
import { Effect } from "effect"
import { ArgumentError } from "./ArgumentError.js"
import { NEWLINE } from "./contents.js"

const PART = 1024 * 1024

/** Lines that were asked for are kept in memory; more than this are not. */
const LIMIT = 16 * PART

const joined = (parts: ReadonlyArray<Uint8Array>): Uint8Array => {
  const all = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0))
  let at = 0
  for (const part of parts) {
    all.set(part, at)
    at += part.length
  }
  return all
}

/** Lines `first` to `first + count - 1`, from 1, with their ends as they are. */
export const linesOf = <E, R>(
  read: (range: { readonly offset: number; readonly length: number }) => Effect.Effect<Uint8Array, E, R>,
  first: number,
  count: number
) =>
  Effect.gen(function* () {
    const kept: Array<Uint8Array> = []
    let size = 0
    let offset = 0
    let ends = 0
    let lastByte = NEWLINE
    while (true) {
      const part = yield* read({ offset, length: PART })
      const isLast = part.length < PART
      let start = ends >= first - 1 ? 0 : part.length
      let stop = ends >= first - 1 + count ? 0 : part.length
      for (let at = part.indexOf(NEWLINE); at !== -1; at = part.indexOf(NEWLINE, at + 1)) {
        ends += 1
        if (ends === first - 1) start = at + 1
        if (ends === first - 1 + count) stop = at + 1
      }
      kept.push(part.subarray(start, Math.max(start, stop)))
      size += Math.max(0, stop - start)
      if (size > LIMIT) {
        return yield* new ArgumentError({
          code: "ARGUMENT_INVALID",
          detail: "these lines are too large to give at once: ask for fewer, or for bytes"
        })
      }
      offset += part.length
      lastByte = part.at(-1) ?? lastByte
      if (isLast) {
        const totalLines = offset > 0 && lastByte !== NEWLINE ? ends + 1 : ends
        return { bytes: joined(kept), truncated: totalLines >= first + count, totalLines }
      }
      if (ends >= first - 1 + count) {
        const after = stop < part.length ? 1 : (yield* read({ offset, length: 1 })).length
        return { bytes: joined(kept), truncated: after > 0, totalLines: undefined }
      }
    }
  })
