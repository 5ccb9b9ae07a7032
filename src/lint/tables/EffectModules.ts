/** Exports of Effect, of its platform, and of this package that are not for tools, or only with the bridge. */
import { byName } from "./lists.js"
import type { Remedy } from "./Remedy.js"

const configuration = byName({ settings: "Config ConfigProvider" })

const platform = byName({
  bridge: "HttpClient FileSystem KeyValueStore CommandExecutor Command HttpApiClient",
  live: "FetchHttpClient",
  unbridged: "Terminal Worker WorkerRunner Socket SocketServer HttpServer PlatformLogger Runtime",
  settings: "PlatformConfigProvider"
})

const backends = byName({
  live: "Files Network Process Records Secrets Storage Attachments".replaceAll(/\w+/g, "$&Backend")
})

/** By package, and by the name of the export or of the module below the package. */
export const effectExports: ReadonlyMap<string, ReadonlyMap<string, Remedy>> = new Map([
  ["effect", new Map(configuration)],
  ["@effect/platform", new Map(platform)],
  ["bailiwick", new Map(backends)]
])

/** Where the bridge from capabilities to the services of the platform is. */
export const bridge = "bailiwick/platform"

/** `effect/Config`, `effect/dist/esm/Config.js` and the like are the export `Config` of `effect`. */
export const exportOf = (specifier: string): readonly [string, string] | undefined => {
  const found =
    /^(effect|@effect\/platform)\/(?:(?:dist|src|lib)\/)?(?:(?:esm|cjs|mjs|dts)\/)?(\w+)(?:\.[cm]?[jt]s)?$/.exec(
      specifier
    )
  return found === null ? undefined : [found[1] ?? "", found[2] ?? ""]
}
