/**
 * @since 0.1.0
 */
import type { Layer } from "effect"
import { Network } from "../capabilities/network/Network.js"
import { NetworkBackend } from "../capabilities/network/NetworkBackend.js"
import * as Scoped from "../capabilities/network/ScopedNetwork.js"
import { holder } from "../policy/gate/Asking.js"
import type { Authority } from "../policy/lattice/Authority.js"
import { type Recording, record } from "./Recording.js"

/**
 * A network whose handler answers every request, and which keeps each call. `calls` are the operations underneath:
 * `get` shows up as `request`.
 *
 * @example
 * ```ts
 * import { Network } from "bailiwick"
 * import { TestNetwork } from "bailiwick/testing"
 * import { Effect } from "effect"
 *
 * const network = TestNetwork.recording(() => "hello")
 * await Effect.runPromise(Effect.provide(Network.get("https://api.github.com/meta"), network.layer))
 * for (const { operation } of Effect.runSync(network.calls)) console.log(operation)
 * ```
 *
 * ```text output
 * request
 * ```
 *
 * @since 0.1.0
 * @category mocks
 */
export const recording = (handler: Network.MockHandler): Recording<Network.Everything> =>
  record(Network.memory(handler), (operations) => Network.layer(() => operations))

/**
 * A network in memory that obeys an authority. A request that is not permitted fails, and does not reach the handler.
 *
 * @example
 * ```ts
 * import { Authority, Network } from "bailiwick"
 * import { TestNetwork } from "bailiwick/testing"
 * import { Effect, Schema } from "effect"
 *
 * const authority = Schema.decodeSync(Authority.FromJson)({ network: { get: ["*.github.com"] } })
 * const network = TestNetwork.layerMemory(authority, () => "hello")
 * const refused = Network.get("https://attacker.example/").pipe(Effect.flip, Effect.provide(network))
 * console.log((await Effect.runPromise(refused)).message)
 * ```
 *
 * ```text output
 * HOST_NOT_ALLOWED: attacker.example is not in the declared allowedHosts
 * ```
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
