/**
 * Services of `@effect/platform` made from the capabilities of a tool, so that libraries which are written for it run inside
 * the tool and are held to its declaration.
 *
 * @since 0.1.0
 */

export * as PlatformBackends from "../layers/platform/PlatformBackends.js"
export * as PlatformFiles from "../layers/platform/PlatformFiles.js"
export * as PlatformNetwork from "../layers/platform/PlatformNetwork.js"
export * as PlatformStorage from "../layers/platform/PlatformStorage.js"
export { absorbed } from "./Absorbed.js"
export { layerCommandExecutor } from "./CommandExecutor.js"
export { layerFileSystem, layerFileSystemAt, layerPath } from "./FileSystem.js"
export { layerHttpClient, layerHttpClientFor, layerHttpClientTraced } from "./HttpClient.js"
export { layerKeyValueStore } from "./KeyValueStore.js"
