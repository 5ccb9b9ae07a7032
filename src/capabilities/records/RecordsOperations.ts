/**
 * What is done to records, as plain data: what a scoped service asks for, a backend answers, and a process boundary can
 * carry.
 *
 * @since 0.1.0
 */
import { type Effect, Schema } from "effect"
import { Denial } from "../../policy/lattice/Denial.js"

/**
 * @since 0.1.0
 * @category errors
 */
export class RecordsError extends Schema.TaggedError<RecordsError>("bailiwick/RecordsError")("RecordsError", {
  code: Schema.Literal(
    "RECORD_NOT_REACHABLE",
    "RECORD_NOT_FOUND",
    "RECORD_EXISTS",
    "RECORD_INVALID",
    "RECORD_CHANGED",
    "AGENT_NOT_REACHABLE",
    "SELF_MODIFICATION",
    "EXCEEDS_GRANTOR_AUTHORITY",
    "RECORDS_UNAVAILABLE",
    "RECORDS_FENCED",
    "RECORDS_FAILED"
  ),
  detail: Schema.String,
  denial: Schema.optional(Denial)
}) {
  /** @since 0.1.0 */
  override get message(): string {
    return `${this.code}: ${this.detail}`
  }
}

const optionalString = Schema.optionalWith(Schema.String, { exact: true })
const FrontMatter = Schema.Record({ key: Schema.String, value: Schema.Unknown })

/**
 * `revision` changes with every write; an update that names an older one is refused.
 *
 * @since 0.1.0
 * @category schemas
 */
export const RecordEntry = Schema.Struct({
  id: Schema.String,
  class: optionalString,
  frontMatter: FrontMatter,
  body: Schema.String,
  revision: Schema.String,
  /** Lines of an agent's record that the change took out though nobody asked for that, and why. */
  lost: Schema.optionalWith(Schema.Array(Schema.String), { exact: true })
})

/**
 * @since 0.1.0
 * @category schemas
 */
export const RecordSummary = Schema.Struct({
  id: Schema.String,
  class: optionalString,
  title: optionalString
})

/**
 * @since 0.1.0
 * @category schemas
 */
export const RecordSearch = Schema.Struct({
  query: Schema.String,
  class: optionalString,
  limit: Schema.optionalWith(Schema.Finite, { exact: true })
})

/**
 * @since 0.1.0
 * @category schemas
 */
export const RecordFilter = Schema.Struct({ class: optionalString, tag: optionalString })

/**
 * @since 0.1.0
 * @category schemas
 */
export const RecordDraft = Schema.Struct({
  id: Schema.String,
  class: optionalString,
  frontMatter: Schema.optionalWith(FrontMatter, { exact: true }),
  body: optionalString
})

/**
 * What is absent stays as it is.
 *
 * @since 0.1.0
 * @category schemas
 */
export const RecordChange = Schema.Struct({
  id: Schema.String,
  frontMatter: Schema.optionalWith(FrontMatter, { exact: true }),
  body: optionalString,
  revision: optionalString
})

type Entry = typeof RecordEntry.Type

type Summary = typeof RecordSummary.Type

/**
 * @since 0.1.0
 * @category models
 */
export interface RecordsOperations {
  readonly get: (payload: { readonly id: string }) => Effect.Effect<Entry, RecordsError>
  readonly search: (search: typeof RecordSearch.Type) => Effect.Effect<ReadonlyArray<Summary>, RecordsError>
  readonly list: (filter: typeof RecordFilter.Type) => Effect.Effect<ReadonlyArray<Summary>, RecordsError>
  readonly links: (payload: { readonly id: string }) => Effect.Effect<ReadonlyArray<string>, RecordsError>
  readonly backlinks: (payload: { readonly id: string }) => Effect.Effect<ReadonlyArray<string>, RecordsError>
  readonly create: (draft: typeof RecordDraft.Type) => Effect.Effect<Entry, RecordsError>
  readonly update: (change: typeof RecordChange.Type) => Effect.Effect<Entry, RecordsError>
  readonly delete: (payload: { readonly id: string }) => Effect.Effect<void, RecordsError>
}
