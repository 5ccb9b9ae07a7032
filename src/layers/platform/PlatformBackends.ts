/**
 * Every backend that can be made from services of `@effect/platform`, for runtimes other than Node and for tests. A category
 * that is not among them is `not_available`, as always.
 *
 * @since 0.1.0
 */
import type { KeyValueStore } from "@effect/platform/KeyValueStore"
import { Layer } from "effect"
import type { StorageBackend } from "../../capabilities/storage/StorageBackend.js"
import * as PlatformStorage from "./PlatformStorage.js"

/**
 * @since 0.1.0
 * @category models
 */
export interface Options {
  readonly storage?: PlatformStorage.Options | undefined
}

/**
 * @since 0.1.0
 * @category models
 */
export type Backends = StorageBackend

/**
 * @since 0.1.0
 * @category models
 */
export type Requires = KeyValueStore

/**
 * They are weaker than those of `bailiwick/node`: see `docs/platform.md`.
 *
 * @example
 * ```ts
 * import { KeyValueStore } from "@effect/platform"
 * import { PlatformBackends } from "bailiwick/platform"
 * import { Layer } from "effect"
 *
 * export const backends = PlatformBackends.layer().pipe(Layer.provide(KeyValueStore.layerMemory))
 * ```
 *
 * @since 0.1.0
 * @category layers
 */
export const layer = (options: Options = {}): Layer.Layer<Backends, never, Requires> =>
  Layer.mergeAll(PlatformStorage.layer(options.storage))
