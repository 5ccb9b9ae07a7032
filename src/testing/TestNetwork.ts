/**
 * @since 0.1.0
 */
import type { Layer } from "effect"
import { Network } from "../capabilities/network/Network.js"
import { NetworkBackend } from "../capabilities/network/NetworkBackend.js"
import * as Scoped from "../capabilities/network/ScopedNetwork.js"
import { holder } from "../policy/gate/Proof.js"
import type { Authority } from "../policy/lattice/Authority.js"
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
