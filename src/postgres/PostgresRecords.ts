/**
 * Records in PostgreSQL, which programs on many machines may use at once. A write is acknowledged once PostgreSQL has
 * committed it. What is searched is an index in memory; every question first asks PostgreSQL for what has changed since the
 * last one, and is answered from all that is there.
 *
 * @since 0.1.0
 */
import { createHash } from "node:crypto"
import { Effect, Either, Layer, Option } from "effect"
import { RecordsBackend } from "../capabilities/records/RecordsBackend.js"
import { RecordsError } from "../capabilities/records/RecordsOperations.js"
import { Index } from "../capabilities/records/store/RecordIndex.js"
import { type Look, type Store, service } from "../capabilities/records/store/RecordStore.js"
import { exists, invalid, missing, refused } from "../capabilities/records/store/Refusals.js"
import type { Places } from "../policy/agent/AgentRecord.js"
import { read } from "../policy/record/RecordText.js"
import { Database } from "./Database.js"
import type { DatabaseError } from "./DatabaseError.js"
import { Fence } from "./Fence.js"
import { InTurn } from "./InTurn.js"

/**
 * @since 0.1.0
 * @category models
 */
export interface Options {
  /** How the agents among the records are read. */
  readonly agents?: Places | undefined
}

const codes = {
  away: "RECORDS_UNAVAILABLE",
  unknown: "RECORDS_FAILED",
  busy: "RECORDS_FAILED",
  refused: "RECORDS_FAILED"
} as const

const fenced = new RecordsError({
  code: "RECORDS_FENCED",
  detail: "another program has taken over the work of this one, so nothing was written"
})

const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true })

const textOf = (content: unknown): string | undefined => {
  if (!(content instanceof Uint8Array)) return undefined
  try {
    return decoder.decode(content)
  } catch {
    return undefined
  }
}

interface Found {
  readonly text: string
  /** The number of the change that made it what it is. */
  readonly changed: unknown
}

/** So many changes are taken over at once. */
const PAGE = 500

/** Others may come first so often; each time what is there is looked at anew. */
const ATTEMPTS = 8

const store = ({ ask, schema }: Database.Service, fence: Fence.Service | undefined): Store => {
  let index = new Index()
  let seen = 0
  const alone = new InTurn(1)

  const asked = (statement: string, values: ReadonlyArray<unknown>, isRepeatable: boolean) =>
    Effect.mapError(ask(statement, values, { isRepeatable }), ({ detail, kind }: DatabaseError) =>
      refused(codes[kind], detail)
    )

  const find = (id: string): Effect.Effect<Found, RecordsError> =>
    Effect.flatMap(
      asked(
        `SELECT content, changed FROM ${schema}.records WHERE id = $1 AND content IS NOT NULL`,
        [id],
        true
      ),
      ([row]) => {
        if (row === undefined) return missing(id)
        const text = textOf(row.content)
        return text === undefined
          ? invalid(`the text of ${id} is not UTF-8; have it corrected`)
          : Effect.succeed({ text, changed: row.changed })
      }
    )

  const write = (id: string, changed: unknown, text: string | null): Effect.Effect<unknown, RecordsError> => {
    const token = fence === undefined ? undefined : (fence.token() ?? { name: "", epoch: -1 })
    const values = [
      id,
      changed,
      text === null ? null : Buffer.from(text),
      token?.name ?? null,
      token?.epoch ?? null
    ]
    return Effect.flatMap(
      asked(`SELECT ${schema}.record_write($1, $2, $3, $4, $5) AS outcome`, values, false),
      ([row]) => (row?.outcome === "fenced" ? fenced : Effect.succeed(row?.outcome))
    )
  }

  const change = (
    id: string,
    text: string | null,
    look: Look,
    left = ATTEMPTS
  ): Effect.Effect<void, RecordsError> =>
    Effect.gen(function* () {
      const found = yield* find(id)
      yield* look(found.text)
      if ((yield* write(id, found.changed, text)) === "done") return
      if (left <= 1) return yield* refused("RECORDS_FAILED", `others keep changing ${id}; try again later`)
      yield* change(id, text, look, left - 1)
    })

  /** The first row is the number of the last change; behind it are those that came after what was seen. */
  const changes = `SELECT NULL AS id, NULL::bytea AS content, n AS changed FROM ${schema}.records_number
    UNION ALL (SELECT id, content, changed FROM ${schema}.records WHERE changed > $1 ORDER BY changed LIMIT ${PAGE})`

  const update: Effect.Effect<Index, RecordsError> = Effect.suspend(() =>
    Effect.flatMap(asked(changes, [seen], true), ([last, ...rows]) => {
      if (Number(last?.changed ?? 0) < seen) {
        // PostgreSQL was set back, by a copy or a standby that was behind: what is known may not be.
        index = new Index()
        seen = 0
        return update
      }
      for (const { changed, content, id } of rows) {
        const record = Either.flatMap(
          Either.fromNullable(textOf(content), () => undefined),
          (text) => read(text)
        )
        // What cannot be read is left out of every answer about many.
        if (Either.isRight(record)) index.set(String(id), record.right)
        else index.delete(String(id))
        seen = Number(changed)
      }
      return rows.length < PAGE ? Effect.succeed(index) : update
    })
  )

  return {
    read: (id) => Effect.map(find(id), ({ text }) => text),
    create: (id, text) =>
      Effect.flatMap(write(id, null, text), (outcome) => (outcome === "done" ? Effect.void : exists(id))),
    replace: (id, text, look) => change(id, text, look),
    remove: (id, look) => change(id, null, look),
    index: alone.run(update)
  }
}

const revisionOf = (text: string): string => createHash("sha256").update(text).digest("hex").slice(0, 16)

/**
 * Makes the backend. It takes the fence that is there, if one is.
 *
 * @since 0.1.0
 * @category constructors
 */
export const make = (options: Options = {}): Effect.Effect<RecordsBackend.Service, never, Database> =>
  Effect.gen(function* () {
    const fence = Option.getOrUndefined(yield* Effect.serviceOption(Fence))
    return service(store(yield* Database, fence), options.agents ?? {}, revisionOf)
  })

/**
 * Keeps records, and the agents among them, in PostgreSQL.
 *
 * @example
 * ```ts
 * import { Database, PostgresRecords } from "bailiwick/postgres"
 * import { Layer, Redacted } from "effect"
 *
 * export const records = PostgresRecords.layer({ agents: { home: "/home/me" } }).pipe(
 *   Layer.provide(Database.layer({ url: Redacted.make("postgresql://agent:secret@localhost/agents") }))
 * )
 * ```
 *
 * @since 0.1.0
 * @category layers
 */
export const layer = (options: Options = {}): Layer.Layer<RecordsBackend, never, Database> =>
  Layer.effect(RecordsBackend, make(options))
