/**
 * @since 0.1.0
 */
import type { Layer } from "effect"
import { SecretsBackend } from "../capabilities/backends/SecretsBackend.js"
import { Secrets } from "../capabilities/Secrets.js"
import type { Authority } from "../policy/Authority.js"
import { holder } from "../policy/Proof.js"
import * as Scoped from "../registry/scoped/ScopedSecrets.js"
import { type Recording, record } from "./Recording.js"

/**
 * Secrets in memory, with a note of each ref that is asked for.
 *
 * @since 0.1.0
 * @category mocks
 */
export const recording = (values: Secrets.MockValues): Recording<Secrets.Everything> =>
  record(Secrets.memory(values), (operations) => Secrets.layer(() => operations))

/**
 * Secrets in memory that obey an authority.
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
