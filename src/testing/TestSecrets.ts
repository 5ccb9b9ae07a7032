/**
 * @since 0.1.0
 */
import type { Layer } from "effect"
import * as Scoped from "../capabilities/secrets/ScopedSecrets.js"
import { Secrets } from "../capabilities/secrets/Secrets.js"
import { SecretsBackend } from "../capabilities/secrets/SecretsBackend.js"
import { holder } from "../policy/gate/Proof.js"
import type { Authority } from "../policy/lattice/Authority.js"
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
