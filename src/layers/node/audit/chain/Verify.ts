/** Whether a log is as it was written, by the digests in it. */
import * as fs from "node:fs"
import { join } from "node:path"
import { Clock, Effect, type Redacted } from "effect"
import type { AuditError } from "../../../../audit/AuditSink.js"
import { call, close, READ } from "../../disk/Disk.js"
import { unreadable } from "../failure.js"
import { Lines } from "../lines.js"
import { nameOf, namesIn } from "../names.js"
import { oldestKept } from "../retention.js"
import { keyOf } from "./Digest.js"
import { type Kind, Verification } from "./Verification.js"

/** What was found: that all is as it was written, or the first line that is not. */
export type Verified =
  | {
      readonly ok: true
      /** One digest over the last lines of all writers, to be kept elsewhere and given the next time. */
      readonly head: string
      /** How many lines are in chains, */
      readonly lines: number
      /** of how many writers. */
      readonly writers: number
      /** How many lines were there before the first chain began: nothing holds these. */
      readonly earlier: number
      /** How many lines were cut off by a writer that was stopped, and found so by the next one. */
      readonly torn: number
      /** Whether older files are gone, as `keepDays` has them go. */
      readonly isCut: boolean
    }
  | {
      readonly ok: false
      readonly kind: Kind
      /** As `file:line`; the file alone where lines at its end are missing. */
      readonly at: string
      readonly detail: string
    }

export interface Expected {
  /** A digest that was answered with before. */
  readonly head?: string | undefined
  /** For how many days files are kept, as the settings have it. */
  readonly keepDays?: number | undefined
}

const PIECE = 256 * 1024

const readInto = (verification: Verification, directory: string, name: string) =>
  Effect.acquireUseRelease(
    call<number>((done) => fs.open(join(directory, name), READ, done)),
    (fd) =>
      Effect.gen(function* () {
        const lines = new Lines({ offset: 0, lines: 0 })
        verification.begin(name)
        while (!verification.isDecided) {
          const piece = Buffer.allocUnsafe(PIECE)
          const count = yield* call<number>((done) => fs.read(fd, piece, 0, PIECE, null, done))
          if (count === 0) break
          for (const line of lines.push(piece.subarray(0, count))) {
            if (!verification.isDecided) verification.add(line, true)
          }
        }
        const last = lines.end()
        if (last !== undefined && !verification.isDecided) verification.add(last, false)
      }),
    (fd) => close(fd)
  ).pipe(Effect.mapError((error) => unreadable(join(directory, name), error)))

export const verify = (
  directory: string,
  secret: Redacted.Redacted<string>,
  { head, keepDays }: Expected = {}
): Effect.Effect<Verified, AuditError> =>
  Effect.gen(function* () {
    const today = new Date(yield* Clock.currentTimeMillis).toISOString().slice(0, 10)
    const oldest = keepDays === undefined ? "" : oldestKept(today, keepDays)
    const verification = new Verification(keyOf(secret), head, oldest)
    const names = yield* Effect.try({
      try: () => namesIn(directory),
      catch: (error) => unreadable(directory, error)
    })
    for (const name of names) {
      if (!verification.isDecided) yield* readInto(verification, directory, nameOf(name))
    }
    verification.end()
    const { broken, earlier, isCut, lines, torn, writers } = verification
    return broken === undefined
      ? { ok: true, head: verification.head, lines, writers, earlier, torn, isCut }
      : { ok: false, ...broken }
  })
