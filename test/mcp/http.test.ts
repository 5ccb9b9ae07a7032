/** Sessions over HTTP: who answers whom, what is not read, and what ends. */
import { once } from "node:events"
import type { IncomingMessage } from "node:http"
import { connect } from "node:net"
import { describe, expect, it } from "@effect/vitest"
import { Deferred, Effect, Exit, Fiber, Scope, TestClock } from "effect"
import {
  ask,
  begin,
  begun,
  eventsIn,
  initialize,
  message,
  type Opened,
  serve,
  sessionsOf,
  TOKEN,
  textOf
} from "./httpClient.js"

const progress = (at: number) =>
  ({ jsonrpc: "2.0", method: "notifications/progress", params: { progressToken: 1, progress: at } }) as const

const inSession = (session: string) => ({ "mcp-session-id": session })

describe("sessions", () => {
  it.scoped("have ids that nobody guesses, and are two for two clients", () =>
    Effect.gen(function* () {
      const opened: Array<Opened> = []
      const { port } = yield* serve(sessionsOf(opened))
      const [one, two] = [yield* begun(port), yield* begun(port)]
      expect(one).toMatch(/^[\w-]{43}$/)
      expect(one).not.toBe(two)
      yield* ask(port, { body: message("ping", 7), headers: inSession(two) })
      expect(opened.map(({ received }) => received.length)).toEqual([1, 2])
    })
  )

  it.scoped("a missing id is 400, an unknown one 404", () =>
    Effect.gen(function* () {
      const { port } = yield* serve(sessionsOf([]))
      yield* begun(port)
      for (const asked of [
        { body: message("ping", 1) },
        { body: message("x") },
        { method: "GET" },
        { method: "DELETE" }
      ]) {
        expect((yield* ask(port, asked)).status).toBe(400)
        const { status, text } = yield* ask(port, { ...asked, headers: inSession("x".repeat(43)) })
        expect(status).toBe(404)
        expect(JSON.parse(text).error.message).toContain("initialize another")
      }
    })
  )

  it.scoped("one that is declined is none", () =>
    Effect.gen(function* () {
      const opened: Array<Opened> = []
      const { port } = yield* serve((send) =>
        Effect.map(sessionsOf(opened)(send), (session) => ({
          ...session,
          receive: () => send({ jsonrpc: "2.0", id: 0, error: { code: -32602, message: "no" } })
        }))
      )
      const { headers, status, text } = yield* ask(port, { body: initialize })
      expect([status, headers["mcp-session-id"]]).toEqual([200, undefined])
      expect(JSON.parse(text).error.message).toBe("no")
      expect(opened.map(({ isClosed }) => isClosed)).toEqual([true])
    })
  )

  it.scoped("there are so many and no more; who deletes one makes room", () =>
    Effect.gen(function* () {
      const { port } = yield* serve(sessionsOf([]), { limits: { sessions: 2 } })
      const [one] = [yield* begun(port), yield* begun(port)]
      expect((yield* ask(port, { body: initialize })).status).toBe(503)
      expect((yield* ask(port, { method: "DELETE", headers: inSession(one) })).status).toBe(204)
      expect((yield* ask(port, { body: message("ping", 1), headers: inSession(one) })).status).toBe(404)
      expect((yield* ask(port, { body: initialize })).status).toBe(200)
    })
  )

  it.scoped("a deleted one closes, and whoever waits for an answer is told", () =>
    Effect.gen(function* () {
      const opened: Array<Opened> = []
      const taken = yield* Deferred.make<void>()
      const { port } = yield* serve(sessionsOf(opened, () => Deferred.succeed(taken, undefined)))
      const session = yield* begun(port)
      const waiting = yield* Effect.fork(ask(port, { body: message("slow", 5), headers: inSession(session) }))
      yield* Deferred.await(taken)
      expect((yield* ask(port, { method: "DELETE", headers: inSession(session) })).status).toBe(204)
      const { status, text } = yield* Fiber.join(waiting)
      expect([status, JSON.parse(text).id]).toEqual([404, 5])
      expect(opened.map(({ isClosed }) => isClosed)).toEqual([true])
    })
  )

  it.scoped("one that nobody uses ends after its time, and one that is used does not", () =>
    Effect.gen(function* () {
      const opened: Array<Opened> = []
      const closed = yield* Deferred.make<void>()
      const { port } = yield* serve(
        (send) =>
          Effect.tap(sessionsOf(opened)(send), () =>
            Effect.addFinalizer(() => Deferred.succeed(closed, undefined))
          ),
        { limits: { idle: "10 minutes" } }
      )
      const [left, used, heard] = [yield* begun(port), yield* begun(port), yield* begun(port)]
      const stream = yield* Effect.promise(() => begin(port, { method: "GET", headers: inSession(heard) }))
      yield* TestClock.adjust("9 minutes")
      yield* ask(port, { body: message("ping", 1), headers: inSession(used) })
      yield* TestClock.adjust("90 seconds")
      yield* Deferred.await(closed)
      expect(opened.map(({ isClosed }) => isClosed)).toEqual([true, false, false])
      expect((yield* ask(port, { body: message("ping", 1), headers: inSession(left) })).status).toBe(404)
      stream.destroy()
    })
  )

  it.scoped("all end with the server, which leaves neither port nor connection", () =>
    Effect.gen(function* () {
      const opened: Array<Opened> = []
      const taken = yield* Deferred.make<void>()
      const scope = yield* Scope.make()
      const { port } = yield* Scope.extend(
        serve(sessionsOf(opened, () => Deferred.succeed(taken, undefined))),
        scope
      )
      const session = yield* begun(port)
      const stream = yield* Effect.promise(() => begin(port, { method: "GET", headers: inSession(session) }))
      const ended = once(stream, "close")
      stream.resume()
      const waiting = yield* Effect.fork(ask(port, { body: message("slow", 5), headers: inSession(session) }))
      yield* Deferred.await(taken)
      yield* Scope.close(scope, Exit.void)
      expect(opened.map(({ isClosed }) => isClosed)).toEqual([true])
      expect((yield* Fiber.join(waiting)).status).toBe(503)
      yield* Effect.promise(() => ended)
      const failed = yield* Effect.promise(() => once(connect(port, "127.0.0.1"), "error"))
      expect(failed[0].code).toBe("ECONNREFUSED")
    })
  )
})

