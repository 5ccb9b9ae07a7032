/**
 * @since 0.1.0
 */
import { Effect, Layer } from "effect"
import type { Capabilities } from "../capabilities/Capabilities.js"
import * as Declaration from "../capabilities/Declaration.js"
import { Network } from "../capabilities/network/Network.js"
import { NetworkBackend } from "../capabilities/network/NetworkBackend.js"
import * as ScopedNetwork from "../capabilities/network/ScopedNetwork.js"
import * as Scoped from "../capabilities/secrets/ScopedSecrets.js"
import { Sealing } from "../capabilities/secrets/Sealing.js"
import { Secrets } from "../capabilities/secrets/Secrets.js"
import { SecretsBackend } from "../capabilities/secrets/SecretsBackend.js"
import { holder } from "../policy/gate/Asking.js"
import type { Authority } from "../policy/lattice/Authority.js"
import { Scrubber } from "../registry/scrub/Scrubber.js"
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

/**
 * What a tool with sealed secrets has under its own declaration: its secrets, and a network that puts them in place. The
 * handler sees each request as a server does.
 *
 * @example
 * ```ts
 * import { Network, Secrets } from "bailiwick"
 * import { TestSecrets } from "bailiwick/testing"
 * import { Effect } from "effect"
 *
 * const capabilities = {
 *   network: { allowedHosts: ["api.example.com"] },
 *   secrets: [{ ref: "API_KEY", hosts: ["api.example.com"] }]
 * } as const
 * const layer = TestSecrets.layerSealed(capabilities, { API_KEY: "only-a-mock" }, (_url, { headers }) => ({
 *   status: headers.authorization === "Bearer only-a-mock" ? 200 : 401
 * }))
 * const status = Effect.flatMap(Secrets.sealed("API_KEY"), (token) =>
 *   Network.request("GET", "https://api.example.com/", { headers: { authorization: `Bearer ${token}` } })
 * )
 * console.log((await Effect.runPromise(Effect.provide(status, layer))).status)
 * ```
 *
 * ```text output
 * 200
 * ```
 *
 * @since 0.1.0
 * @category layers
 */
export const layerSealed = (
  declared: Capabilities,
  values: Secrets.MockValues,
  handler: Network.MockHandler
): Layer.Layer<Secrets.Everything | Network.Everything> =>
  Layer.unwrapEffect(
    Effect.map(Effect.orDie(Declaration.authority(declared)), (authority) => {
      const scrubber = new Scrubber()
      const who = holder({ authority })
      const backend = SecretsBackend.fromOperations(Secrets.memory(values))
      const revealed = (value: string) => scrubber.add(value)
      const sealing = new Sealing({
        holder: who,
        declared: declared.secrets ?? [],
        backend,
        revealed,
        scrubbing: (further) => scrubber.with(further)
      })
      const network = NetworkBackend.fromOperations(Network.memory(handler))
      return Layer.merge(
        Secrets.layer(() => Scoped.scoped(who, backend, revealed, sealing)),
        Network.layer(() => ScopedNetwork.scoped(who, network, undefined, sealing))
      )
    })
  )
