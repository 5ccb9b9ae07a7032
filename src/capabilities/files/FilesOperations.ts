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
 * A child of a directory, and what it is. `link` is a symbolic link to what may be read, or would be if it were there.
 * `unreachable` is what may not be read: because of its name, or of where it leads as a link. Nothing else is said of it.
 *
 * @since 0.1.0
 * @category schemas
 */
export const FileEntry = Schema.Struct({
  name: Schema.String,
  kind: Schema.Literal("file", "directory", "link", "unreachable", "other")
})

const AtPath = Schema.Struct({ path: Schema.String })
const AtPathRecursive = Schema.Struct({ path: Schema.String, recursive: Schema.Boolean })
const Content = Schema.Struct({ path: Schema.String, content: Schema.Uint8ArrayFromBase64 })

/**
 * What goes in and out of each operation.
 *
 * @since 0.1.0
 * @category schemas
 */
export const operationSchemas = {
  readBytes: {
    payload: Schema.Struct({ ...AtPath.fields, ...FileRange.fields }),
    success: Schema.Uint8ArrayFromBase64,
    failure: FilesError
  },
  writeBytes: { payload: Content, success: Schema.Void, failure: FilesError },
  appendBytes: { payload: Content, success: Schema.Void, failure: FilesError },
  createBytes: { payload: Content, success: Schema.Void, failure: FilesError },
  list: { payload: AtPath, success: Schema.Array(Schema.String), failure: FilesError },
  entries: { payload: AtPath, success: Schema.Array(FileEntry), failure: FilesError },
  stat: { payload: AtPath, success: FileStat, failure: FilesError },
  mkdir: { payload: AtPathRecursive, success: Schema.Void, failure: FilesError },
  remove: { payload: AtPathRecursive, success: Schema.Void, failure: FilesError },
  rename: {
    payload: Schema.Struct({ from: Schema.String, to: Schema.String, replace: Schema.Boolean }),
    success: Schema.Void,
    failure: FilesError
  },
  temporary: {
    payload: Schema.Struct({ within: Schema.NullOr(Schema.String), prefix: Schema.String }),
    success: Schema.String,
    failure: FilesError
  },
  search: {
    payload: Schema.Struct({ ...AtPath.fields, ...FileQuery.fields }),
    success: FilesFound,
    failure: FilesError
  }
} as const

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
  /** Adds to the end of a file, in one piece; makes the file where there is none. */
  readonly appendBytes: FilesOperations["writeBytes"]
  /** Writes a file where nothing is, not even a link that leads nowhere. */
  readonly createBytes: FilesOperations["writeBytes"]
  readonly list: (payload: { readonly path: string }) => Effect.Effect<ReadonlyArray<string>, FilesError>
  readonly entries: (payload: {
    readonly path: string
  }) => Effect.Effect<ReadonlyArray<typeof FileEntry.Type>, FilesError>
  readonly stat: (payload: { readonly path: string }) => Effect.Effect<typeof FileStat.Type, FilesError>
  readonly mkdir: (payload: {
    readonly path: string
    readonly recursive: boolean
  }) => Effect.Effect<void, FilesError>
  readonly remove: (payload: {
    readonly path: string
    readonly recursive: boolean
  }) => Effect.Effect<void, FilesError>
  readonly rename: (payload: {
    readonly from: string
    readonly to: string
    readonly replace: boolean
  }) => Effect.Effect<void, FilesError>
  /** Makes a directory with a name that nobody knows, for its maker alone; where it is, if nothing is said of that, is chosen. */
  readonly temporary: (payload: {
    readonly within: string | null
    readonly prefix: string
  }) => Effect.Effect<string, FilesError>
  readonly search: (
    payload: { readonly path: string } & typeof FileQuery.Type
  ) => Effect.Effect<typeof FilesFound.Type, FilesError>
}
