/** Secrets from a provider of configuration. */
import { Config, ConfigError, type ConfigProvider, Effect } from "effect"
import type { SecretsError } from "../../../capabilities/secrets/SecretsOperations.js"
import { failed } from "./backend.js"

const nested = (segments: ReadonlyArray<string>): Config.Config<string> =>
  segments
    .slice(0, -1)
    .reduceRight<Config.Config<string>>(
      (config, segment) => Config.nested(config, segment),
      Config.string(segments.at(-1))
    )

/** The value at a path, if there is one. Why it cannot be read is not repeated: a reason may quote the value. */
export const load = (
  provider: ConfigProvider.ConfigProvider,
  path: ReadonlyArray<string>
): Effect.Effect<string | undefined, SecretsError> =>
  Effect.catchAll(provider.load(nested(path)), (error) =>
    ConfigError.isMissingDataOnly(error)
      ? Effect.succeed(undefined)
      : failed("the provider of configuration could not read a secret; look at its source")
  )
