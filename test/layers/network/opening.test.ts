/** Threat: a body that is opened and not read holds what others need, or is read by who may not. */
import type { ServerResponse } from "node:http"
import { describe, expect, it } from "@effect/vitest"
import { Authority, Network, NetworkBackend, Policy, Registry, Tool, Turn } from "bailiwick"
import {
  Chunk,
  Deferred,
  Effect,
  Exit,
  Fiber,
  Layer,
  Logger,
  Redacted,
  Schema,
  Stream,
  TestClock
} from "effect"
import * as NodeNetwork from "../../../src/layers/node/network/NodeNetwork.js"
import { networkTo, type Served, serve, serveTcp, text } from "./fixture.js"

const KIB = 1024

/** The service of a tool that may do everything with one server. */
const serviceTo = (served: Served, options: NodeNetwork.Options = {}) =>
  Effect.map(networkTo(served, options), (operations) => {
    const network = Network.make(operations)
    const urlOf = (path: string): string => served.url + path
    return {
      open: (path = "", options?: Network.Options) =>
        Effect.provideService(Network.open("GET", urlOf(path), options), Network, network),
      events: Stream.provideService(Network.events(urlOf("")), Network, network)
    }
  })

/** A server whose answers the test writes itself. */
const gated = Effect.gen(function* () {
  const answering: Array<ServerResponse> = []
  const waiting: Array<() => void> = []
  const served = yield* serve((_, response) => {
    answering.push(response)
    response.setHeader("content-type", "text/event-stream").flushHeaders()
    for (const tell of waiting.splice(0)) tell()
  })
  /** When so many have come. */
  const came = (count: number): Effect.Effect<void> =>
    answering.length >= count
      ? Effect.void
      : Effect.flatMap(
          Effect.async<void>((resume) => void waiting.push(() => resume(Effect.void))),
          () => came(count)
        )
  return { served, came, answering, answer: (index = 0) => answering[index] as ServerResponse }
})

