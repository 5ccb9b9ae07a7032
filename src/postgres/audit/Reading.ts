/** The lines of the log in PostgreSQL, in the order in which they were kept. */
import { Chunk, Effect, Option, Stream } from "effect"
import type { AuditEntry } from "../../audit/AuditEntry.js"
import { AuditError } from "../../audit/AuditSink.js"
import { entriesIn } from "../../layers/node/audit/EntriesIn.js"
import type { Database } from "../Database.js"
import type { DatabaseError } from "../DatabaseError.js"

export interface Row {
  readonly id: number
  readonly writer: string
  readonly n: number
  readonly at: number | undefined
  readonly line: string
}

const unreadable = ({ told }: DatabaseError): AuditError =>
  new AuditError({ code: "AUDIT_UNREADABLE", detail: `the audit log cannot be read: ${told}` })

/** So many lines are read at once, and not much more than so many bytes. */
const LINES = 1000
const BYTES = 8 * 1024 * 1024

/** Who writes is done in no time; whoever waits looks again so soon. */
const SOON = 5
const LATEST = 2000

/** A program of ours has ended long before that; who has not may never. */
const PATIENCE = 30_000

const unended = new AuditError({
  code: "AUDIT_UNREADABLE",
  detail:
    "the audit log cannot be read: somebody has begun to write to it, and has not ended for half a minute; end that transaction of PostgreSQL, and try again"
})

const pause = (millis: number): Effect.Effect<void> =>
  Effect.async<void>((resume) => {
    const timer = setTimeout(() => resume(Effect.void), millis)
    return Effect.sync(() => clearTimeout(timer))
  })

/** How lines are found: all that is read goes by `ask`, and what fails is that the log cannot be read. */
export const readingOf = ({ ask, schema }: Database.Service) => {
  const asked = (statement: string, values: ReadonlyArray<unknown>) =>
    Effect.mapError(ask(statement, values, { isRepeatable: true }), unreadable)

  const writing = Effect.map(
    asked(
      `SELECT DISTINCT virtualtransaction AS name FROM pg_locks
       WHERE locktype = 'relation' AND relation = '${schema}.audit'::regclass AND mode = 'RowExclusiveLock'
         AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`,
      []
    ),
    (rows) => new Set(rows.map(({ name }) => String(name)))
  )

  const ended = (
    those: ReadonlySet<string>,
    wait: number,
    left = PATIENCE
  ): Effect.Effect<void, AuditError> =>
    Effect.flatMap(writing, (now) => {
      if (![...those].some((name) => now.has(name))) return Effect.void
      return left <= 0
        ? unended
        : Effect.zipRight(pause(wait), ended(those, Math.min(LATEST, wait * 2), left - wait))
    })

  /**
   * The number up to which nothing will come any more: whoever has a smaller one and has not ended yet is waited for.
   * Without that, a line could come before others that were read already.
   */
  const settled: Effect.Effect<number, AuditError> = Effect.gen(function* () {
    const [row] = yield* asked(`SELECT coalesce(max(id), 0) AS last FROM ${schema}.audit`, [])
    const those = yield* writing
    if (those.size > 0) yield* ended(those, SOON)
    return Number(row?.last ?? 0)
  })

  const page = (after: number, last: number): Effect.Effect<ReadonlyArray<Row>, AuditError> =>
    Effect.map(
      asked(
        `SELECT id, writer, n, at, line FROM (
           SELECT *, sum(octet_length(line)) OVER (ORDER BY id) - octet_length(line) AS before FROM (
             SELECT id, writer, n, at, line FROM ${schema}.audit WHERE id > $1 AND id <= $2 ORDER BY id LIMIT $3
           ) AS found
         ) AS counted WHERE before < $4 ORDER BY id`,
        [after, last, LINES, BYTES]
      ),
      (rows) =>
        rows.map(({ at, id, line, n, writer }) => ({
          id: Number(id),
          writer: String(writer),
          n: Number(n),
          at: typeof at === "number" ? at : undefined,
          line: String(line)
        }))
    )

  /** Everything behind one number, up to another. */
  const rows = (after: number, last: number): Stream.Stream<Row, AuditError> =>
    Stream.paginateChunkEffect(after, (from) =>
      Effect.map(page(from, last), (found) => {
        const next = found.at(-1)?.id
        return [Chunk.fromIterable(found), next === undefined ? Option.none() : Option.some(next)] as const
      })
    )

  /** The number before the first line of that moment or later. */
  const before = (since: number | undefined): Effect.Effect<number, AuditError> =>
    since === undefined
      ? Effect.succeed(0)
      : Effect.map(
          // By the times of whole pages: otherwise all is read from the oldest on, until one is found.
          asked(
            `SELECT coalesce(min(id), 1) - 1 AS before FROM (SELECT id FROM ${schema}.audit WHERE at >= $1 OFFSET 0) AS later`,
            [since]
          ),
          ([row]) => Number(row?.before ?? 0)
        )

  return { settled, rows, before }
}

/** The entries of a line that is wanted; `remark` hears of lines that have none. */
export const entriesOf = (
  { at, id, line }: Row,
  since: number | undefined,
  remark: (kind: NonNullable<ReturnType<typeof entriesIn>["remark"]>, id: number) => void
): ReadonlyArray<AuditEntry> => {
  if (since !== undefined && !(at !== undefined && at >= since)) return []
  const { entries, remark: kind } = entriesIn(line)
  if (kind !== undefined) remark(kind, id)
  return entries
}
