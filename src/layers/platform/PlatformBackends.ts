/**
 * Every backend that can be made from services of `@effect/platform`, for runtimes other than Node and for tests. A category
 * that is not among them is `not_available`, as always.
 *
 * @since 0.1.0
 */
import type { FileSystem } from "@effect/platform/FileSystem"
import type { HttpClient } from "@effect/platform/HttpClient"
import type { KeyValueStore } from "@effect/platform/KeyValueStore"
import { Layer } from "effect"
import type { FilesBackend } from "../../capabilities/files/FilesBackend.js"
import type { NetworkBackend } from "../../capabilities/network/NetworkBackend.js"
import type { StorageBackend } from "../../capabilities/storage/StorageBackend.js"
import * as PlatformFiles from "./PlatformFiles.js"
import * as PlatformNetwork from "./PlatformNetwork.js"
import * as PlatformStorage from "./PlatformStorage.js"

/**
 * @since 0.1.0
 * @category models
 */
export interface Options {
  readonly files?: PlatformFiles.Options | undefined
  readonly network?: PlatformNetwork.Options | undefined
  readonly storage?: PlatformStorage.Options | undefined
}

/**
 * @since 0.1.0
 * @category models
 */
export type Backends = FilesBackend | NetworkBackend | StorageBackend

/**
 * @since 0.1.0
 * @category models
 */
export type Requires = FileSystem | HttpClient | KeyValueStore

/**
 * They are weaker than those of `bailiwick/node`: see `docs/platform.md`.
 *
 * @example
 * ```ts
 * import { FetchHttpClient, KeyValueStore } from "@effect/platform"
 * import { NodeFileSystem } from "@effect/platform-node"
 * import { PlatformBackends } from "bailiwick/platform"
 * import { Layer } from "effect"
 *
 * export const backends = PlatformBackends.layer().pipe(
 *   Layer.provide([KeyValueStore.layerMemory, FetchHttpClient.layer, NodeFileSystem.layer])
 * )
 * ```
 *
 * @since 0.1.0
 * @category layers
 */
export const layer = (options: Options = {}): Layer.Layer<Backends, never, Requires> =>
  Layer.mergeAll(
    PlatformFiles.layer(options.files),
    PlatformNetwork.layer(options.network),
    PlatformStorage.layer(options.storage)
  )
