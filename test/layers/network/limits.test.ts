/** Threat: a server, or a tool, takes all there is of memory, time or connections. */
import { randomBytes } from "node:crypto"
import type { ServerResponse } from "node:http"
import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync } from "node:zlib"
import { describe, expect, it } from "@effect/vitest"
import { Deferred, Effect, Fiber, Stream, TestClock } from "effect"
import * as NodeNetwork from "../../../src/layers/node/network/NodeNetwork.js"
import { times } from "../../deep.js"
import {
  bytes,
  flow,
  get,
  names,
  network,
  networkTo,
  reach,
  recorder,
  serve,
  text,
  toolOf
} from "./fixture.js"

const KIB = 1024

describe("bodies", () => {
  it.scoped("N85: longer than the limit are cut off, said in the headers or not", () =>
    Effect.gen(function* () {
      const served = yield* serve(({ url }, response) => {
        if (url === "/said") response.setHeader("content-length", 80 * KIB * KIB)
        response.write(Buffer.alloc(64 * KIB))
        // Never ends: only the limit can end it.
        if (url !== "/said") response.on("drain", () => response.write(Buffer.alloc(64 * KIB)))
        if (url !== "/said") response.write(Buffer.alloc(64 * KIB))
      })
      const net = yield* networkTo(served, { bodyBytes: 100 * KIB })
      for (const path of ["/said", "/unsaid"]) {
        const error = yield* Effect.flip(get(net, `${served.url}${path}?token=hunter2`))
        expect(error.message).toBe(
          `LIMIT_EXCEEDED: the body that 127.0.0.1:${served.port} answers with is longer than 102400 bytes; ask for less, or raise the limit bodyBytes`
        )
      }
      yield* served.drained
    })
  )

  it.scoped("of the very length of the limit are whole", () =>
    Effect.gen(function* () {
      const content = randomBytes(100 * KIB)
      const served = yield* serve((_, response) => response.end(content))
      const net = yield* networkTo(served, { bodyBytes: 100 * KIB })
      expect(Buffer.from((yield* get(net, served.url)).body).equals(content)).toBe(true)
    })
  )

  it.scoped.each([
    ["gzip", gzipSync],
    ["x-gzip", gzipSync],
    ["deflate", deflateSync],
    ["deflate", deflateRawSync],
    ["br", brotliCompressSync],
    ["GZIP", gzipSync]
  ] as const)("N86: in %s are decompressed as far as the limit", ([encoding, compress]) =>
    Effect.gen(function* () {
      const small = compress(Buffer.from("hello ".repeat(1000)))
      const bomb = compress(Buffer.alloc(KIB * KIB))
      const served = yield* serve(({ url }, response) => {
        response.setHeader("content-encoding", encoding)
        response.end(url === "/bomb" ? bomb : small)
      })
      const net = yield* networkTo(served, { decodedBytes: 64 * KIB })
      const answer = yield* get(net, served.url)
      expect(text(answer.body)).toBe("hello ".repeat(1000))
      expect(answer.headers["content-encoding"]).toBeUndefined()
      expect(answer.headers["content-length"]).toBeUndefined()
      expect(bomb.length).toBeLessThan(8 * KIB)
      const error = yield* Effect.flip(get(net, `${served.url}/bomb`))
      expect(error.message).toContain("longer than 65536 bytes")
      expect((yield* Effect.flip(Stream.runDrain(flow(net, `${served.url}/bomb`)))).code).toBe(
        "LIMIT_EXCEEDED"
      )
    })
  )

  it.scoped("N86: in little gzip for much are cut off by default", () =>
    Effect.gen(function* () {
      const bomb = gzipSync(Buffer.alloc(40 * KIB * KIB))
      const served = yield* serve((_, response) => response.setHeader("content-encoding", "gzip").end(bomb))
      const error = yield* Effect.flip(get(yield* networkTo(served), served.url))
      expect(error.message).toContain("longer than 33554432 bytes")
    })
  )

  it.scoped("that are not the compression that they say are an error", () =>
    Effect.gen(function* () {
      const whole = gzipSync("hello ".repeat(1000))
      const served = yield* serve(({ url }, response) => {
        response.setHeader("content-encoding", "gzip")
        response.end(url === "/cut" ? whole.subarray(0, 40) : "this is not gzip")
      })
      const net = yield* networkTo(served)
      for (const path of ["/cut", "/not"]) {
        const error = yield* Effect.flip(get(net, `${served.url}${path}`))
        expect(error.code).toBe("DECODE_FAILED")
      }
    })
  )

  it.scoped("in a compression that is not known, and those that are empty, are passed on as they are", () =>
    Effect.gen(function* () {
      const served = yield* serve(({ url }, response) => {
        response.setHeader("content-encoding", url === "/empty" ? "gzip" : "rot13")
        response.end(url === "/empty" ? "" : "uryyb")
      })
      const net = yield* networkTo(served)
      const answer = yield* get(net, served.url)
      expect([text(answer.body), answer.headers["content-encoding"]]).toEqual(["uryyb", "rot13"])
      expect((yield* get(net, `${served.url}/empty`)).body.length).toBe(0)
      const head = yield* net.request({ method: "HEAD", url: `${served.url}/empty`, headers: {} })
      expect([head.status, head.body.length]).toEqual([200, 0])
    })
  )

  it.scoped("to send have a limit too", () =>
    Effect.gen(function* () {
      const served = yield* serve((_, response) => response.end())
      const net = yield* networkTo(served, { requestBytes: 10 })
      const send = (length: number) =>
        net.request({ method: "POST", url: served.url, headers: {}, body: bytes("x".repeat(length)) })
      expect((yield* send(10)).status).toBe(200)
      expect((yield* Effect.flip(send(11))).code).toBe("LIMIT_EXCEEDED")
      expect(served.connections()).toBe(1)
    })
  )

  it.scoped("N13: headers longer than the limit are an error", () =>
    Effect.gen(function* () {
      const served = yield* serve((_, response) => response.setHeader("x-long", "a".repeat(17 * KIB)).end())
      const net = yield* networkTo(served)
      expect((yield* Effect.flip(get(net, served.url))).code).toBe("LIMIT_EXCEEDED")
      const wider = yield* networkTo(served, { headerBytes: 32 * KIB })
      expect((yield* get(wider, served.url)).headers["x-long"]?.length).toBe(17 * KIB)
    })
  )
})

