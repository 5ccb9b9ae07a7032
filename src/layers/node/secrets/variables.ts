/** Secrets from variables: of the environment, or of a file that is written like one. */
import { ConfigProvider } from "effect"
import { load } from "./config.js"

/**
 * A plain ref is the name of its variable. A path is written in capitals, with underscores for slashes and for
 * whatever else a variable cannot hold: `providers/exa/key` is `PROVIDERS_EXA_KEY`.
 */
export const variableOf = (segments: ReadonlyArray<string>, prefix: string): string =>
  prefix +
  (segments.length > 1
    ? segments
        .join("_")
        .toUpperCase()
        .replace(/[^A-Z0-9_]/g, "_")
    : segments.join(""))

export const providerOf = (variables: ReadonlyMap<string, string>): ConfigProvider.ConfigProvider =>
  ConfigProvider.fromMap(new Map(variables))

export const lookUp = (
  provider: ConfigProvider.ConfigProvider,
  segments: ReadonlyArray<string>,
  prefix: string
) => load(provider, [variableOf(segments, prefix)])