describe("an answer that is opened", () => {
  it.scoped("has a head before the first byte, and bytes as they come", () =>
    Effect.gen(function* () {
      const { answer, served } = yield* gated
      const net = yield* serviceTo(served)
      const opened = yield* net.open("/x")
      expect([opened.status, opened.url, opened.headers["content-type"]]).toEqual([
        200,
        `${served.url}/x`,
        "text/event-stream"
      ])
      answer().write("one")
      const seen: Array<string> = []
      yield* Stream.runForEach(opened.body, (chunk) =>
        Effect.sync(() => {
          seen.push(text(chunk))
          if (seen.length === 1) answer().end("two")
        })
      )
      expect(seen).toEqual(["one", "two"])
    })
  )

  it.scoped("gives events as the server sends them", () =>
    Effect.gen(function* () {
      const { answer, came, served } = yield* gated
      const net = yield* serviceTo(served)
      const seen: Array<Network.Event> = []
      const reading = yield* Effect.fork(
        Stream.runForEach(net.events, (event) =>
          Effect.sync(() => {
            seen.push(event)
            if (seen.length === 1) answer().write("event: second\r\nid: 7\r\ndata: b\r\ndata: c\r\n\r\n")
            if (seen.length === 2) answer().end("data: d\n\ndata: never ended")
          })
        )
      )
      yield* came(1)
      answer().write(": a comment\ndata:a\n\n")
      yield* Fiber.join(reading)
      expect(seen).toEqual([
        { event: "message", data: "a", id: undefined },
        { event: "second", data: "b\nc", id: "7" },
        { event: "message", data: "d", id: "7" }
      ])
    })
  )

  it.scoped("is read once", () =>
    Effect.gen(function* () {
      const served = yield* serve((_, response) => response.end("all of it"))
      const net = yield* serviceTo(served)
      const opened = yield* net.open()
      expect(yield* opened.text).toBe("all of it")
      for (const again of [opened.text, opened.bytes, Stream.runDrain(opened.body)]) {
        expect((yield* Effect.flip(Effect.asVoid(again))).message).toBe(
          "REQUEST_FAILED: the body of this answer was read already; keep what was read, or open it again"
        )
      }
    })
  )

  it.scoped("holds nothing once all of it has come, read or not", () =>
    Effect.gen(function* () {
      const served = yield* serve((_, response) => response.end("short"))
      const net = yield* serviceTo(served, { inFlight: 1 })
      const kept: Array<Network.Opened> = []
      for (let i = 0; i < 20; i++) kept.push(yield* net.open())
      expect(served.connections()).toBe(1)
      for (const { text } of kept) expect(yield* text).toBe("short")
    })
  )

  it.scoped("lets go when it is closed, left, or its fiber is interrupted", () =>
    Effect.gen(function* () {
      const { answering, came, served } = yield* gated
      const net = yield* serviceTo(served, { inFlight: 1 })
      const closed = yield* net.open()
      yield* closed.close
      yield* closed.close
      expect((yield* Effect.flip(closed.text)).code).toBe("REQUEST_FAILED")
      const left = yield* net.open()
      answering.at(-1)?.write("a")
      yield* Stream.runDrain(Stream.take(left.body, 1))
      const head = yield* Deferred.make<void>()
      const fiber = yield* Effect.fork(
        Effect.tap(net.open(), () => Effect.zipRight(Deferred.succeed(head, undefined), Effect.never))
      )
      yield* Deferred.await(head)
      expect(Exit.isInterrupted(yield* Fiber.interrupt(fiber))).toBe(true)
      const reading = yield* Effect.fork(Effect.flatMap(net.open(), ({ text }) => text))
      yield* came(4)
      yield* Fiber.interrupt(reading)
      yield* served.drained
      expect(answering.length).toBe(4)
    })
  )

  it.scoped("is there for others than who opened it", () =>
    Effect.gen(function* () {
      const served = yield* serve(({ url }, response) => response.end(url))
      const net = yield* serviceTo(served)
      const [a, b] = yield* Effect.all([net.open("/a"), Effect.timeout(net.open("/b"), "1 hour")], {
        concurrency: 2
      })
      expect([yield* a.text, yield* b.text]).toEqual(["/a", "/b"])
    })
  )

  it.scoped("fails in the middle where the server does, after the bytes that came", () =>
    Effect.gen(function* () {
      const { answer, served } = yield* gated
      const net = yield* serviceTo(served)
      const opened = yield* net.open()
      answer().write("half", () => answer().destroy())
      const seen: Array<string> = []
      const error = yield* Effect.flip(
        Stream.runForEach(opened.body, (chunk) => Effect.sync(() => seen.push(text(chunk))))
      )
      expect([seen.join(""), error.code]).toEqual(["half", "REQUEST_FAILED"])
    })
  )

  it.scoped("ends with the time that a request has, whether anybody reads it or not", () =>
    Effect.gen(function* () {
      const { answer, served } = yield* gated
      const net = yield* serviceTo(served, { totalTime: "1 minute", inFlight: 2 })
      const [read, unread] = [yield* net.open(), yield* net.open()]
      // One byte at a time keeps nobody waiting for longer.
      answer().write("a")
      const reading = yield* Effect.fork(read.text)
      yield* TestClock.adjust("59 seconds")
      answer().write("b")
      expect(reading.unsafePoll()).toBeNull()
      yield* TestClock.adjust("1 seconds")
      expect((yield* Effect.flip(Fiber.join(reading))).code).toBe("LIMIT_EXCEEDED")
      yield* served.drained
      expect((yield* Effect.flip(unread.text)).code).toBe("LIMIT_EXCEEDED")
      expect((yield* net.open()).status).toBe(200)
    })
  )

  it.scoped("does not wait for its head for ever, nor take one without end", () =>
    Effect.gen(function* () {
      const arrived = yield* Deferred.make<void>()
      const silent = yield* serve(() => Deferred.unsafeDone(arrived, Effect.void))
      const net = yield* serviceTo(silent)
      const opening = yield* Effect.fork(Effect.flip(net.open()))
      yield* Deferred.await(arrived)
      yield* TestClock.adjust("30 seconds")
      expect((yield* Fiber.join(opening)).code).toBe("LIMIT_EXCEEDED")
      const port = yield* serveTcp((socket) => {
        socket.write("HTTP/1.1 200 OK\r\n")
        const more = () => {
          while (!socket.destroyed && socket.write(`x-filler: ${"a".repeat(8 * KIB)}\r\n`));
        }
        socket.on("drain", more)
        more()
      })
      const talkative = { ...silent, port, url: `http://127.0.0.1:${port}` }
      const error = yield* Effect.flip(Effect.flatMap(serviceTo(talkative), ({ open }) => open()))
      expect(error.message).toBe(
        `LIMIT_EXCEEDED: the headers that 127.0.0.1:${port} answers with are longer than headerBytes allows`
      )
    })
  )

  it.scoped("keeps redacted headers to the request", () =>
    Effect.gen(function* () {
      const served = yield* serve(({ headers }, response) => response.end(headers.authorization))
      const net = yield* serviceTo(served)
      const headers = { authorization: Redacted.make("Bearer hunter2-hunter2") }
      expect(yield* Effect.flatMap(net.open("", { headers }), ({ text }) => text)).toBe(
        "Bearer hunter2-hunter2"
      )
      const broken = yield* Effect.flip(
        net.open("", { headers: { "x-a": Redacted.make("hunter2\r\nx: y") } })
      )
      expect([broken.code, JSON.stringify(broken).includes("hunter2")]).toEqual(["HEADER_REFUSED", false])
    })
  )
})

