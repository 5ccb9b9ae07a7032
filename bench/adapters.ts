/**
 * What it costs to receive a file: a message with one of 20 MB, next to downloading the same to the disk with the stream of
 * `Network`; how much memory that takes; and a thousand messages at once. The platform is a stub on loopback, in a thread
 * of its own.
 */
import { mkdtempSync, readdirSync, rmSync } from "node:fs"
import { open, unlink } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Worker } from "node:worker_threads"
import { Chunk, Effect, Layer, Logger, Option, Schema, Stream } from "effect"
import * as Telegram from "../src/adapters/Telegram.js"
import { Network } from "../src/capabilities/network/Network.js"
import { NetworkBackend } from "../src/capabilities/network/NetworkBackend.js"
import { scoped } from "../src/capabilities/network/ScopedNetwork.js"
import { Secrets } from "../src/capabilities/secrets/Secrets.js"
import { SecretsBackend } from "../src/capabilities/secrets/SecretsBackend.js"
import { AttachmentCache } from "../src/layers/node/attachments/AttachmentCache.js"
import * as NodeNetwork from "../src/layers/node/network/NodeNetwork.js"
import { holder } from "../src/policy/gate/Asking.js"
import * as Authority from "../src/policy/lattice/Authority.js"
import { print, progress } from "./report.js"

const ROUNDS = 5
const SLICES = 15
const AT_MOST = 1.2
const FILE = 20 * 1024 * 1024
const MESSAGES = 1000
/** What may come and go while files pass through: a few pieces of them, and what is not collected yet. */
const FLAT = 8 * 1024 * 1024

const SERVER = `
const { createServer } = require("node:http")
const { parentPort } = require("node:worker_threads")
const large = Buffer.alloc(${FILE}, "a")
const small = Buffer.alloc(2000, "a")
const server = createServer((request, response) => {
  if (request.url.includes("/getFile")) {
    const id = new URL(request.url, "http://stub").searchParams.get("file_id")
    response.end(JSON.stringify({ ok: true, result: { file_path: id } }))
  } else response.end(request.url.endsWith("large") ? large : small)
})
server.keepAliveTimeout = 600000
server.listen(0, "127.0.0.1", () => parentPort.postMessage(server.address().port))
`

const update = (id: number, file: string) => ({
  update_id: id,
  message: { message_id: id, chat: { id: 1 }, text: "", document: { file_id: file } }
})

const elapsed = (effect: Effect.Effect<unknown, unknown>) =>
  Effect.gen(function* () {
    const from = process.hrtime.bigint()
    yield* effect
    return Number(process.hrtime.bigint() - from)
  })

/** Of pairs that share their moment, each first as often as the other. */
const median = (values: ReadonlyArray<number>): number =>
  [...values].sort((a, b) => a - b)[values.length >> 1] ?? Number.NaN

/** Buffers are let go of behind the collector, in a thread of its own. */
const collected = Effect.gen(function* () {
  for (let times = 0; times < 3; times++) {
    globalThis.gc?.()
    yield* Effect.sleep("50 millis")
  }
  const { arrayBuffers, heapUsed } = process.memoryUsage()
  return arrayBuffers + heapUsed
})

