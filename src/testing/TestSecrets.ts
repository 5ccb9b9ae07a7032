/**
 * @since 0.1.0
 */
import type { Layer } from "effect"
import * as Scoped from "../capabilities/secrets/ScopedSecrets.js"
import { Secrets } from "../capabilities/secrets/Secrets.js"
import { SecretsBackend } from "../capabilities/secrets/SecretsBackend.js"
import { holder } from "../policy/gate/Asking.js"
import type { Authority } from "../policy/lattice/Authority.js"
import { type Recording, record } from "./Recording.js"

/**
 * Secrets in memory that keep each call, with the ref that it asks for.
 *
 * @example
 * ```ts
 * import { TestSecrets } from "bailiwick/testing"
 *
 * export const { calls, layer } = TestSecrets.recording({ GITHUB_TOKEN: "only-a-mock" })
 * ```
 *
 * @since 0.1.0
 * @category mocks
 */
export const recording = (values: Secrets.MockValues): Recording<Secrets.Everything> =>
  record(Secrets.memory(values), (operations) => Secrets.layer(() => operations))

/**
 * Secrets in memory that obey an authority. A ref that is not held is refused, whether there is such a secret or not.
 *
 * @example
 * ```ts
 * import { Authority } from "bailiwick"
 * import { TestSecrets } from "bailiwick/testing"
 * import { Schema } from "effect"
 *
 * const authority = Schema.decodeSync(Authority.FromJson)({ secrets: { read: ["GITHUB_TOKEN"] } })
 * export const secrets = TestSecrets.layerMemory(authority, { GITHUB_TOKEN: "only-a-mock", STRIPE_KEY: "never seen" })
 * ```
 *
 * @since 0.1.0
 * @category layers
 */
export const layerMemory = (
  authority: Authority,
  values: Secrets.MockValues
): Layer.Layer<Secrets.Everything> =>
  Secrets.layer(() =>
    Scoped.scoped(holder({ authority }), SecretsBackend.fromOperations(Secrets.memory(values)))
  )
