/** The cases about connections: who waits for whom, who is left behind, and how much one may take. */
import { Chunk, Deferred, Effect, Fiber, Stream } from "effect"
import type { NetworkError } from "../../capabilities/network/NetworkOperations.js"
import { bytesFrom, ContractBroken, must, mustBytes, mustRefuse, text, utf8 } from "./contract.js"
import { type Bench, collected, type Definition, define } from "./networkCase.js"

const SECRET = "hunter2"

const MEBIBYTE = 1024 * 1024

/** More than sockets and buffers hold between two that are told to wait. */
const HELD = 32 * MEBIBYTE

/** How often a number must be the same to be taken for the last. */
const SETTLED = 50

/** How much an endless answer has written once it writes no more. */
const settled = (bench: Bench, last = -1, same = 0): Effect.Effect<number, NetworkError> =>
  Effect.flatMap(bench.request("GET", `/flooded/${bench.id}`), ({ body }) => {
    const now = Number(text(body))
    return same === SETTLED || now > HELD
      ? Effect.succeed(now)
      : settled(bench, now, now === last ? same + 1 : 0)
  })

const flowing: ReadonlyArray<Definition> = [
  define("connections", "nothing is sent before it is run, and once each time it is", (bench) =>
    Effect.gen(function* () {
      const path = `/bytes/2?id=${bench.id}`
      const all = [Effect.asVoid(bench.request("GET", path)), Stream.runDrain(bench.stream(path))]
      yield* must("before", yield* bench.seen(bench.id), 0)
      for (const one of [...all, ...all]) yield* one
      yield* must("after four", yield* bench.seen(bench.id), 4)
    })
  ),
  define("connections", "a head comes before the body, and alone", (bench) =>
    Effect.gen(function* () {
      const path = `/head?id=${bench.id}`
      const [head] = Chunk.toReadonlyArray(yield* Stream.runCollect(Stream.take(bench.open(path), 1)))
      yield* must("status", head instanceof Uint8Array ? undefined : head?.status, 200)
      yield* bench.gone(bench.id)
    })
  ),
  define("connections", "a stream begins with the first bytes, not with the last", (bench) =>
    Effect.gen(function* () {
      const first = yield* Stream.runCollect(Stream.take(bench.stream(`/hang?id=${bench.id}`), 1))
      yield* must("first", Chunk.toReadonlyArray(first).map(text), ["a"])
      yield* bench.gone(bench.id)
    })
  ),
  define("connections", "a reader that waits makes the server wait", (bench) =>
    Effect.gen(function* () {
      const flood = Stream.take(bench.stream(`/flood?id=${bench.id}`), 1)
      yield* Stream.runForEach(flood, () =>
        Effect.flatMap(settled(bench), (written) =>
          written < HELD
            ? Effect.void
            : new ContractBroken({ expected: "bytes written unread", actual: written, wanted: `< ${HELD}` })
        )
      )
      yield* bench.gone(bench.id)
    })
  ),
  define("connections", "a compressed body comes as what it was", (bench) =>
    Effect.gen(function* () {
      for (const length of [1, 300_000]) {
        const { body } = yield* bench.request("GET", `/zipped/${length}`)
        yield* mustBytes("request", body, bytesFrom(0, length))
        yield* mustBytes("stream", yield* collected(bench.stream(`/zipped/${length}`)), bytesFrom(0, length))
      }
    })
  )
]

