/**
 * A key-value store of strings. The declaration names its scope, which says who shares it.
 *
 * @since 0.1.0
 */
import { Context, Effect, type Layer, Option, Schema } from "effect"
import { oneOf } from "../declared.js"
import { complete } from "../doubles.js"
import { layerOf } from "../phantom.js"
import { made } from "../Remote.js"
import type { MissingKey, UnknownKey } from "../spelling.js"
import { memoryStorage } from "./memory.js"
import {
  Lifetime,
  lifetimeRefused,
  StorageEntry,
  StorageError,
  type StorageOperations,
  StorageSwap
} from "./StorageOperations.js"

/**
 * @since 0.1.0
 * @category schemas
 */
const StorageScope = oneOf("tool-private", "session", "personality")

/**
 * The `storage` of a declaration.
 *
 * @since 0.1.0
 * @category schemas
 */
export const StorageDeclaration = Schema.Struct({
  scope: StorageScope,
  kind: Schema.Literal("kv"),
  ttlSecondsDefault: Schema.optionalWith(Lifetime, { exact: true })
}).annotations({ parseOptions: { onExcessProperty: "error" } })

/**
 * @since 0.1.0
 */
export declare namespace Storage {
  /**
   * @since 0.1.0
   * @category models
   */
  export type Entry = typeof StorageEntry.Type

  /**
   * @since 0.1.0
   * @category models
   */
  export type Swap = typeof StorageSwap.Type

  /**
   * @since 0.1.0
   * @category models
   */
  export type Scope = typeof StorageScope.Type

  /**
   * The requirements that a declaration supplies, or the sentences that say what is wrong with it.
   *
   * @since 0.1.0
   * @category requirements
   */
  export type Supplied<D> = keyof D extends "scope" | "kind" | "ttlSecondsDefault"
    ? D extends { readonly scope: string; readonly kind: string }
      ? Storage
      : MissingKey<"storage", D, "scope" | "kind">
    :
        | UnknownKey<"storage", D, "scope" | "kind" | "ttlSecondsDefault", "scope, kind, ttlSecondsDefault">
        | Storage

  /**
   * `ttlSeconds` takes precedence over the default of the declaration.
   *
   * @since 0.1.0
   * @category models
   */
  export interface Options {
    readonly ttlSeconds?: number
  }

  /**
   * The operations over plain data, as a backend implements them.
   *
   * @since 0.1.0
   * @category models
   */
  export interface Operations extends StorageOperations {}

  /**
   * `update` answers with the new value. Its function may run more than once, and must be pure.
   *
   * @since 0.1.0
   * @category models
   */
  export interface Service {
    readonly get: (key: string) => Effect.Effect<Option.Option<string>, StorageError, Storage>
    readonly set: (
      key: string,
      value: string,
      options?: Options
    ) => Effect.Effect<void, StorageError, Storage>
    readonly delete: (key: string) => Effect.Effect<void, StorageError, Storage>
    readonly list: (prefix?: string) => Effect.Effect<ReadonlyArray<string>, StorageError, Storage>
    readonly update: (
      key: string,
      f: (current: Option.Option<string>) => Option.Option<string>,
      options?: Options
    ) => Effect.Effect<Option.Option<string>, StorageError, Storage>
  }

  /**
   * @since 0.1.0
   * @category testing
   */
  export type MockEntries = Readonly<Record<string, string>> | ReadonlyMap<string, string>
}

/**
 * @since 0.1.0
 * @category tags
 */
export class Storage extends Context.Tag("bailiwick/Storage")<Storage, Storage.Service>() {
  /** Schemas of the declaration, and of what goes in and out of the operations. */
  static readonly schemas = {
    Declaration: StorageDeclaration,
    Scope: StorageScope,
    Entry: StorageEntry,
    Swap: StorageSwap
  } as const

  /** The operations as data, for a service on the far side of a process boundary. */
  static readonly operations = {
    get: {
      payload: Schema.Struct({ key: Schema.String }),
      success: Schema.NullOr(Schema.String),
      failure: StorageError
    },
    set: { payload: StorageEntry, success: Schema.Void, failure: StorageError },
    delete: { payload: Schema.Struct({ key: Schema.String }), success: Schema.Void, failure: StorageError },
    list: {
      payload: Schema.Struct({ prefix: Schema.String }),
      success: Schema.Array(Schema.String),
      failure: StorageError
    },
    compareAndSet: { payload: StorageSwap, success: Schema.Boolean, failure: StorageError }
  } as const

