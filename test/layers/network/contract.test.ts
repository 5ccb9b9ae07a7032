/** One contract, every backend of the network. */
import { FetchHttpClient, type HttpClient } from "@effect/platform"
import { NodeHttpClient } from "@effect/platform-node"
import { afterAll, describe, it } from "@effect/vitest"
import { Effect, Exit, Layer, Scope } from "effect"
import { Network } from "../../../src/capabilities/network/Network.js"
import { NetworkBackend } from "../../../src/capabilities/network/NetworkBackend.js"
import * as NodeNetwork from "../../../src/layers/node/network/NodeNetwork.js"
import * as PlatformNetwork from "../../../src/layers/platform/PlatformNetwork.js"
import * as NetworkContract from "../../../src/testing/contracts/NetworkContract.js"
import { holds } from "../contractHolds.js"
import { handler, origins } from "./contractServer.js"

const scope = Effect.runSync(Scope.make())

afterAll(() => Effect.runPromise(Scope.close(scope, Exit.void)))

const rig = await Effect.runPromise(Scope.extend(origins, scope))

const cases = NetworkContract.cases(rig)

const node = NodeNetwork.layer({ bodyBytes: Number.POSITIVE_INFINITY })

holds("NodeNetwork", node, cases)

const limits = { bodyBytes: 2 * 1024 * 1024, requestBytes: 2 * 1024 * 1024 }

holds(
  "NodeNetwork with limits",
  NodeNetwork.layer(limits),
  NetworkContract.cases({ ...rig, limits }).filter(({ about }) => about === "limits" || about === "answers")
)

describe("NodeNetwork, one layer for all cases", () => {
  it.effect("keeps every promise while the others are kept", () =>
    Effect.forEach(cases, ({ run }) => run, { concurrency: 4, discard: true }).pipe(Effect.provide(node))
  )
})

const mock = Layer.sync(NetworkBackend, () => NetworkBackend.fromOperations(Network.memory(handler)))

// A mock is answered by a function: there are no connections, and nowhere that they could lead.
holds(
  "a mock behind the door",
  mock,
  NetworkContract.cases({ origin: "http://127.0.0.1:8080" }).filter(({ about }) => about === "answers")
)

// Addresses behind names are the platform's business, but this origin is an address. How cookies were spelt is lost.
const weaker = cases.filter(({ about }) => about !== "cookies")

const platform = (client: Layer.Layer<HttpClient.HttpClient>, options: PlatformNetwork.Options) =>
  Layer.provide(PlatformNetwork.layer(options), client)

const unlimited = { bodyBytes: Number.POSITIVE_INFINITY }

holds("PlatformNetwork over fetch", platform(FetchHttpClient.layer, unlimited), weaker)
holds("PlatformNetwork over Node's client", platform(NodeHttpClient.layer, unlimited), weaker)
holds(
  "PlatformNetwork with limits",
  platform(FetchHttpClient.layer, limits),
  NetworkContract.cases({ ...rig, limits }).filter(({ about }) => about === "limits")
)
