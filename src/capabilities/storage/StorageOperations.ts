/**
 * What is done with a store, as plain data: what a scoped service asks for, a backend answers, and a process boundary
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
export class StorageError extends Schema.TaggedError<StorageError>("bailiwick/StorageError")("StorageError", {
  code: Schema.Literal("SCOPE_NOT_ALLOWED", "KEY_INVALID", "VALUE_INVALID", "STORAGE_FAILED"),
  detail: Schema.String,
  denial: Schema.optional(Denial)
}) {
  /** @since 0.1.0 */
  override get message(): string {
    return `${this.code}: ${this.detail}`
  }
}

const ttlSeconds = Schema.optionalWith(Schema.Finite.pipe(Schema.positive()), { exact: true })

/**
 * @since 0.1.0
 * @category schemas
 */
export const StorageEntry = Schema.Struct({ key: Schema.String, value: Schema.String, ttlSeconds })

/**
 * Sets `key` to `value` if it now holds `expected`; `null` stands for no entry, on either side.
 *
 * @since 0.1.0
 * @category schemas
 */
export const StorageSwap = Schema.Struct({
  key: Schema.String,
  expected: Schema.NullOr(Schema.String),
  value: Schema.NullOr(Schema.String),
  ttlSeconds
})

/**
 * The operations themselves, over plain data, as a backend writes them.
 *
 * @since 0.1.0
 * @category models
 */
export interface StorageOperations {
  readonly get: (payload: { readonly key: string }) => Effect.Effect<string | null, StorageError>
  readonly set: (entry: typeof StorageEntry.Type) => Effect.Effect<void, StorageError>
  readonly delete: (payload: { readonly key: string }) => Effect.Effect<void, StorageError>
  readonly list: (payload: { readonly prefix: string }) => Effect.Effect<ReadonlyArray<string>, StorageError>
  readonly compareAndSet: (swap: typeof StorageSwap.Type) => Effect.Effect<boolean, StorageError>
}
