/**
 * Where secrets come from: the environment, a `.env` file, a directory with a file for each, or any provider of
 * configuration. A backend sees only refs that the authority of a tool holds.
 *
 * @since 0.1.0
 */
import { type ConfigProvider, Context, Effect, Layer } from "effect"
import { SecretsBackend } from "../../../capabilities/secrets/SecretsBackend.js"
import * as Kept from "../disk/Kept.js"
import { backend } from "./backend.js"
import { load } from "./config.js"
import { fileIn } from "./directory.js"
import { variablesIn } from "./dotEnv.js"
import { firstOf } from "./firstOf.js"
import { lookUp, providerOf, variableOf } from "./variables.js"

/**
 * @since 0.1.0
 * @category models
 */
export interface EnvironmentOptions {
  /** The start of every variable that is a secret. Other variables are then out of reach. */
  readonly prefix?: string | undefined
  /** Without it, the environment of this process. */
  readonly environment?: Readonly<Record<string, string | undefined>> | undefined
}

/**
 * @since 0.1.0
 * @category models
 */
export interface DotEnvOptions {
  readonly file: string
  /** The start of every variable that is a secret. Other variables are then out of reach. */
  readonly prefix?: string | undefined
}

/**
 * @since 0.1.0
 * @category models
 */
export interface DirectoryOptions {
  readonly directory: string
}

/**
 * Secrets from a provider of configuration: `a/b` is `b` nested in `a`.
 *
 * @since 0.1.0
 * @category constructors
 */
export const fromConfig = (provider: ConfigProvider.ConfigProvider): SecretsBackend.Service =>
  backend({
    find: (segments) => load(provider, segments),
    remedy: (segments) => (segments === undefined ? "configure it" : `configure ${segments.join(" → ")}`)
  })

/**
 * Reads secrets from a provider of configuration: the ref `a/b` is `b` nested in `a`.
 *
 * @example
 * ```ts
 * import { NodeSecrets } from "bailiwick/node"
 * import { ConfigProvider } from "effect"
 *
 * export const secrets = NodeSecrets.layerConfig(ConfigProvider.fromJson({ exa: { key: "only-an-example" } }))
 * ```
 *
 * @since 0.1.0
 * @category layers
 */
export const layerConfig = (provider: ConfigProvider.ConfigProvider): Layer.Layer<SecretsBackend> =>
  Layer.sync(SecretsBackend, () => fromConfig(provider))

/**
 * Reads secrets from the environment: the ref `exa/key` is the variable `EXA_KEY`. It takes the variables when the
 * layer is made. One that is set later is no secret, and one that is deleted later, so that children do not see it,
 * stays one.
 *
 * @example
 * ```ts
 * import { NodeSecrets } from "bailiwick/node"
 *
 * export const secrets = NodeSecrets.layerEnvironment({ prefix: "AGENT_" })
 * ```
 *
 * @since 0.1.0
 * @category layers
 */
export const layerEnvironment = (options: EnvironmentOptions = {}): Layer.Layer<SecretsBackend> =>
  Layer.sync(SecretsBackend, () => {
    const prefix = options.prefix ?? ""
    const variables = new Map<string, string>()
    for (const [name, value] of Object.entries(options.environment ?? process.env)) {
      if (value !== undefined) variables.set(name, value)
    }
    const provider = providerOf(variables)
    return backend({
      find: (segments) => lookUp(provider, segments, prefix),
      remedy: (segments) =>
        segments === undefined
          ? "set its variable in the environment"
          : `set ${variableOf(segments, prefix)} in the environment`
    })
  })

/**
 * Reads secrets from a `.env` file, with the layer and again after each change of the file.
 *
 * @example
 * ```ts
 * import { NodeSecrets } from "bailiwick/node"
 *
 * export const secrets = NodeSecrets.layerDotEnv({ file: "/work/.env" })
 * ```
 *
 * @since 0.1.0
 * @category layers
 */
export const layerDotEnv = (options: DotEnvOptions): Layer.Layer<SecretsBackend> =>
  Layer.effect(
    SecretsBackend,
    Effect.gen(function* () {
      Kept.close(options.file)
      const prefix = options.prefix ?? ""
      const variables = variablesIn(options.file)
      // Read now for its warning; what is wrong with it is told to whoever asks for a secret.
      yield* Effect.ignore(variables)
      return backend({
        find: (segments) => Effect.flatMap(variables, (provider) => lookUp(provider, segments, prefix)),
        remedy: (segments) =>
          `add ${segments === undefined ? "its variable" : variableOf(segments, prefix)} to ${options.file}`
      })
    })
  )

/**
 * Reads secrets from files of a directory, as a container gets them: the ref `a/b` is the file `b` in the directory
 * `a`, without the newline at its end.
 *
 * @example
 * ```ts
 * import { NodeSecrets } from "bailiwick/node"
 *
 * export const secrets = NodeSecrets.layerDirectory({ directory: "/run/secrets" })
 * ```
 *
 * @since 0.1.0
 * @category layers
 */
export const layerDirectory = ({ directory }: DirectoryOptions): Layer.Layer<SecretsBackend> =>
  Layer.sync(SecretsBackend, () => {
    Kept.close(directory)
    return backend({
      find: (segments) => fileIn(directory, segments),
      remedy: (segments) =>
        `add ${segments === undefined ? "its file" : `the file ${segments.join("/")}`} to ${directory}`
    })
  })

/**
 * Asks several sources in order, and takes the first that has the secret. When one fails, the next is not asked.
 *
 * @example
 * ```ts
 * import { NodeSecrets } from "bailiwick/node"
 *
 * export const secrets = NodeSecrets.layerFirstOf(
 *   NodeSecrets.layerEnvironment(),
 *   NodeSecrets.layerDirectory({ directory: "/run/secrets" })
 * )
 * ```
 *
 * @since 0.1.0
 * @category layers
 */
export const layerFirstOf = <E = never, R = never>(
  ...layers: ReadonlyArray<Layer.Layer<SecretsBackend, E, R>>
): Layer.Layer<SecretsBackend, E, R> =>
  Layer.scoped(
    SecretsBackend,
    Effect.map(
      Effect.forEach(layers, (layer) => Effect.map(Layer.build(layer), Context.get(SecretsBackend))),
      firstOf
    )
  )
