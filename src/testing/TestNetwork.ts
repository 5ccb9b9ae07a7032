/**
 * @since 0.1.0
 */
import type { Layer } from "effect"
import { NetworkBackend } from "../capabilities/backends/NetworkBackend.js"
import { Network } from "../capabilities/Network.js"
import type { Authority } from "../policy/Authority.js"
import { holder } from "../policy/Proof.js"
import * as Scoped from "../registry/scoped/ScopedNetwork.js"
import { type Recording, record } from "./Recording.js"

/**
 * A network that answers every request with what the handler gives, and notes it.
 *
 * @since 0.1.0
 * @category mocks
 */
export const recording = (handler: Network.MockHandler): Recording<Network.Everything> =>
  record(Network.memory(handler), (operations) => Network.layer(() => operations))

/**
 * A network in memory that obeys an authority: what is not permitted does not reach the handler.
 *
 * @since 0.1.0
 * @category layers
 */
export const layerMemory = (
  authority: Authority,
  handler: Network.MockHandler
): Layer.Layer<Network.Everything> =>
  Network.layer(() =>
    Scoped.scoped(holder({ authority }), NetworkBackend.fromOperations(Network.memory(handler)))
  )
