/**
 * What is done with files, as plain data: what a scoped service asks for, a backend answers, and a process boundary
 * can carry.
 *
 * @since 0.1.0
 */
import { type Effect, Schema } from "effect"
import { Denial } from "../../policy/lattice/Denial.js"

/**
 * @since 0.1.0
 * @category errors
 */
export class FilesError extends Schema.TaggedError<FilesError>("bailiwick/FilesError")("FilesError", {
  code: Schema.Literal(
    "PATH_NOT_REACHABLE",
    "PATH_INVALID",
    "NOT_FOUND",
    "ALREADY_EXISTS",
    "NOT_A_FILE",
    "NOT_A_DIRECTORY",
    "LIMIT_EXCEEDED",
    "QUOTA_EXCEEDED",
    "FILES_FAILED"
  ),
  detail: Schema.String,
  denial: Schema.optional(Denial)
}) {
  /** @since 0.1.0 */
  override get message(): string {
    return `${this.code}: ${this.detail}`
  }
}

/**
 * @since 0.1.0
 * @category schemas
 */
export const FileStat = Schema.Struct({
  kind: Schema.Literal("file", "directory"),
  size: Schema.Finite,
  modifiedMillis: Schema.Finite
})

/**
 * A part of a file, in bytes; without a length, to its end.
 *
 * @since 0.1.0
 * @category schemas
 */
export const FileRange = Schema.Struct({
  offset: Schema.optionalWith(Schema.NonNegativeInt, { exact: true }),
  length: Schema.optionalWith(Schema.NonNegativeInt, { exact: true })
})

/**
 * A regular expression without back-references or look-around, so that its time is bounded, and a glob of the file
 * names that are looked into.
 *
 * @since 0.1.0
 * @category schemas
 */
export const FileQuery = Schema.Struct({
  pattern: Schema.String,
  glob: Schema.optionalWith(Schema.String, { exact: true }),
  limit: Schema.optionalWith(Schema.Positive.pipe(Schema.int()), { exact: true })
})

/**
 * Lines count from 1. `truncated` says that there was more than the limit.
 *
 * @since 0.1.0
 * @category schemas
 */
export const FilesFound = Schema.Struct({
  matches: Schema.Array(Schema.Struct({ path: Schema.String, line: Schema.Int, text: Schema.String })),
  truncated: Schema.Boolean
})

/**
 * The operations themselves, over plain data, as a backend writes them.
 *
 * @since 0.1.0
 * @category models
 */
export interface FilesOperations {
  readonly readBytes: (
    payload: { readonly path: string } & typeof FileRange.Type
  ) => Effect.Effect<Uint8Array, FilesError>
  readonly writeBytes: (payload: {
    readonly path: string
    readonly content: Uint8Array
  }) => Effect.Effect<void, FilesError>
  readonly list: (payload: { readonly path: string }) => Effect.Effect<ReadonlyArray<string>, FilesError>
  readonly stat: (payload: { readonly path: string }) => Effect.Effect<typeof FileStat.Type, FilesError>
  readonly mkdir: (payload: {
    readonly path: string
    readonly recursive: boolean
  }) => Effect.Effect<void, FilesError>
  readonly remove: (payload: {
    readonly path: string
    readonly recursive: boolean
  }) => Effect.Effect<void, FilesError>
  readonly search: (
    payload: { readonly path: string } & typeof FileQuery.Type
  ) => Effect.Effect<typeof FilesFound.Type, FilesError>
}
