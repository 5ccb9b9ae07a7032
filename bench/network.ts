/**
 * What a guarded GET costs, next to `fetch` of the same URL, and one through the client of the platform, next to
 * `Network.get`. The server is on loopback, in a thread of its own. Prints
 * ratios; absolute times are those of this machine and this minute.
 */
import { fileURLToPath } from "node:url"
import { Worker } from "node:worker_threads"
import { HttpClient } from "@effect/platform/HttpClient"
import { Effect, Exit, Runtime, Schema, Scope } from "effect"
import { Network } from "../src/capabilities/network/Network.js"
import { scoped } from "../src/capabilities/network/ScopedNetwork.js"
import * as NodeNetwork from "../src/layers/node/network/NodeNetwork.js"
import { layerHttpClient } from "../src/platform/HttpClient.js"
import { holder } from "../src/policy/gate/Asking.js"
import * as Authority from "../src/policy/lattice/Authority.js"

/** What is measured, how slow it may be, and how slow it was in each round of slices, where `than` is 1. */
export interface Row {
  readonly work: string
  readonly than: string
  readonly atMost: number
  readonly ratios: ReadonlyArray<number>
}

const ROUNDS = 5
const SLICES = 15
const REQUESTS = 64
const AT_MOST = 0.75
const BRIDGE_AT_MOST = 1.2

const SERVER = `
const { createServer } = require("node:http")
const { parentPort } = require("node:worker_threads")
const body = Buffer.alloc(1024, "a")
const server = createServer((_, response) => response.setHeader("content-type", "text/plain").end(body))
server.keepAliveTimeout = 600000
server.listen(0, "127.0.0.1", () => parentPort.postMessage(server.address().port))
`

const started = (worker: Worker): Promise<number> => new Promise((resolve) => worker.once("message", resolve))

/** Nanoseconds for so many requests, so many at a time. */
const elapsed = async (get: () => Promise<unknown>, atATime: number): Promise<number> => {
  const from = process.hrtime.bigint()
  const one = async () => {
    for (let i = 0; i < REQUESTS / atATime; i++) await get()
  }
  await Promise.all(Array.from({ length: atATime }, one))
  return Number(process.hrtime.bigint() - from)
}

const median = (values: ReadonlyArray<number>): number =>
  [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN

/** Slices of both share their minute, and neither always comes first. */
const ratio = async (
  guarded: () => Promise<unknown>,
  fetched: () => Promise<unknown>,
  atATime: number
): Promise<number> => {
  const times = new Map([guarded, fetched].map((get): [typeof get, Array<number>] => [get, []]))
  for (let slice = 0; slice < SLICES; slice++) {
    for (const get of slice % 2 === 0 ? [guarded, fetched] : [fetched, guarded]) {
      times.get(get)?.push(await elapsed(get, atATime))
    }
  }
  return median(times.get(guarded) ?? []) / median(times.get(fetched) ?? [])
}

const ratios = async (...subjects: Parameters<typeof ratio>): Promise<ReadonlyArray<number>> => {
  await ratio(...subjects)
  const found: Array<number> = []
  for (let round = 0; round < ROUNDS; round++) found.push(await ratio(...subjects))
  return found
}

export const rows = async (): Promise<ReadonlyArray<Row>> => {
  const worker = new Worker(SERVER, { eval: true })
  const port = await started(worker)
  const url: string = `http://127.0.0.1:${port}/`
  const authority = Schema.decodeSync(Authority.FromJson)({
    network: { get: ["127.0.0.1"] },
    private: { connect: [`127.0.0.1:${port}`] }
  })
  const scope = await Effect.runPromise(Scope.make())
  const backend = await Effect.runPromise(Scope.extend(NodeNetwork.make(), scope))
  const network = scoped(holder({ authority, tool: "bench" }), backend)
  const guarded = () => Effect.runPromise(network.request({ method: "GET", url, headers: {} }))
  const service = Network.make(network)
  // As in a tool, whose context has the service.
  const run = Runtime.runPromise(
    await Effect.runPromise(Effect.provideService(Effect.runtime<Network>(), Network, service))
  )
  const got = () => run(Network.get(url))
  const client = await Effect.runPromise(
    Effect.provideService(Effect.provide(HttpClient, layerHttpClient), Network, service)
  )
  const bridged = () => run(Effect.flatMap(client.get(url), ({ text }) => text))
  const fetched = async () => new Uint8Array(await (await fetch(url)).arrayBuffer())
  try {
    const measured: Array<Row> = []
    for (const [work, atATime] of [
      ["a guarded GET, one at a time", 1],
      ["guarded GETs, 16 in flight", 16]
    ] as const) {
      measured.push({
        work,
        than: "fetch",
        atMost: AT_MOST,
        ratios: await ratios(guarded, fetched, atATime)
      })
    }
    for (const [work, atATime] of [
      ["a GET through HttpClient, one at a time", 1],
      ["GETs through HttpClient, 16 in flight", 16]
    ] as const) {
      measured.push({
        work,
        than: "Network.get",
        atMost: BRIDGE_AT_MOST,
        ratios: await ratios(bridged, got, atATime)
      })
    }
    return measured
  } finally {
    await Effect.runPromise(Scope.close(scope, Exit.void))
    await worker.terminate()
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  for (const { atMost, ratios: found, than, work } of await rows()) {
    const [low, high] = [Math.min(...found), Math.max(...found)].map((ratio) => ratio.toFixed(2))
    console.log(`${work}: ${median(found).toFixed(2)} of ${than} (${low} to ${high}), at most ${atMost}`)
  }
}