describe("time", () => {
  /** A server that says when it was asked. */
  const slow = (answer: "nothing" | "headers") =>
    Effect.gen(function* () {
      const asked = yield* Deferred.make<void>()
      const served = yield* serve((_, response) => {
        if (answer === "headers") response.write("a")
        Deferred.unsafeDone(asked, Effect.void)
      })
      return { asked, served }
    })

  it.scoped("to the headers is limited", () =>
    Effect.gen(function* () {
      const { asked, served } = yield* slow("nothing")
      const net = yield* networkTo(served)
      const fiber = yield* Effect.fork(get(net, served.url))
      yield* Deferred.await(asked)
      yield* TestClock.adjust("29 seconds")
      expect(fiber.unsafePoll()).toBeNull()
      yield* TestClock.adjust("1 seconds")
      const error = yield* Effect.flip(Fiber.join(fiber))
      expect(error.message).toBe(
        "LIMIT_EXCEEDED: the request took too long; ask for less, or raise headersTime or totalTime"
      )
      yield* served.drained
    })
  )

  it.scoped("to the last byte is limited, streamed or not", () =>
    Effect.gen(function* () {
      const { served } = yield* slow("headers")
      const net = yield* networkTo(served, { headersTime: "10 minutes" })
      const first = yield* Deferred.make<void>()
      const whole = yield* Effect.fork(get(net, served.url))
      const flowing = yield* Effect.fork(
        Stream.runForEach(flow(net, served.url), () => Deferred.succeed(first, undefined))
      )
      yield* Deferred.await(first)
      yield* TestClock.adjust("119 seconds")
      expect([whole.unsafePoll(), flowing.unsafePoll()]).toEqual([null, null])
      yield* TestClock.adjust("1 seconds")
      expect((yield* Effect.flip(Fiber.join(whole))).code).toBe("LIMIT_EXCEEDED")
      expect((yield* Effect.flip(Fiber.join(flowing))).code).toBe("LIMIT_EXCEEDED")
      yield* served.drained
    })
  )

  it.scoped("to look up a name, and to connect, is limited", () =>
    Effect.gen(function* () {
      const { connect } = recorder()
      const unanswered = yield* network(reach(["*"]), { connect, resolve: () => Effect.never })
      const looking = yield* Effect.fork(get(unanswered, "http://a.example/"))
      const dialling = yield* Deferred.make<void>()
      const unreachable = yield* network(reach(["*"]), {
        resolve: names({ "a.example": "8.8.8.8" }).resolve,
        connect: () => Effect.zipRight(Deferred.succeed(dialling, undefined), Effect.never)
      })
      const connecting = yield* Effect.fork(get(unreachable, "http://a.example/"))
      yield* Deferred.await(dialling)
      yield* TestClock.adjust("10 seconds")
      expect((yield* Effect.flip(Fiber.join(connecting))).message).toContain("raise connectTime")
      expect(looking.unsafePoll()).toBeNull()
      yield* TestClock.adjust("20 seconds")
      expect((yield* Effect.flip(Fiber.join(looking))).message).toContain("raise headersTime")
    })
  )
})