  /** Makes the service from its operations. */
  static make(operations: Storage.Operations): Storage.Service {
    const read = (key: string) => Effect.map(operations.get({ key }), Option.fromNullable)
    const update: Storage.Service["update"] = (key, f, options) =>
      Effect.gen(function* () {
        const refused = lifetimeRefused(options?.ttlSeconds)
        if (refused !== undefined) return yield* refused
        while (true) {
          const current = yield* read(key)
          const next = f(current)
          const swapped = yield* operations.compareAndSet({
            key,
            expected: Option.getOrNull(current),
            value: Option.getOrNull(next),
            ...lifetime(options)
          })
          if (swapped) return next
          // Another writer came first: let it go on before the next attempt.
          yield* Effect.yieldNow()
        }
      })
    const service: Storage.Service = {
      get: read,
      set: (key, value, options) =>
        lifetimeRefused(options?.ttlSeconds) ?? operations.set({ key, value, ...lifetime(options) }),
      delete: (key) => operations.delete({ key }),
      list: (prefix = "") => operations.list({ prefix }),
      update
    }
    return made(service, operations)
  }

  /**
   * Reads the value of a key: none when there is no entry, or when it has expired. The tool must declare `storage`.
   * Fails with `SCOPE_NOT_ALLOWED` when the policy does not permit the declared scope.
   *
   * @example
   * ```ts
   * import { Storage } from "bailiwick"
   *
   * export const colour = Storage.get("colour")
   * ```
   */
  static readonly get: Storage.Service["get"] = (key) =>
    Effect.flatMap(Storage, (storage) => storage.get(key))

  /**
   * Writes a value. It lives for `ttlSeconds`, or as long as the declaration's `ttlSecondsDefault` says, or for good.
   * Fails as `get` does, with `KEY_INVALID` for an empty or long key, with `VALUE_INVALID` for a value that is too long
   * or a lifetime that is not a whole number of seconds, and with `QUOTA_EXCEEDED` where no more may be kept.
   *
   * @example
   * ```ts
   * import { Storage } from "bailiwick"
   *
   * export const remember = Storage.set("colour", "green", { ttlSeconds: 3600 })
   * ```
   */
  static readonly set: Storage.Service["set"] = (key, value, options) =>
    Effect.flatMap(Storage, (storage) => storage.set(key, value, options))

  /**
   * Removes an entry. It succeeds also when there is none, and fails as `get` does.
   *
   * @example
   * ```ts
   * import { Storage } from "bailiwick"
   *
   * export const forget = Storage.delete("colour")
   * ```
   */
  static readonly delete: Storage.Service["delete"] = (key) =>
    Effect.flatMap(Storage, (storage) => storage.delete(key))

  /**
   * Lists the keys that start with a prefix, or all keys. Fails as `get` does.
   *
   * @example
   * ```ts
   * import { Storage } from "bailiwick"
   *
   * export const visited = Storage.list("visits/")
   * ```
   */
  static readonly list: Storage.Service["list"] = (prefix) =>
    Effect.flatMap(Storage, (storage) => storage.list(prefix))

  /**
   * Replaces a value by a function of it, atomically, and answers with the new value. The function must be pure: it
   * runs again when another writer comes first. `Option.none()` removes the entry. Fails as `set` does.
   *
   * @example
   * ```ts
   * import { Storage } from "bailiwick"
   * import { Option } from "effect"
   *
   * const next = (count: Option.Option<string>) => Option.some(String(Number(Option.getOrElse(count, () => "0")) + 1))
   * export const count = Storage.update("visits/home", next)
   * ```
   */
  static readonly update: Storage.Service["update"] = (key, f, options) =>
    Effect.flatMap(Storage, (storage) => storage.update(key, f, options))

  /** A layer of the service over these operations. */
  static layer(operations: () => Storage.Operations): Layer.Layer<Storage> {
    return layerOf<Storage>()(Storage, () => Storage.make(operations()))
  }

  /** A test double that keeps entries in memory. They expire by the clock of the test. */
  static mock(initial: Storage.MockEntries = {}): Layer.Layer<Storage> {
    return Storage.layer(() => Storage.memory(initial))
  }

  /** The operations of the mock. */
  static memory(initial: Storage.MockEntries): Storage.Operations {
    return memoryStorage(initial)
  }

  /** A test double made of a part of the service. A method that is missing dies when it is called, and names itself. */
  static layerTest(service: Partial<Storage.Service>): Layer.Layer<Storage> {
    return layerOf<Storage>()(Storage, () =>
      complete(
        "Storage",
        { get: "effect", set: "effect", delete: "effect", list: "effect", update: "effect" },
        service
      )
    )
  }
}

/** Keeps `ttlSeconds`, if it is given, and no other option. */
const lifetime = (options: Storage.Options | undefined): Storage.Options =>
  options?.ttlSeconds === undefined ? {} : { ttlSeconds: options.ttlSeconds }
