/**
 * One namespace in a `KeyValueStore`. Such a store cannot list its keys, so that beside the entries there is an index of
 * them, with what each counts for and when it expires.
 */
import type { PlatformError } from "@effect/platform/Error"
import type { KeyValueStore } from "@effect/platform/KeyValueStore"
import { Effect, Option, Schema } from "effect"
import { StorageError } from "../../capabilities/storage/StorageOperations.js"

const expires = Schema.NullOr(Schema.Number)

/** As JSON: half a character or a NUL would not survive in every store. */
const StoredEntry = Schema.parseJson(Schema.Struct({ value: Schema.String, expires }))

const StoredIndex = Schema.parseJson(
  Schema.Array(Schema.Tuple(Schema.String, Schema.Struct({ bytes: Schema.Number, expires })))
)

export type Entry = typeof StoredEntry.Type

export type Index = ReadonlyMap<string, { readonly bytes: number; readonly expires: number | null }>

export const isAlive = (meta: Pick<Entry, "expires">, now: number): boolean =>
  meta.expires === null || meta.expires > now

/** The index that was read or written last: to read the same text again costs a comparison. */
export class LastIndex {
  private text = "[]"
  private index: Index = new Map()

  of(text: string): Index | undefined {
    return text === this.text ? this.index : undefined
  }

  keep(text: string, index: Index): Index {
    this.text = text
    this.index = index
    return index
  }
}

export interface Shelf {
  readonly index: Effect.Effect<Index, StorageError>
  readonly keep: (index: Index) => Effect.Effect<void, StorageError>
  readonly drop: Effect.Effect<void, StorageError>
  readonly get: (key: string) => Effect.Effect<Entry | undefined, StorageError>
  readonly set: (key: string, entry: Entry) => Effect.Effect<void, StorageError>
  readonly remove: (key: string) => Effect.Effect<void, StorageError>
}

/** Without what the platform says of it: that may name places of the host. */
const failed = (error: PlatformError): StorageError =>
  new StorageError({
    code: "STORAGE_FAILED",
    detail: `the store of the platform failed (${error._tag === "SystemError" ? error.reason : error._tag}); the operator must look at it`
  })

const unreadable = new StorageError({
  code: "STORAGE_FAILED",
  detail: "the store of the platform holds what was not written by this program; use another, or clear it"
})

export const shelfOf = (store: KeyValueStore, namespace: string, last: LastIndex): Shelf => {
  // What is encoded has no slash, so that no namespace is a part of another's keys.
  const own = `bailiwick/${encodeURIComponent(namespace)}`
  const indexKey = `${own}/index`
  const keyOf = (key: string) => `${own}/entry/${key}`
  const get = (key: string) => Effect.mapError(store.get(key), failed)
  const parsed = <A>(schema: Schema.Schema<A, string>, text: string) =>
    Effect.mapError(Schema.decode(schema)(text), () => unreadable)
  const put = (key: string, text: string) => Effect.asVoid(Effect.mapError(store.set(key, text), failed))
  const remove = (key: string) => Effect.asVoid(Effect.mapError(store.remove(key), failed))
  return {
    index: Effect.flatMap(get(indexKey), (stored) => {
      const text = Option.getOrElse(stored, () => "[]")
      const known = last.of(text)
      return known === undefined
        ? Effect.map(parsed(StoredIndex, text), (entries) => last.keep(text, new Map(entries)))
        : Effect.succeed(known)
    }),
    keep: (index) => {
      const text = JSON.stringify([...index])
      return Effect.tap(put(indexKey, text), () => last.keep(text, index))
    },
    drop: remove(indexKey),
    get: (key) =>
      Effect.flatMap(get(keyOf(key)), (text) =>
        Option.isNone(text) ? Effect.succeed(undefined) : parsed(StoredEntry, text.value)
      ),
    set: (key, entry) => put(keyOf(key), JSON.stringify(entry)),
    remove: (key) => remove(keyOf(key))
  }
}
