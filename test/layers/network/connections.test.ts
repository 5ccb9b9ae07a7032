/** Threat: a connection outlives who it was opened for, or serves who could not have opened it. */
import { describe, expect, it } from "@effect/vitest"
import { Chunk, Deferred, Effect, Exit, Fiber, Scope, Stream } from "effect"
import * as NodeNetwork from "../../../src/layers/node/network/NodeNetwork.js"
import {
  flow,
  get,
  names,
  network,
  networkTo,
  reach,
  recorder,
  serve,
  serveTcp,
  text,
  toolOf
} from "./fixture.js"

describe("connections", () => {
  it.scoped("are used again", () =>
    Effect.gen(function* () {
      const served = yield* serve((_, response) => response.end("ok"))
      const net = yield* networkTo(served)
      for (let i = 0; i < 5; i++) expect((yield* get(net, served.url)).status).toBe(200)
      expect(served.connections()).toBe(1)
    })
  )

  it.scoped("to a private address are not shared with a tool that may not connect there", () =>
    Effect.gen(function* () {
      const served = yield* serve((_, response) => response.end("ok"))
      const backend = yield* NodeNetwork.make({})
      const may = toolOf(backend, { authority: reach(["127.0.0.1"], [`127.0.0.1:${served.port}`]) })
      const mayNot = toolOf(backend, { authority: reach(["127.0.0.1"]) })
      yield* get(may, served.url)
      expect((yield* Effect.flip(get(mayNot, served.url))).code).toBe("ADDRESS_NOT_ALLOWED")
      yield* get(may, served.url)
      expect(served.connections()).toBe(1)
    })
  )

  it.scoped(
    "of a name that led to a private address are not given to a tool that may reach only public ones",
    () =>
      Effect.gen(function* () {
        const served = yield* serve((_, response) => response.end("ok"))
        const { asked, connect } = recorder(served.port)
        const answers = ["10.0.0.1", "8.8.8.8"]
        const backend = yield* NodeNetwork.make({
          connect,
          resolve: () => Effect.sync(() => [{ address: answers.shift() ?? "", family: 4 }])
        })
        const inside = toolOf(backend, { authority: reach(["a.example"], ["a.example:80"]) })
        const outside = toolOf(backend, { authority: reach(["a.example"]) })
        yield* get(inside, "http://a.example/")
        yield* get(outside, "http://a.example/")
        yield* get(inside, "http://a.example/")
        yield* get(outside, "http://a.example/")
        expect(asked.map(({ address }) => address)).toEqual(["10.0.0.1", "8.8.8.8"])
      })
  )

  it.scoped("that wait are few, and the oldest goes first", () =>
    Effect.gen(function* () {
      const served = yield* serve((_, response) => response.end("ok"))
      const { asked, connect } = recorder(served.port)
      const known = Object.fromEntries(["a", "b", "c"].map((name) => [`${name}.example`, "8.8.8.8"]))
      const net = yield* network(reach(["*"]), { connect, resolve: names(known).resolve, idleConnections: 2 })
      for (const name of ["a", "b", "c", "b", "c", "a"]) yield* get(net, `http://${name}.example/`)
      expect(asked.map(({ host }) => host[0])).toEqual(["a", "b", "c", "a"])
    })
  )

  it.scoped("that the server has closed are opened again for what can be repeated", () =>
    Effect.gen(function* () {
      let count = 0
      const served = yield* serve((request, response) => {
        // The second request on a connection finds it closed.
        if (++count % 2 === 0) request.socket.destroy()
        else response.end("ok")
      })
      const net = yield* networkTo(served)
      expect((yield* get(net, served.url)).status).toBe(200)
      expect((yield* get(net, served.url)).status).toBe(200)
      expect([count, served.connections()]).toEqual([3, 2])
      const posted = yield* Effect.flip(net.request({ method: "POST", url: served.url, headers: {} }))
      expect(posted.message).toMatch(/^REQUEST_FAILED: the request to 127\.0\.0\.1:\d+ failed \([A-Z_]+\)/)
      expect(count).toBe(4)
    })
  )

  it.scoped("that nobody listens at say so, by host and code alone", () =>
    Effect.gen(function* () {
      const served = yield* Effect.scoped(serve((_, response) => response.end()))
      const net = yield* networkTo(served)
      const error = yield* Effect.flip(get(net, `${served.url}/path?token=hunter2`, { "x-key": "hunter2" }))
      expect(error.message).toBe(
        `REQUEST_FAILED: no connection to 127.0.0.1:${served.port} (ECONNREFUSED); see that the server is there, then try again`
      )
    })
  )

  it.scoped("to what does not speak HTTP are an error", () =>
    Effect.gen(function* () {
      const port = yield* serveTcp((socket) => socket.end("SSH-2.0-hello\r\n"))
      const net = yield* network(reach(["127.0.0.1"], [`127.0.0.1:${port}`]))
      const error = yield* Effect.flip(get(net, `http://127.0.0.1:${port}/`))
      expect(error.message).toMatch(/^REQUEST_FAILED: the request to 127\.0\.0\.1:\d+ failed \(\w+\)/)
    })
  )
})