describe("answers", () => {
  it.scoped("a request is answered with a document, and everything else is accepted", () =>
    Effect.gen(function* () {
      const opened: Array<Opened> = []
      const { port } = yield* serve(sessionsOf(opened))
      const headers = inSession(yield* begun(port))
      const answer = yield* ask(port, { body: message("ping", "a"), headers })
      expect(answer.headers["content-type"]).toBe("application/json")
      expect(JSON.parse(answer.text)).toEqual({ jsonrpc: "2.0", id: "a", result: {} })
      for (const body of [message("notifications/initialized"), '{"jsonrpc":"2.0","id":1,"result":{}}']) {
        const { status, text } = yield* ask(port, { body, headers })
        expect([status, text]).toEqual([202, ""])
      }
      expect(opened[0]?.received).toHaveLength(4)
    })
  )

  it.scoped("one that reports on the way is a stream that ends with it", () =>
    Effect.gen(function* () {
      const { port } = yield* serve(
        sessionsOf([], ({ id = "" }, { send }) =>
          Effect.all([
            send(progress(1), id),
            send(progress(2), "another"),
            send(progress(3), id),
            send({ jsonrpc: "2.0", id, result: { done: true } }),
            send(progress(4), id)
          ])
        )
      )
      const headers = inSession(yield* begun(port))
      const { headers: found, status, text } = yield* ask(port, { body: message("work", 1), headers })
      expect([status, found["content-type"]]).toEqual([200, "text/event-stream"])
      expect(eventsIn(text)).toEqual([
        progress(1),
        progress(3),
        { jsonrpc: "2.0", id: 1, result: { done: true } }
      ])
    })
  )

  it.scoped("ids that look alike are two, and one that waits already is refused", () =>
    Effect.gen(function* () {
      const opened: Array<Opened> = []
      const taken = yield* Deferred.make<void>()
      const { port } = yield* serve(
        sessionsOf(opened, (_, { received }) =>
          received.length === 3 ? Deferred.succeed(taken, undefined) : Effect.void
        )
      )
      const headers = inSession(yield* begun(port))
      const one = yield* Effect.fork(ask(port, { body: message("slow", 1), headers }))
      const text = yield* Effect.fork(ask(port, { body: message("slow", "1"), headers }))
      yield* Deferred.await(taken)
      expect((yield* ask(port, { body: message("slow", 1), headers })).status).toBe(400)
      const [client] = opened
      if (client === undefined) throw new Error("no session")
      yield* client.send({ jsonrpc: "2.0", id: "1", result: { is: "text" } })
      yield* client.send({ jsonrpc: "2.0", id: 1, result: { is: "number" } })
      expect(JSON.parse((yield* Fiber.join(text)).text).result).toEqual({ is: "text" })
      expect(JSON.parse((yield* Fiber.join(one)).text).result).toEqual({ is: "number" })
    })
  )

  it.scoped("as many wait as may, and one more is 429", () =>
    Effect.gen(function* () {
      const taken = yield* Deferred.make<void>()
      const { port } = yield* serve(
        sessionsOf([], (_, { received }) =>
          received.length === 3 ? Deferred.succeed(taken, undefined) : Effect.void
        ),
        { limits: { inFlight: 2 } }
      )
      const headers = inSession(yield* begun(port))
      for (const id of [1, 2])
        yield* Effect.fork(Effect.ignore(ask(port, { body: message("slow", id), headers })))
      yield* Deferred.await(taken)
      expect((yield* ask(port, { body: message("slow", 3), headers })).status).toBe(429)
    })
  )

  it.scoped("a request that is taken back is answered by nothing, and its stream ends", () =>
    Effect.gen(function* () {
      const taken = yield* Deferred.make<void>()
      const { port } = yield* serve(
        sessionsOf([], ({ method }) => (method === "slow" ? Deferred.succeed(taken, undefined) : Effect.void))
      )
      const headers = inSession(yield* begun(port))
      const waiting = yield* Effect.fork(ask(port, { body: message("slow", 3), headers }))
      yield* Deferred.await(taken)
      const body = message("notifications/cancelled", undefined, { requestId: 3 })
      expect((yield* ask(port, { body, headers })).status).toBe(202)
      const { status, text } = yield* Fiber.join(waiting)
      expect([status, eventsIn(text)]).toEqual([200, []])
    })
  )

  it.scoped("a client that leaves in the middle cancels nothing", () =>
    Effect.gen(function* () {
      const opened: Array<Opened> = []
      const taken = yield* Deferred.make<void>()
      const { port } = yield* serve(sessionsOf(opened, () => Deferred.succeed(taken, undefined)))
      const session = yield* begun(port)
      const left = connect(port, "127.0.0.1")
      const body = message("slow", 1)
      left.write(
        `POST /mcp HTTP/1.1\r\nHost: localhost:${port}\r\nAuthorization: Bearer ${TOKEN}\r\nMcp-Session-Id: ${session}\r\n` +
          `Accept: */*\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`
      )
      yield* Deferred.await(taken)
      left.destroy()
      yield* Effect.promise(() => once(left, "close"))
      expect((yield* ask(port, { body: message("ping", 2), headers: inSession(session) })).status).toBe(200)
      expect(opened[0]?.isClosed).toBe(false)
      yield* opened[0]?.send({ jsonrpc: "2.0", id: 1, result: {} }) ?? Effect.void
    })
  )
})