const measure = (url: string, directory: string) =>
  Effect.gen(function* () {
    const endpoint = new URL(url).host
    const receive = yield* Telegram.make({ token: "token", baseUrls: [url], private: [endpoint] })
    const { clear, usage } = yield* AttachmentCache
    const authority = Schema.decodeSync(Authority.FromJson)({
      network: { get: ["127.0.0.1"] },
      private: { connect: [endpoint] }
    })
    const network = Network.make(scoped(holder({ authority, tool: "bench" }), yield* NetworkBackend))
    const file: string = `${url}/file/bot1:a/large`

    const downloaded = Effect.acquireUseRelease(
      Effect.promise(() => open(join(directory, "plain"), "w")),
      (handle) =>
        Stream.runForEachChunk(Stream.provideService(network.stream(file), Network, network), (chunk) =>
          Effect.promise(() => handle.writev([...Chunk.toReadonlyArray(chunk)]))
        ),
      (handle) => Effect.promise(() => handle.close())
    )
    const received = Effect.flatMap(receive(update(1, "large")), (message) =>
      Option.getOrThrow(message).attachments[0]?.sizeBytes === FILE ? Effect.void : Effect.die("not received")
    )
    const tidy = Effect.zipRight(
      clear("telegram:1"),
      Effect.promise(() => unlink(join(directory, "plain")).catch(() => {}))
    )

    const round = Effect.gen(function* () {
      const [ours, theirs]: [Array<number>, Array<number>] = [[], []]
      for (let slice = 0; slice < SLICES; slice++) {
        const both = [
          [received, ours],
          [downloaded, theirs]
        ] as const
        for (const [effect, times] of slice % 2 === 0 ? both : [...both].reverse()) {
          times.push(yield* elapsed(Effect.orDie(effect)))
          yield* tidy
        }
      }
      return median(ours.map((time, slice) => time / (theirs[slice] ?? Number.NaN)))
    })

    yield* round
    const ratios: Array<number> = []
    for (let count = 0; count < ROUNDS; count++) {
      progress(`a file of 20 MB: round ${count + 1} of ${ROUNDS}`)
      ratios.push(yield* round)
    }

    const before = yield* collected
    let peak = 0
    const watch = setInterval(() => {
      globalThis.gc?.()
      peak = Math.max(peak, process.memoryUsage().arrayBuffers)
    }, 10)
    const start = process.memoryUsage().arrayBuffers
    for (let count = 0; count < 20; count++) yield* Effect.zipRight(received, tidy)
    clearInterval(watch)
    const grown = (yield* collected) - before

    progress(`${MESSAGES} messages at once`)
    const from = performance.now()
    const messages = yield* Effect.forEach(
      Array.from({ length: MESSAGES }, (_, index) => index),
      (index) => receive(update(index, "small")),
      { concurrency: "unbounded" }
    )
    const seconds = (performance.now() - from) / 1000
    const kept = messages.flatMap((message) => Option.getOrThrow(message).attachments).length
    const { total } = yield* usage("telegram:1")
    yield* tidy
    const left = readdirSync(join(directory, "cache")).length
    return { ratios, grown, peak: peak - start, seconds, kept, total, left }
  })

const worker = new Worker(SERVER, { eval: true })
const port = await new Promise<number>((resolve) => worker.once("message", resolve))
const directory = mkdtempSync(join(tmpdir(), "bailiwick-bench-adapters-"))
const layers = Layer.mergeAll(
  AttachmentCache.layer({ directory: join(directory, "cache") }),
  NodeNetwork.layer({ bodyBytes: 2 * FILE, decodedBytes: 2 * FILE }),
  Layer.succeed(SecretsBackend, SecretsBackend.fromOperations(Secrets.memory({ token: "1:a" }))),
  Logger.remove(Logger.defaultLogger)
)
try {
  const found = await Effect.runPromise(
    Effect.provide(measure(`http://127.0.0.1:${port}`, directory), layers)
  )
  print([
    { work: "receiving a file of 20 MB, next to downloading it", atMost: AT_MOST, ratios: found.ratios },
    {
      work: "bytes that buffers hold at most while 20 such files pass, next to 20 MB",
      atMost: 1,
      ratios: [found.peak / FILE]
    },
    { work: "memory that 20 such files leave, next to 8 MB", atMost: 1, ratios: [found.grown / FLAT] }
  ])
  console.log(
    `${MESSAGES} messages at once: ${found.kept} files of ${found.total} bytes in ${found.seconds.toFixed(1)} s; ${found.left} directories left when the session is cleared`
  )
} finally {
  await worker.terminate()
  rmSync(directory, { recursive: true, force: true })
}