describe("an interrupted request", () => {
  const hanging = Effect.gen(function* () {
    const arrived = yield* Deferred.make<void>()
    const served = yield* serve((_, response) => {
      response.write("a")
      Deferred.unsafeDone(arrived, Effect.void)
    })
    return { arrived, served, net: yield* networkTo(served) }
  })

  it.scoped("closes its connection", () =>
    Effect.gen(function* () {
      const { arrived, net, served } = yield* hanging
      const fiber = yield* Effect.fork(get(net, served.url))
      yield* Deferred.await(arrived)
      expect(served.open.size).toBe(1)
      yield* Fiber.interrupt(fiber)
      yield* served.drained
    })
  )

  it.scoped("closes the connection that it was waiting for", () =>
    Effect.gen(function* () {
      const served = yield* serve(() => {})
      const connected = yield* Deferred.make<void>()
      const { connect } = recorder(served.port)
      // TLS is never answered: the connection stands, and cannot be used.
      const net = yield* network(reach(["a.example"]), {
        resolve: names({ "a.example": "8.8.8.8" }).resolve,
        connect: (endpoint) => Effect.tap(connect(endpoint), () => Deferred.succeed(connected, undefined))
      })
      const fiber = yield* Effect.fork(get(net, "https://a.example/"))
      yield* Deferred.await(connected)
      yield* Fiber.interrupt(fiber)
      yield* served.drained
    })
  )

  it.scoped("closes its connection when a stream is left early, and when it fails", () =>
    Effect.gen(function* () {
      const { net, served } = yield* hanging
      const first = yield* Stream.runCollect(Stream.take(flow(net, served.url), 1))
      expect(Chunk.toReadonlyArray(first).map(text)).toEqual(["a"])
      yield* served.drained
      const failing = Stream.mapEffect(flow(net, served.url), () => Effect.fail("enough"))
      expect(yield* Effect.flip(Stream.runDrain(failing))).toBe("enough")
      yield* served.drained
    })
  )
})

describe("a closed layer", () => {
  it.scoped("leaves no connection behind, idle, in use or streaming", () =>
    Effect.gen(function* () {
      const two = yield* Deferred.make<void>()
      let hanging = 0
      const served = yield* serve(({ url }, response) => {
        if (url === "/") response.end("ok")
        else response.write("a")
        if (url !== "/" && ++hanging === 2) Deferred.unsafeDone(two, Effect.void)
      })
      const scope = yield* Scope.make()
      const net = yield* Scope.extend(networkTo(served), scope)
      yield* Effect.all([get(net, `${served.url}/`), get(net, `${served.url}/`)], { concurrency: 2 })
      const idle = served.open.size
      const whole = yield* Effect.fork(get(net, `${served.url}/hang`))
      const flowing = yield* Effect.fork(Stream.runDrain(flow(net, `${served.url}/hang`)))
      yield* Deferred.await(two)
      expect([idle, served.open.size]).toEqual([2, 2])
      yield* Scope.close(scope, Exit.void)
      yield* served.drained
      for (const ended of [Fiber.join(whole), Fiber.join(flowing)]) {
        expect((yield* Effect.flip(Effect.asVoid(ended))).message).toBe(
          "REQUEST_FAILED: the network was closed while the request ran; request again with a new layer"
        )
      }
      expect((yield* Effect.flip(get(net, `${served.url}/`))).code).toBe("REQUEST_FAILED")
      yield* served.drained
    })
  )

  it.scoped("closes the connections that are still being made", () =>
    Effect.gen(function* () {
      const connected = yield* Deferred.make<void>()
      const go = yield* Deferred.make<void>()
      const served = yield* serve((_, response) => response.end("ok"))
      const { connect } = recorder(served.port)
      const scope = yield* Scope.make()
      const net = yield* Scope.extend(
        network(reach(["a.example"]), {
          resolve: names({ "a.example": "8.8.8.8" }).resolve,
          connect: (endpoint) =>
            connect(endpoint).pipe(
              Effect.tap(() => Deferred.succeed(connected, undefined)),
              Effect.tap(() => Deferred.await(go))
            )
        }),
        scope
      )
      const fiber = yield* Effect.fork(get(net, "http://a.example/"))
      yield* Deferred.await(connected)
      yield* Scope.close(scope, Exit.void)
      yield* Deferred.succeed(go, undefined)
      expect((yield* Effect.flip(Fiber.join(fiber))).message).toContain("the network was closed")
      yield* served.drained
    })
  )
})