/** The next message of a stream. */
const nextEvent = (stream: IncomingMessage): Promise<unknown> =>
  new Promise((resolve) => {
    let text = ""
    stream.setEncoding("utf8").on("data", (chunk: string) => {
      text += chunk
      const [first] = eventsIn(text.slice(0, text.lastIndexOf("\n\n") + 1))
      if (first !== undefined) resolve(first)
    })
  })

const changed = { jsonrpc: "2.0", method: "notifications/tools/list_changed" }

describe("what belongs to no request", () => {
  it.scoped("goes to whoever listens, in every session, and is kept for who comes later", () =>
    Effect.gen(function* () {
      const server = yield* serve(sessionsOf([]))
      const { port } = server
      const [one, two] = [yield* begun(port), yield* begun(port)]
      const early = yield* Effect.promise(() => begin(port, { method: "GET", headers: inSession(one) }))
      const first = nextEvent(early)
      yield* server.changed
      expect(yield* Effect.promise(() => first)).toEqual(changed)
      const late = yield* Effect.promise(() => begin(port, { method: "GET", headers: inSession(two) }))
      expect(yield* Effect.promise(() => nextEvent(late))).toEqual(changed)
      early.destroy()
      late.destroy()
    })
  )

  it.scoped("who listens again takes the place of itself", () =>
    Effect.gen(function* () {
      const server = yield* serve(sessionsOf([]))
      const headers = inSession(yield* begun(server.port))
      const listen = Effect.promise(() => begin(server.port, { method: "GET", headers }))
      const before = yield* listen
      const ended = textOf(before)
      const after = yield* listen
      expect(eventsIn(yield* Effect.promise(() => ended))).toEqual([])
      const heard = nextEvent(after)
      yield* server.changed
      expect(yield* Effect.promise(() => heard)).toEqual(changed)
      after.destroy()
    })
  )

  it.scoped("a client that never reads fills no memory, and loses its stream", () =>
    Effect.gen(function* () {
      const opened: Array<Opened> = []
      const { port } = yield* serve(sessionsOf(opened), { limits: { bufferedBytes: 64 * 1024 } })
      const headers = inSession(yield* begun(port))
      const stream = yield* Effect.promise(() => begin(port, { method: "GET", headers }))
      const lost = once(stream, "error")
      const data = "x".repeat(64 * 1024)
      // More than any kernel keeps for a connection of loopback.
      for (let at = 0; at < 1000; at++) {
        yield* opened[0]?.send({ jsonrpc: "2.0", method: "notifications/message", params: { data } }) ??
          Effect.void
        if (at % 10 === 0) yield* Effect.promise(() => new Promise((resolve) => setImmediate(resolve)))
      }
      stream.resume()
      const [error] = yield* Effect.promise(() => lost)
      expect(error.code).toBe("ECONNRESET")
      expect((yield* ask(port, { body: message("ping", 1), headers })).status).toBe(200)
    })
  )

  it.scoped("what nobody reads for too long is given up, and what is read is not", () =>
    Effect.gen(function* () {
      const data = "x".repeat(32 * 1024 * 1024)
      const { port } = yield* serve(
        sessionsOf([], ({ id = "" }, { send }) => send({ jsonrpc: "2.0", id, result: { data } })),
        { limits: { stalled: "1 minute" } }
      )
      const headers = inSession(yield* begun(port))
      const quiet = yield* Effect.promise(() => begin(port, { method: "GET", headers }))
      const unread = yield* Effect.promise(() => begin(port, { body: message("work", 1), headers }))
      const lost = once(unread, "error")
      yield* TestClock.adjust("1 minute")
      yield* TestClock.adjust("1 minute")
      unread.resume()
      const [error] = yield* Effect.promise(() => lost)
      expect(error.code).toBe("ECONNRESET")
      // A sign of life is no message.
      const [beat] = yield* Effect.promise(() => once(quiet.setEncoding("utf8"), "data"))
      expect(beat).toMatch(/^(?::\n\n)+$/)
      quiet.destroy()
    })
  )
})