const ending: ReadonlyArray<Definition> = [
  define("connections", "a request that is interrupted leaves no connection behind", (bench) =>
    Effect.gen(function* () {
      for (const [index, path] of ["/silent", "/head", "/hang", "/flood"].entries()) {
        for (const [kind, run] of [
          ["whole", (at: string) => Effect.asVoid(bench.request("GET", at))],
          ["flow", (at: string) => Stream.runDrain(Stream.drain(bench.stream(at)))]
        ] as const) {
          const id = `${bench.id}-${index}-${kind}`
          const fiber = yield* Effect.fork(run(`${path}?id=${id}`))
          yield* bench.arrived(id)
          yield* Fiber.interrupt(fiber)
          yield* bench.gone(id)
        }
      }
    })
  ),
  define(
    "connections",
    "a stream that is left, by taking enough or by failing, leaves no connection behind",
    (bench) =>
      Effect.gen(function* () {
        const failed = yield* Deferred.make<void>()
        const failing = Stream.mapEffect(bench.stream(`/hang?id=${bench.id}`), () =>
          Effect.zipRight(Deferred.succeed(failed, undefined), Effect.fail("enough" as const))
        )
        yield* Effect.ignore(Stream.runDrain(failing))
        yield* Deferred.await(failed)
        yield* bench.gone(bench.id)
        const left = `${bench.id}-left`
        yield* Stream.runDrain(Stream.take(bench.stream(`/flood?id=${left}`), 3))
        yield* bench.gone(left)
      })
  ),
  define("connections", "a body that breaks off is a failure, after the bytes that came", (bench) =>
    Effect.gen(function* () {
      const path = `/broken?token=${SECRET}`
      const content = { headers: { "x-key": SECRET } }
      yield* mustRefuse("request", bench.request("GET", path, content), "REQUEST_FAILED", [SECRET])
      let came = ""
      const flow = Stream.runForEach(bench.stream(path, content), (chunk) =>
        Effect.sync(() => {
          came += text(chunk)
        })
      )
      yield* mustRefuse("stream", flow, "REQUEST_FAILED", [SECRET])
      yield* must("the bytes that came", came, "half")
    })
  )
]

const limits: ReadonlyArray<Definition> = [
  define("limits", "a body that is longer than the limit is refused, said to be or not", (bench) =>
    Effect.gen(function* () {
      const { bodyBytes } = bench.limits
      for (const path of ["/bytes", "/chunked"]) {
        const [fits, large] = [`${path}/${bodyBytes}`, `${path}/${bodyBytes + 1}`]
        yield* mustBytes("what just fits", (yield* bench.request("GET", fits)).body, bytesFrom(0, bodyBytes))
        yield* mustRefuse("request", bench.request("GET", large), "LIMIT_EXCEEDED")
        yield* must("stream of what just fits", (yield* collected(bench.stream(fits))).length, bodyBytes)
        yield* mustRefuse("stream", collected(bench.stream(large)), "LIMIT_EXCEEDED")
      }
    })
  ),
  define("limits", "a body without end is refused, and its connection closed", (bench) =>
    Effect.gen(function* () {
      const path = `/flood?id=${bench.id}`
      yield* mustRefuse("request", bench.request("GET", path), "LIMIT_EXCEEDED")
      yield* mustRefuse("stream", Stream.runDrain(bench.stream(path)), "LIMIT_EXCEEDED")
      yield* bench.gone(bench.id)
    })
  ),
  define("limits", "a body to send that is longer than the limit is refused, and nothing is sent", (bench) =>
    Effect.gen(function* () {
      const { requestBytes } = bench.limits
      const fits = yield* bench.request("POST", "/status/200", { body: bytesFrom(0, requestBytes) })
      yield* must("what just fits", fits.status, 200)
      const large = { body: bytesFrom(0, requestBytes + 1) }
      const path = `/echo?id=${bench.id}`
      yield* mustRefuse("request", bench.request("POST", path, large), "LIMIT_EXCEEDED")
      yield* must("requests that came", yield* bench.seen(bench.id), 0)
    })
  )
]

export const connections: ReadonlyArray<Definition> = [...flowing, ...ending, ...limits]

/** The case about an origin at which nobody listens. */
export const whereNobodyIs = (nobody: string): Definition =>
  define(
    "connections",
    "where nobody listens is a failure that repeats nothing that was to be sent",
    (bench) =>
      Effect.gen(function* () {
        const url = `${nobody}/path?token=${SECRET}`
        const content = { headers: { "x-key": SECRET } }
        const request = bench.request("POST", url, { ...content, body: utf8(SECRET) })
        yield* mustRefuse("request", request, "REQUEST_FAILED", [SECRET])
        yield* mustRefuse("stream", collected(bench.stream(url, content)), "REQUEST_FAILED", [SECRET])
      })
  )
