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
  code: Schema.Literal(
    "SCOPE_NOT_ALLOWED",
    "KEY_INVALID",
    "VALUE_INVALID",
    "QUOTA_EXCEEDED",
    "STORAGE_BUSY",
    "STORAGE_UNAVAILABLE",
    "STORAGE_FENCED",
    "STORAGE_FAILED"
  ),
  detail: Schema.String,
  denial: Schema.optional(Denial)
}) {
  /** @since 0.1.0 */
  override get message(): string {
    return `${this.code}: ${this.detail}`
  }
}

const wholeSeconds = () => "expected a whole number of seconds, 1 or more"

/**
 * How long an entry lives: whole seconds, at least one. A lifetime that is over before it begins, or that has no end, is
 * a mistake of whoever wrote it.
 *
 * @since 0.1.0
 * @category schemas
 */
export const Lifetime = Schema.Int.annotations({ message: wholeSeconds }).pipe(
  Schema.positive({ message: wholeSeconds })
)

const isLifetime = Schema.is(Lifetime)

/**
 * Why a lifetime cannot be had, if it cannot. Without one an entry stays.
 *
 * @since 0.1.0
 * @category lifetimes
 */
export const lifetimeRefused = (ttlSeconds: number | undefined): StorageError | undefined =>
  ttlSeconds === undefined || isLifetime(ttlSeconds)
    ? undefined
    : new StorageError({
        code: "VALUE_INVALID",
        detail: `ttlSeconds is ${typeof ttlSeconds === "number" ? ttlSeconds : "no number"}; give a whole number of seconds, 1 or more, or leave it out`
      })

const ttlSeconds = Schema.optionalWith(Lifetime, { exact: true })

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
