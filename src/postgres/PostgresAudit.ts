/**
 * An audit log in PostgreSQL, for programs on many machines. Lines are added, and PostgreSQL itself refuses to change or
 * remove one. Entries count as kept once PostgreSQL has committed them.
 *
 * @since 0.1.0
 */
import { Chunk, type Duration, Effect, Layer, type Redacted, Stream } from "effect"
import type { AuditEntry } from "../audit/AuditEntry.js"
import { type AuditError, AuditSink } from "../audit/AuditSink.js"
import type { SecretsBackend } from "../capabilities/secrets/SecretsBackend.js"
import type { Verified } from "../layers/node/audit/Audit.js"
import type { Remark } from "../layers/node/audit/AuditFiles.js"
import { Chain } from "../layers/node/audit/chain/Chain.js"
import { keyOf } from "../layers/node/audit/chain/Digest.js"
import { secretOf } from "../layers/node/audit/chain/Secret.js"
import { Adding, LOG } from "./audit/Adding.js"
import { entriesOf, type Row, readingOf } from "./audit/Reading.js"
import { verifying } from "./audit/Verifying.js"
import { Database } from "./Database.js"

/**
 * @since 0.1.0
 * @category models
 */
export interface Options {
  /** What becomes of calls whose entries cannot be kept: `closed` unless given. */
  readonly onFailure?: AuditSink.Service["onFailure"] | undefined
  /**
   * The ref of a secret. With it each line carries a digest that is made with the secret, over the line and the one before
   * it of the same program, so that `verify` finds what was changed, removed or added afterwards.
   */
  readonly chain?: string | undefined
}

type Unchained = Omit<Options, "chain"> & { readonly chain?: undefined }

/**
 * @since 0.1.0
 * @category models
 */
export interface ReadOptions {
  /** Only entries of this moment or later, in milliseconds. */
  readonly since?: number | undefined
  /** Hears of each line that is no entry, and is left out. */
  readonly remark?: ((remark: Remark) => void) | undefined
}

const entriesOn = (
  rows: Stream.Stream<Row, AuditError>,
  { remark, since }: ReadOptions
): Stream.Stream<AuditEntry, AuditError> =>
  Stream.mapChunks(rows, (chunk) =>
    Chunk.fromIterable(
      Chunk.toReadonlyArray(chunk).flatMap((row) =>
        entriesOf(row, since, (kind, line) => remark?.({ kind, file: LOG, line, count: 1 }))
      )
    )
  )

const reading = (database: Database.Service, options: ReadOptions): Stream.Stream<AuditEntry, AuditError> => {
  const { before, rows, settled } = readingOf(database)
  return Stream.unwrap(
    Effect.map(Effect.zip(settled, before(options.since)), ([last, first]) =>
      entriesOn(rows(first, last), options)
    )
  )
}

/**
 * What is kept, in the order in which it was kept.
 *
 * @since 0.1.0
 * @category reading
 */
export const read = (options: ReadOptions = {}): Stream.Stream<AuditEntry, AuditError, Database> =>
  Stream.unwrap(Effect.map(Database, (database) => reading(database, options)))

/**
 * What was kept behind a number, and the number to ask with the next time; the first is 0.
 *
 * @since 0.1.0
 * @category reading
 */
export const after = (
  seen: number,
  options: ReadOptions = {}
): Effect.Effect<
  { readonly entries: Stream.Stream<AuditEntry, AuditError>; readonly last: number },
  AuditError,
  Database
> =>
  Effect.gen(function* () {
    const { before, rows, settled } = readingOf(yield* Database)
    const last = yield* settled
    const from = seen > 0 ? seen : yield* before(options.since)
    return { entries: entriesOn(rows(from, last), options), last: Math.max(seen, last) }
  })

/**
 * What is kept, and then what comes: each entry once, in the order in which it was kept. Whoever follows looks once in a while.
 *
 * @since 0.1.0
 * @category reading
 */
export const follow = (
  options: ReadOptions & { readonly every?: Duration.DurationInput | undefined } = {}
): Stream.Stream<AuditEntry, AuditError, Database> => {
  const later = Stream.drain(Stream.fromEffect(Effect.sleep(options.every ?? "1 second")))
  const from = (seen: number): Stream.Stream<AuditEntry, AuditError, Database> =>
    Stream.unwrap(
      Effect.map(after(seen, options), ({ entries, last }) =>
        Stream.concat(
          entries,
          Stream.concat(
            later,
            Stream.suspend(() => from(last))
          )
        )
      )
    )
  return from(0)
}

/**
 * Whether the log is as it was written. It says the first line that was changed, removed, moved or added since. Lines that are
 * cut off at the end of the log are found only with a `head`: the digest that an earlier `verify` answered with, kept where
 * whoever alters the log does not reach it.
 *
 * @since 0.1.0
 * @category combinators
 */
export const verify = (
  secret: Redacted.Redacted<string>,
  options: { readonly head?: string | undefined } = {}
): Effect.Effect<Verified, AuditError, Database> =>
  Effect.flatMap(Database, (database) => verifying(database, secret, options.head))

const make = ({ chain: ref, onFailure = "closed" }: Options) =>
  Effect.gen(function* () {
    const database = yield* Database
    const chain = ref === undefined ? undefined : new Chain(keyOf(yield* secretOf(ref, "AUDIT_UNWRITABLE")))
    const adding = new Adding(database, chain, yield* Effect.scope)
    yield* Effect.addFinalizer(() => Effect.sync(() => adding.end()))
    const service: AuditSink.Service = {
      append: Object.assign((entries: ReadonlyArray<AuditEntry>) => adding.append(entries), {
        lines: (lines: string) => adding.lines(lines)
      }),
      entries: (since) => reading(database, { since }),
      reached: adding.reached,
      onFailure
    }
    return service
  })

/**
 * Keeps entries in PostgreSQL. With `chain` it reads the key at once, from where secrets are kept, and fails where there is
 * none.
 *
 * @example
 * ```ts
 * import { NodeSecrets } from "bailiwick/node"
 * import { Database, PostgresAudit } from "bailiwick/postgres"
 * import { Layer, Redacted } from "effect"
 *
 * export const audit = PostgresAudit.layer({ chain: "AUDIT_KEY" }).pipe(
 *   Layer.provide(NodeSecrets.layerDirectory({ directory: "/run/secrets" })),
 *   Layer.provide(Database.layer({ url: Redacted.make("postgresql://agent:secret@localhost/agents") }))
 * )
 * ```
 *
 * @since 0.1.0
 * @category layers
 */
export const layer: {
  (options?: Unchained): Layer.Layer<AuditSink, never, Database>
  (options: Options): Layer.Layer<AuditSink, AuditError, Database | SecretsBackend>
} = (options: Options = {}): Layer.Layer<AuditSink, never, Database> =>
  // Without a chain nothing is asked for, and nothing fails; with one the second signature says so.
  Layer.scoped(AuditSink, make(options)) as Layer.Layer<AuditSink, never, Database>
