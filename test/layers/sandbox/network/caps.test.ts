/** A child that takes too much of the network takes it from nobody else: what it may have is counted, and what it met is said. */
import { describe, expect, it } from "@effect/vitest"
import { Effect, Exit, Queue, Scope } from "effect"
import { serve, serveTcp } from "../../network/fixture.js"
import { client, everything, held, PUBLIC, proxy, say, statusOf } from "./fixture.js"
import { hello, name, records } from "./hellos.js"

const hosts = { "a.test": PUBLIC }

const GET = "GET http://a.test/ HTTP/1.1\r\nHost: a.test\r\nConnection: close\r\n\r\n"

const ESTABLISHED = "HTTP/1.1 200 Connection Established\r\n\r\n"

describe("The network of a child", () => {
  it.scoped("has so many connections at once, and says when there were more", () =>
    Effect.gen(function* () {
      const { port } = yield* serve((_, response) => void response.end("served"))
      const { notes, port: at } = yield* proxy({
        authority: held({ get: ["a.test"] }),
        port,
        hosts,
        connections: 2
      })
      const first = yield* client(at)
      const second = yield* client(at)
      for (const one of [first, second]) {
        yield* one.write(GET.replace("close", "keep-alive"))
        yield* one.until("served")
      }
      const refused = yield* say(at, GET)
      expect(statusOf(refused)).toBe("HTTP/1.1 503 Service Unavailable")
      expect(refused).toContain("LIMIT_EXCEEDED")
      expect(notes).toEqual([
        "a connection of the command was refused, because 2 were open; open fewer at once, or have the operator raise connections of sandbox.limits"
      ])
      first.socket.destroy()
      // It is counted down when the proxy has heard of it, which is before it hears of what comes later.
      const again = yield* Effect.iterate("503", {
        while: (answer) => answer.includes("503"),
        body: () => say(at, GET)
      })
      expect(again).toContain("served")
    })
  )

  it.scoped("counts who has left, for as long as somebody works for it", () =>
    Effect.gen(function* () {
      let asked = 0
      const begun = yield* Queue.unbounded<void>()
      const { notes, port } = yield* proxy({
        authority: everything(["a.test"]),
        connections: 3,
        resolve: () =>
          Effect.suspend(() => {
            asked++
            return Effect.zipRight(Queue.offer(begun, undefined), Effect.never)
          })
      })
      for (const line of [
        "CONNECT a.test:443 HTTP/1.1",
        "GET http://a.test/ HTTP/1.1",
        "CONNECT a.test:443 HTTP/1.1"
      ]) {
        const one = yield* client(port)
        yield* one.write(`${line}\r\nHost: a.test\r\n\r\n`)
        yield* Queue.take(begun)
        one.socket.destroy()
      }
      for (let count = 0; count < 5; count++) expect(statusOf(yield* say(port, GET))).toContain("503")
      expect(asked).toBe(3)
      expect(notes.join()).toContain("because 3 were open")
    })
  )

  it.scoped("counts connections that are kept for later, and closes them first", () =>
    Effect.gen(function* () {
      const { port } = yield* serve((_, response) => void response.end("served"))
      const targets = ["a.test", "b.test", "a.test"]
      for (const [connections, hops] of [
        [1, targets],
        [3, ["a.test", "b.test"]]
      ] as const) {
        const {
          dialled,
          notes,
          port: at
        } = yield* proxy({
          authority: held({ get: ["a.test", "b.test"] }),
          port,
          hosts: { ...hosts, "b.test": PUBLIC },
          connections
        })
        for (const host of targets) {
          const served = Effect.iterate("503", {
            while: (answer) => answer.includes("503"),
            body: () => say(at, GET.replaceAll("a.test", host))
          })
          expect(yield* served).toContain("served")
        }
        expect(dialled.map(({ host }) => host)).toEqual(hops)
        if (connections > 1) expect(notes).toEqual([])
      }
    })
  )

  it.scoped("has so many bytes, both ways and in all, and then nothing", () =>
    Effect.gen(function* () {
      const { port } = yield* serve((_, response) => void response.end(Buffer.alloc(600_000, "x")))
      const { notes, port: at } = yield* proxy({
        authority: held({ get: ["a.test"] }),
        port,
        hosts,
        bytes: 1_000_000
      })
      expect((yield* say(at, GET)).length).toBeGreaterThan(600_000)
      expect((yield* say(at, GET)).length).toBeLessThan(600_000)
      expect(statusOf(yield* say(at, GET))).toBe("HTTP/1.1 503 Service Unavailable")
      expect(notes).toEqual([
        "the connections of the command were closed after 1000000 bytes; ask for less, or have the operator raise network_bytes of sandbox.limits"
      ])
    })
  )

  it.scoped("counts what is sent, in requests, headers and tunnels", () =>
    Effect.gen(function* () {
      const { port } = yield* serve((request, response) => {
        request.resume().once("end", () => response.end("served"))
      })
      const body = "x".repeat(50_000)
      const post = `POST http://a.test/ HTTP/1.1\r\nHost: a.test\r\nConnection: close\r\nContent-Length: ${body.length}\r\n\r\n${body}`
      const long = GET.replace("\r\n\r\n", `\r\nX-Long: ${body}\r\n\r\n`)
      for (const request of [post, long]) {
        const { notes, port: at } = yield* proxy({
          authority: everything(["a.test"]),
          port,
          hosts,
          bytes: 60_000
        })
        expect(yield* say(at, request)).toContain("served")
        expect(yield* say(at, request)).toBe("")
        expect(notes.join()).toContain("after 60000 bytes")
      }
      const silent = yield* serveTcp((socket) => void socket.resume())
      const { notes, port: at } = yield* proxy({
        authority: everything(["a.test"]),
        port: silent,
        hosts,
        bytes: 60_000
      })
      const one = yield* client(at)
      yield* one.write("CONNECT a.test:443 HTTP/1.1\r\nHost: a.test\r\n\r\n")
      expect(yield* one.until("\r\n\r\n")).toBe(ESTABLISHED)
      yield* one.write(records(hello([name("a.test")])))
      yield* one.write(body)
      yield* one.write(body)
      expect(yield* one.closed).toBe("")
      expect(notes.join()).toContain("after 60000 bytes")
    })
  )

  it.scoped("says each thing once, and not for ever", () =>
    Effect.gen(function* () {
      const { events, notes, port } = yield* proxy({ authority: held({ get: ["a.test"] }), hosts })
      for (let count = 0; count < 40; count++) {
        yield* say(port, GET.replaceAll("a.test", `host${count >> 1}.test`))
      }
      expect(events).toHaveLength(20)
      expect(notes).toHaveLength(17)
      expect(notes.at(-1)).toContain("the events of the call name them")
    })
  )

  it.scoped("is over for a command that goes on to ask for what it may not have", () =>
    Effect.gen(function* () {
      const { port } = yield* serve((_, response) => void response.end("served"))
      const {
        denials,
        dialled,
        events,
        notes,
        port: at
      } = yield* proxy({
        authority: held({ get: ["a.test"] }),
        port,
        hosts,
        refusals: 5
      })
      const ask = (host: string) => say(at, GET.replaceAll("a.test", host))
      // The same again is nothing new.
      for (let count = 0; count < 20; count++) yield* ask("b.test")
      expect(yield* ask("a.test")).toContain("served")
      for (let count = 0; count < 20; count++) yield* ask(`host${count}.test`)
      expect(statusOf(yield* ask("a.test"))).toBe("HTTP/1.1 503 Service Unavailable")
      expect(dialled).toHaveLength(1)
      expect(events.filter((event) => event.startsWith("refused"))).toHaveLength(6)
      expect(denials.at(-1)?.detail).toContain("5 different things were refused")
      expect(notes.join()).toContain("5 different things were refused")
    })
  )

  it.scoped("closes a connection that does not say what it is for", () =>
    Effect.gen(function* () {
      const { port } = yield* proxy({ authority: held({ get: ["a.test"] }), hosts, hello: 1 })
      expect(yield* say(port, "GET http://a.t")).toBe("")
    })
  )

  it.scoped("takes no more requests ahead of their answers than anybody would send", () =>
    Effect.gen(function* () {
      const port = yield* serveTcp(() => {})
      const { port: at } = yield* proxy({ authority: held({ get: ["a.test"] }), port, hosts })
      expect(yield* say(at, GET.replace("close", "keep-alive").repeat(100))).toBe("")
    })
  )

  it.effect("is gone with the child: connections are closed on both sides", () =>
    Effect.gen(function* () {
      const outer = yield* Scope.make()
      const { drained, port } = yield* Scope.extend(
        serve((_, response) => void response.write("begun")),
        outer
      )
      const scope = yield* Scope.make()
      const { port: at } = yield* Scope.extend(
        proxy({ authority: held({ get: ["a.test"] }), port, hosts }),
        scope
      )
      const one = yield* Scope.extend(client(at), outer)
      yield* one.write(GET)
      yield* one.until("begun\r\n")
      yield* Scope.close(scope, Exit.void)
      yield* one.closed
      yield* drained
      yield* Scope.close(outer, Exit.void)
    })
  )
})

