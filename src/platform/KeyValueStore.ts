/**
 * `KeyValueStore` over `Storage`: what a library keeps is kept in the store of the tool.
 *
 * @since 0.1.0
 */
import { type PlatformError, SystemError, type SystemErrorReason } from "@effect/platform/Error"
import * as KeyValueStore from "@effect/platform/KeyValueStore"
import { Effect, Layer, Option, Schema } from "effect"
import { Storage } from "../capabilities/storage/Storage.js"
import type { StorageError } from "../capabilities/storage/StorageOperations.js"
import { decode, encode, textOf, toBytes } from "./storedValue.js"

const reasons: { readonly [C in StorageError["code"]]: SystemErrorReason } = {
  SCOPE_NOT_ALLOWED: "PermissionDenied",
  KEY_INVALID: "InvalidData",
  VALUE_INVALID: "InvalidData",
  QUOTA_EXCEEDED: "WriteZero",
  STORAGE_BUSY: "Busy",
  STORAGE_UNAVAILABLE: "Unknown",
  STORAGE_FENCED: "PermissionDenied",
  STORAGE_FAILED: "Unknown"
}

/** A key may tell what nobody else should know: the words of `Storage` have all that is said of it. */
const wrapped =
  (method: string) =>
  (error: StorageError): PlatformError =>
    new SystemError({
      reason: reasons[error.code],
      module: "KeyValueStore",
      method,
      description: error.message,
      cause: error
    })

const storeOf = (storage: Storage.Service): KeyValueStore.KeyValueStore => {
  const of = <A>(method: string, effect: Effect.Effect<A, StorageError, Storage>) =>
    Effect.mapError(Effect.provideService(effect, Storage, storage), wrapped(method))
  const read = (method: string, key: string) => Effect.map(of(method, storage.get(key)), Option.map(decode))
  const modified = <V extends string | Uint8Array>(
    method: string,
    key: string,
    f: (stored: string | Uint8Array) => V
  ) =>
    Effect.suspend(() => {
      let last: Option.Option<V> = Option.none()
      const swap = (current: Option.Option<string>) => {
        last = Option.map(current, (text) => f(decode(text)))
        return Option.map(last, encode)
      }
      // The last run is the one that was kept.
      return Effect.map(of(method, storage.update(key, swap)), () => last)
    })
  const all = (method: string) => of(method, storage.list())
  return {
    ...KeyValueStore.make({
      get: (key) => Effect.map(read("get", key), Option.map(textOf)),
      getUint8Array: (key) => Effect.map(read("getUint8Array", key), Option.map(toBytes)),
      set: (key, value) => of("set", storage.set(key, encode(value))),
      remove: (key) => of("remove", storage.delete(key)),
      clear: Effect.flatMap(all("clear"), (keys) =>
        Effect.forEach(keys, (key) => of("clear", storage.delete(key)), { discard: true })
      ),
      size: Effect.map(all("size"), (keys) => keys.length),
      has: (key) => Effect.map(read("has", key), Option.isSome),
      modify: (key, f) => modified("modify", key, (stored) => f(textOf(stored))),
      modifyUint8Array: (key, f) => modified("modifyUint8Array", key, (stored) => f(toBytes(stored)))
    }),
    forSchema
  }
}

/**
 * As the platform's, but `modify` loses no update. It uses what it is called on, which may be a store with a prefix.
 */
function forSchema<A, I, R>(
  this: KeyValueStore.KeyValueStore,
  schema: Schema.Schema<A, I, R>
): KeyValueStore.SchemaStore<A, R> {
  const json = Schema.parseJson(schema)
  const [parse, print] = [Schema.decodeUnknown(json), Schema.encode(json)]
  const modify: KeyValueStore.SchemaStore<A, R>["modify"] = (key, f) =>
    Effect.gen(this, function* () {
      while (true) {
        const before = Option.getOrUndefined(yield* this.get(key))
        if (before === undefined) return Option.none()
        const next = f(yield* parse(before))
        const text = yield* print(next)
        let isKept = false
        yield* this.modify(key, (now) => {
          isKept = now === before
          return isKept ? text : now
        })
        if (isKept) return Option.some(next)
        // Another writer came first: let it go on before the next attempt.
        yield* Effect.yieldNow()
      }
    })
  const { clear, has, isEmpty, remove, size } = this
  return {
    [KeyValueStore.SchemaStoreTypeId]: KeyValueStore.SchemaStoreTypeId,
    get: (key) =>
      Effect.flatMap(this.get(key), (text) => Effect.transposeMapOption(text, (json) => parse(json))),
    set: (key, value) => Effect.flatMap(print(value), (text) => this.set(key, text)),
    modify,
    remove,
    clear,
    size,
    has,
    isEmpty
  }
}

/**
 * Keeps what a library keeps in the store of the tool, which must declare `storage`. Updates are atomic. Entries live as
 * long as the declaration says.
 *
 * @example
 * ```ts
 * import { KeyValueStore } from "@effect/platform"
 * import { Storage } from "bailiwick"
 * import { layerKeyValueStore } from "bailiwick/platform"
 * import { Effect, Option } from "effect"
 *
 * const program = Effect.gen(function* () {
 *   const store = yield* KeyValueStore.KeyValueStore
 *   yield* store.set("visits", "1")
 *   return yield* store.modify("visits", (visits) => String(Number(visits) + 1))
 * })
 * const visits = await Effect.runPromise(
 *   program.pipe(Effect.provide(layerKeyValueStore), Effect.provide(Storage.mock()))
 * )
 * console.log(Option.getOrThrow(visits))
 * ```
 *
 * ```text output
 * 2
 * ```
 *
 * @since 0.1.0
 * @category layers
 */
export const layerKeyValueStore: Layer.Layer<KeyValueStore.KeyValueStore, never, Storage> = Layer.effect(
  KeyValueStore.KeyValueStore,
  Effect.map(Storage, storeOf)
)