describe("bodies", () => {
  const statusOf = (port: number, body: string | Buffer, headers: Readonly<Record<string, string>> = {}) =>
    Effect.map(ask(port, { body, headers }), ({ status, text }) => [status, JSON.parse(text).error?.code])

  it.scoped("what is no message is 400 in words of JSON-RPC, and the server goes on", () =>
    Effect.gen(function* () {
      const opened: Array<Opened> = []
      const { port } = yield* serve(sessionsOf(opened))
      const headers = inSession(yield* begun(port))
      const unreadable = ["", "{", "nonsense", Buffer.from([0x22, 0xff, 0xfe, 0x22]), "[".repeat(100_000)]
      for (const body of unreadable) expect(yield* statusOf(port, body, headers)).toEqual([400, -32700])
      const invalid = [
        "null",
        "1",
        '"x"',
        "[]",
        `[${message("ping", 1)}]`,
        "{}",
        '{"jsonrpc":"1.0","id":1,"method":"ping"}',
        '{"jsonrpc":"2.0","id":null,"method":"ping"}',
        '{"jsonrpc":"2.0","id":{},"method":"ping"}',
        '{"jsonrpc":"2.0","id":1}',
        '{"jsonrpc":"2.0","id":1,"method":5}',
        '{"jsonrpc":"2.0","id":1,"result":{},"error":{}}',
        // A session could read none of these, and would have nobody to say so to.
        '{"jsonrpc":"2.0","id":1.5,"method":"ping"}',
        '{"jsonrpc":"2.0","id":9007199254740993,"method":"ping"}',
        message("ping", "x".repeat(2000)),
        '{"jsonrpc":"2.0","method":"x","params":[]}',
        `{"jsonrpc":"2.0","method":"x","params":{"a":${"[".repeat(200)}${"]".repeat(200)}}}`
      ]
      for (const body of invalid)
        expect([body, yield* statusOf(port, body, headers)]).toEqual([body, [400, -32600]])
      expect(opened[0]?.received).toHaveLength(1)
      const named = yield* ask(port, {
        headers,
        body: '{"jsonrpc":"2.0","id":7,"method":"ping","params":[]}'
      })
      expect([named.status, JSON.parse(named.text).id]).toEqual([400, 7])
      expect(yield* statusOf(port, message("ping", 1), headers)).toEqual([200, undefined])
    })
  )

  it.scoped("one that is too large is 413, whether it says so or not", () =>
    Effect.gen(function* () {
      const { port } = yield* serve(sessionsOf([]), { limits: { bodyBytes: 1000 } })
      const large = "x".repeat(20 * 1024 * 1024)
      expect(yield* statusOf(port, large)).toEqual([413, -32600])
      expect(yield* statusOf(port, large, { "transfer-encoding": "chunked" })).toEqual([413, -32600])
      expect((yield* ask(port, { body: initialize })).status).toBe(200)
    })
  )

  it.scoped("a head that is too large is 431", () =>
    Effect.gen(function* () {
      const { port } = yield* serve(sessionsOf([]))
      const headers = { "x-much": "x".repeat(20_000) }
      expect((yield* ask(port, { body: initialize, headers })).status).toBe(431)
    })
  )

  it.scoped("a client that sends slowly is not waited for", () =>
    Effect.gen(function* () {
      const { port } = yield* serve(sessionsOf([]), { limits: { request: "50 millis" } })
      const slow = connect(port, "127.0.0.1").setEncoding("utf8")
      slow.write(
        `POST /mcp HTTP/1.1\r\nHost: localhost:${port}\r\nAuthorization: Bearer ${TOKEN}\r\nAccept: */*\r\n` +
          "Content-Type: application/json\r\nContent-Length: 100\r\n\r\n{"
      )
      let text = ""
      slow.on("data", (chunk) => {
        text += chunk
      })
      yield* Effect.promise(() => once(slow, "close"))
      expect(text).toMatch(/^HTTP\/1.1 408 /)
    })
  )

  it.scoped("there are so many connections and no more", () =>
    Effect.gen(function* () {
      const { port } = yield* serve(sessionsOf([]), { limits: { connections: 1 } })
      const held = connect(port, "127.0.0.1")
      yield* Effect.promise(() => once(held, "connect"))
      const dropped = connect(port, "127.0.0.1")
      dropped.on("error", () => {})
      yield* Effect.promise(() => once(dropped, "close"))
      held.destroy()
    })
  )
})