describe("Where others can reach the proxy too", () => {
  it.scoped("it takes only who shows the token [X14]", () =>
    Effect.gen(function* () {
      const { port } = yield* serve((_, response) => void response.end("served"))
      const {
        dialled,
        notes,
        port: at
      } = yield* proxy({ authority: everything(["a.test"]), port, hosts, token: "secret" })
      const shown = (token: string) =>
        `\r\nProxy-Authorization: Basic ${Buffer.from(`child:${token}`).toString("base64")}\r\n\r\n`
      const connect = "CONNECT a.test:80 HTTP/1.1\r\nHost: a.test\r\n\r\n"
      for (const request of [GET, connect]) {
        for (const end of [
          "\r\n\r\n",
          shown(""),
          shown("other"),
          "\r\nProxy-Authorization: secret\r\n\r\n"
        ]) {
          const answer = yield* say(at, request.replace("\r\n\r\n", end))
          expect(statusOf(answer)).toBe("HTTP/1.1 407 Proxy Authentication Required")
          expect(answer).toContain("proxy-authenticate: Basic")
        }
      }
      expect([dialled, notes]).toEqual([[], []])
      expect(yield* say(at, GET.replace("\r\n\r\n", shown("secret")))).toContain("served")
      const one = yield* client(at)
      yield* one.write(connect.replace("\r\n\r\n", shown("secret")))
      expect(yield* one.until("\r\n\r\n")).toBe(ESTABLISHED)
    })
  )
})