const policyFor = ({ port }: Served) =>
  Policy.make({
    authority: Schema.decodeSync(Authority.FromJson)({
      network: { get: ["127.0.0.1"] },
      private: { connect: [`127.0.0.1:${port}`] }
    })
  })

/** Calls a tool once, over a backend that lives on. */
const calling = <A, E>(
  served: Served,
  backend: Layer.Layer<NetworkBackend>,
  execute: () => Effect.Effect<A, E, Network>
) => {
  const tool = Tool.make({
    name: "opener",
    description: "d",
    parameters: Schema.Struct({}),
    capabilities: { network: { allowedHosts: ["*"] } },
    execute: execute as () => Effect.Effect<A, never, Network>
  })
  const turn = Turn.make({ session: "s", policy: policyFor(served), workdir: "/" })
  return Registry.make(tool)
    .execute(turn, [{ id: "1", name: "opener", args: {} }])
    .pipe(
      Effect.map(([{ result }]) => ({ result, turn })),
      Effect.provide(backend),
      Effect.provide(Logger.remove(Logger.defaultLogger))
    )
}

describe("an answer that is opened in a call", () => {
  const live = (options: NodeNetwork.Options = {}) =>
    Effect.map(NodeNetwork.make(options), (backend) => Layer.succeed(NetworkBackend, backend))

  it.scoped("is let go of when the call ends, and not read after it", () =>
    Effect.gen(function* () {
      const { served } = yield* gated
      const backend = yield* live({ inFlight: 2 })
      const kept: Array<Network.Opened> = []
      const url: string = served.url
      const { result, turn } = yield* calling(served, backend, () =>
        Effect.gen(function* () {
          kept.push(yield* Network.open("GET", url), yield* Network.open("GET", url))
          return kept.map(({ status }) => status)
        })
      )
      expect(result).toEqual({ ok: true, value: [200, 200] })
      yield* served.drained
      for (const { bytes } of kept) {
        expect((yield* Effect.flip(bytes)).denial?.code).toBe("CALL_ENDED")
      }
      expect(turn.transcript.events.filter(({ code }) => code === "CALL_ENDED").length).toBe(2)
      // The places are free again.
      const again = yield* calling(served, backend, () =>
        Effect.map(Network.open("GET", url), ({ status }) => status)
      )
      expect(again.result).toEqual({ ok: true, value: 200 })
    })
  )

  it.scoped("ends for a reader that outlives the call", () =>
    Effect.gen(function* () {
      const { answer, served } = yield* gated
      const backend = yield* live()
      const first = yield* Deferred.make<void>()
      const ended = yield* Deferred.make<ReadonlyArray<string>>()
      const url: string = served.url
      yield* calling(served, backend, () =>
        Effect.gen(function* () {
          const { body } = yield* Network.open("GET", url)
          const seen: Array<string> = []
          answer().write("one")
          yield* Stream.runForEach(body, (chunk) => {
            seen.push(text(chunk))
            return Deferred.succeed(first, undefined)
          }).pipe(
            Effect.exit,
            Effect.flatMap(() => Deferred.succeed(ended, seen)),
            Effect.forkDaemon
          )
          yield* Deferred.await(first)
        })
      )
      yield* served.drained
      expect(yield* Deferred.await(ended)).toEqual(["one"])
    })
  )

  it.scoped("takes its turn, a thousand times over", () =>
    Effect.gen(function* () {
      const { answering, came, served } = yield* gated
      const backend = yield* live({ inFlight: 4 })
      const url: string = served.url
      yield* calling(served, backend, () =>
        Effect.zipRight(
          Effect.forkDaemon(
            Effect.forEach(Chunk.range(1, 1000), () => Network.open("GET", url), { concurrency: "unbounded" })
          ),
          came(4)
        )
      )
      yield* served.drained
      expect(answering.length).toBe(4)
      const after = yield* calling(served, backend, () =>
        Effect.map(Network.open("GET", url), ({ status }) => status)
      )
      expect(after.result).toEqual({ ok: true, value: 200 })
    })
  )

  it.scoped("leaves nothing after a storm of interruptions", () =>
    Effect.gen(function* () {
      const served = yield* serve(({ url }, response) => {
        if (url === "/short") response.end("short")
        else if (url === "/silent") return
        else response.flushHeaders()
      })
      const backend = yield* live({ inFlight: 4 })
      const paths = ["/short", "/silent", "/head"]
      const reads = [
        ({ text }: Network.Opened) => text,
        ({ body }: Network.Opened) => Stream.runDrain(body),
        () => Effect.void
      ]
      const storm = Effect.forEach(
        Chunk.range(0, 299),
        (index) =>
          Effect.gen(function* () {
            const url: string = served.url + (paths[index % 3] ?? "")
            const read = reads[Math.floor(index / 3) % 3] ?? (() => Effect.void)
            const fiber = yield* Effect.fork(Effect.flatMap(Network.open("GET", url), read))
            // So many turns of the scheduler and of the event loop, so that it ends at another place each time.
            yield* Effect.repeatN(Effect.yieldNow(), index % 7)
            for (let turn = 0; turn < index % 5; turn++) {
              yield* Effect.async<void>((resume) => void setImmediate(() => resume(Effect.void)))
            }
            yield* Fiber.interrupt(fiber)
          }),
        { concurrency: 8 }
      )
      yield* calling(served, backend, () => storm)
      const after = yield* calling(served, backend, () =>
        Effect.forEach(Chunk.range(1, 8), () => Network.get(`${served.url}/short` as string), {
          concurrency: 4
        })
      )
      expect(after.result).toMatchObject({ ok: true, value: expect.arrayContaining(["short"]) })
    })
  )

  it.scoped("does not show what a redacted header hid, where a server repeats it", () =>
    Effect.gen(function* () {
      const served = yield* serve(({ headers }, response) =>
        response.end(`you sent ${headers.authorization}`)
      )
      const backend = yield* live()
      const url: string = served.url
      const echoed = () =>
        calling(served, backend, () =>
          Network.get(url, { headers: { authorization: Redacted.make("Bearer t0ken-of-mine") } })
        )
      expect((yield* echoed()).result).toEqual({ ok: true, value: "you sent [redacted]" })
      const plain = yield* calling(served, backend, () =>
        Network.get(url, { headers: { authorization: "Bearer t0ken-of-mine" } })
      )
      // What one turn hides is not hidden for others.
      expect(plain.result).toEqual({ ok: true, value: "you sent Bearer t0ken-of-mine" })
    })
  )
})