const MANY = times(1_000)

describe("requests at a time", () => {
  it.scoped("N88: of one tool go on in turns, and too many are refused", () =>
    Effect.gen(function* () {
      const batches: Array<ReadonlyArray<number>> = []
      let now: Array<readonly [number, ServerResponse]> = []
      const served = yield* serve(({ url = "" }, response) => {
        now.push([Number(url.slice(1)), response])
        if (now.length < 4) return
        batches.push(now.map(([number]) => number).sort((a, b) => a - b))
        const answered = now
        now = []
        // Whoever came beyond the four would be here by now.
        setImmediate(() => {
          if (now.length > 0) batches.push([])
          for (const [, each] of answered) each.end()
        })
      })
      const net = yield* networkTo(served, { inFlight: 4, waiting: 100 })
      const all = Array.from({ length: MANY }, (_, i) => Effect.either(get(net, `${served.url}/${i}`)))
      const results = yield* Effect.all(all, { concurrency: "unbounded" })
      const refused = results.flatMap((result) => (result._tag === "Left" ? [result.left] : []))
      expect(batches).toEqual(Array.from({ length: 26 }, (_, i) => [0, 1, 2, 3].map((k) => 4 * i + k)))
      expect(refused.length).toBe(MANY - 104)
      expect(new Set(refused.map(({ message }) => message))).toEqual(
        new Set([
          "LIMIT_EXCEEDED: 100 requests of this tool wait already; send fewer at a time, or raise waiting"
        ])
      )
    })
  )

  it.scoped(
    "of one tool do not hold up another, nor another session, and one that gives up frees its turn",
    () =>
      Effect.gen(function* () {
        const arrived = yield* Deferred.make<void>()
        const served = yield* serve(({ url }, response) => {
          if (url === "/hang") Deferred.unsafeDone(arrived, Effect.void)
          else response.end("ok")
        })
        const backend = yield* NodeNetwork.make({ inFlight: 1 })
        const held = reach(["127.0.0.1"], [`127.0.0.1:${served.port}`])
        const one = toolOf(backend, { authority: held, tool: "one" })
        const hanging = yield* Effect.fork(get(one, `${served.url}/hang`))
        yield* Deferred.await(arrived)
        expect((yield* get(toolOf(backend, { authority: held, tool: "two" }), served.url)).status).toBe(200)
        const elsewhere = toolOf(backend, { authority: held, tool: "one", session: "s2" })
        expect((yield* get(elsewhere, served.url)).status).toBe(200)
        const impatient = yield* Effect.fork(get(one, served.url))
        const patient = yield* Effect.fork(get(one, served.url))
        yield* Effect.yieldNow()
        yield* Fiber.interrupt(impatient)
        expect(patient.unsafePoll()).toBeNull()
        yield* Fiber.interrupt(hanging)
        expect((yield* Fiber.join(patient)).status).toBe(200)
      })
  )

  it.scoped("that wait too long for their turn are refused", () =>
    Effect.gen(function* () {
      const arrived = yield* Deferred.make<void>()
      const served = yield* serve(() => Deferred.unsafeDone(arrived, Effect.void))
      const net = yield* networkTo(served, {
        inFlight: 1,
        totalTime: "10 seconds",
        headersTime: "10 seconds"
      })
      const running = yield* Effect.fork(get(net, served.url))
      yield* Deferred.await(arrived)
      yield* TestClock.adjust("5 seconds")
      const waiting = yield* Effect.fork(get(net, served.url))
      yield* Effect.yieldNow()
      yield* TestClock.adjust("5 seconds")
      expect((yield* Effect.flip(Fiber.join(running))).code).toBe("LIMIT_EXCEEDED")
      expect(waiting.unsafePoll()).toBeNull()
      yield* TestClock.adjust("5 seconds")
      expect((yield* Effect.flip(Fiber.join(waiting))).code).toBe("LIMIT_EXCEEDED")
    })
  )
})
