/**
 * Who may speak to a server over HTTP. A page in a browser of the same machine can send requests to any port of it, and
 * with a name that it owns even read the answers: neither is let in, and nothing of what it sends is read.
 */
import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { ask, begun, initialize, message, type Opened, serve, sessionsOf, TOKEN } from "./httpClient.js"

const ping = message("ping", 1)

describe("without the token", () => {
  it.scoped.each([
    ["none", undefined],
    ["another", "Bearer aaaa"],
    ["one of its length that differs in the end", `Bearer ${TOKEN.slice(0, -1)}x`],
    ["one more character", `Bearer ${TOKEN}t`],
    ["another scheme", `Basic ${TOKEN}`],
    ["the scheme alone", "Bearer"],
    ["nothing", ""]
  ])("%s is 401, and no session begins", ([, authorization]) =>
    Effect.gen(function* () {
      const opened: Array<Opened> = []
      const { port } = yield* serve(sessionsOf(opened))
      const { headers, status, text } = yield* ask(port, { body: initialize, headers: { authorization } })
      expect(status).toBe(401)
      expect(headers["www-authenticate"]).toMatch(/^Bearer realm="bailiwick"/)
      expect(text).not.toContain(TOKEN)
      expect(opened).toEqual([])
    })
  )

  it.scoped("every method is 401", () =>
    Effect.gen(function* () {
      const { port } = yield* serve(sessionsOf([]))
      const session = yield* begun(port)
      for (const method of ["GET", "POST", "DELETE", "PUT"]) {
        const headers = { authorization: undefined, "mcp-session-id": session }
        expect(
          (yield* ask(port, { method, headers, body: method === "POST" ? ping : undefined })).status
        ).toBe(401)
      }
      expect((yield* ask(port, { headers: { "mcp-session-id": session }, body: ping })).status).toBe(200)
    })
  )

  it.scoped("the scheme is written as anybody likes", () =>
    Effect.gen(function* () {
      const { port } = yield* serve(sessionsOf([]))
      const headers = { authorization: `bEARER  ${TOKEN}` }
      expect((yield* ask(port, { body: initialize, headers })).status).toBe(200)
    })
  )
})

describe("names", () => {
  it.scoped("a Host that is not of this machine is 403, token or not", () =>
    Effect.gen(function* () {
      const opened: Array<Opened> = []
      const { port } = yield* serve(sessionsOf(opened))
      const foreign = [
        "evil.example",
        `evil.example:${port}`,
        `localhost.evil.example:${port}`,
        `127.0.0.1.evil.example:${port}`,
        `127.0.0.1:${port + 1}`,
        "127.0.0.1",
        "localhost",
        `localhost:${port}@evil.example`,
        `0.0.0.0:${port}`,
        `2130706433:${port}`
      ]
      for (const host of foreign) {
        for (const authorization of [`Bearer ${TOKEN}`, undefined]) {
          const { status } = yield* ask(port, { body: initialize, headers: { host, authorization } })
          expect([host, status]).toEqual([host, 403])
        }
      }
      expect(opened).toEqual([])
    })
  )

  it.scoped("names of this machine with the port are its own", () =>
    Effect.gen(function* () {
      const { port } = yield* serve(sessionsOf([]))
      for (const host of [`127.0.0.1:${port}`, `localhost:${port}`, `LOCALHOST:${port}`, `[::1]:${port}`]) {
        expect([host, (yield* ask(port, { body: initialize, headers: { host } })).status]).toEqual([
          host,
          200
        ])
      }
    })
  )

  it.scoped("an Origin is one of the server's own, or 403", () =>
    Effect.gen(function* () {
      const { port } = yield* serve(sessionsOf([]))
      const statusOf = (origin: string) =>
        Effect.map(ask(port, { body: initialize, headers: { origin } }), ({ status }) => [origin, status])
      for (const origin of [
        "https://evil.example",
        "null",
        "",
        `https://127.0.0.1:${port}`,
        `http://127.0.0.1:${port + 1}`,
        "http://localhost",
        `http://localhost:${port}.evil.example`,
        "file://"
      ]) {
        expect(yield* statusOf(origin)).toEqual([origin, 403])
      }
      for (const origin of [`http://localhost:${port}`, `http://127.0.0.1:${port}`]) {
        expect(yield* statusOf(origin)).toEqual([origin, 200])
      }
    })
  )

  it.scoped("given names and origins are let in besides", () =>
    Effect.gen(function* () {
      const { port } = yield* serve(sessionsOf([]), {
        allowedHosts: ["box.example:8443"],
        allowedOrigins: ["https://app.example"]
      })
      const headers = { host: "box.example:8443", origin: "https://app.example" }
      expect((yield* ask(port, { body: initialize, headers })).status).toBe(200)
      const other = { ...headers, host: "box.example" }
      expect((yield* ask(port, { body: initialize, headers: other })).status).toBe(403)
    })
  )

  it.scoped("a body is not asked for before the head was looked at", () =>
    Effect.gen(function* () {
      const { port } = yield* serve(sessionsOf([]))
      const headers = { host: `evil.example:${port}`, expect: "100-continue", "content-length": "9" }
      expect((yield* ask(port, { headers })).status).toBe(403)
      const own = { expect: "100-continue", "content-length": String(initialize.length) }
      expect((yield* ask(port, { headers: own, body: initialize })).status).toBe(200)
    })
  )
})

describe("what else is refused by its head", () => {
  it.scoped("other paths are 404, other methods 405", () =>
    Effect.gen(function* () {
      const { port } = yield* serve(sessionsOf([]))
      for (const path of ["/", "/mcp/", "/mcp/x", "//mcp", "/MCP", "/.well-known/oauth-protected-resource"]) {
        expect([path, (yield* ask(port, { path, body: initialize })).status]).toEqual([path, 404])
      }
      for (const method of ["PUT", "PATCH", "OPTIONS", "HEAD"]) {
        const { headers, status } = yield* ask(port, { method })
        expect([method, status, headers.allow]).toEqual([method, 405, "GET, POST, DELETE"])
      }
      expect((yield* ask(port, { path: "/mcp?x=1", body: initialize })).status).toBe(200)
    })
  )

  it.scoped("what a client takes must be both, JSON and events: 406", () =>
    Effect.gen(function* () {
      const { port } = yield* serve(sessionsOf([]))
      const statusOf = (accept: string | undefined) =>
        Effect.map(ask(port, { body: initialize, headers: { accept } }), ({ status }) => [accept, status])
      for (const accept of [
        undefined,
        "",
        "text/html",
        "application/json",
        "text/event-stream;q=0, application/json"
      ]) {
        expect(yield* statusOf(accept)).toEqual([accept, 406])
      }
      for (const accept of ["*/*", "Application/JSON, text/*;q=0.5"]) {
        expect(yield* statusOf(accept)).toEqual([accept, 200])
      }
      const headers = { accept: "application/json", "mcp-session-id": yield* begun(port) }
      expect((yield* ask(port, { method: "GET", headers })).status).toBe(406)
    })
  )

  it.scoped("what a client sends must be JSON in UTF-8: 415", () =>
    Effect.gen(function* () {
      const { port } = yield* serve(sessionsOf([]))
      const statusOf = (headers: Readonly<Record<string, string | undefined>>) =>
        Effect.map(ask(port, { body: initialize, headers }), ({ status }) => status)
      // What a page may send without asking first.
      for (const type of [
        "text/plain",
        "application/x-www-form-urlencoded",
        "multipart/form-data",
        "",
        undefined
      ]) {
        expect(yield* statusOf({ "content-type": type })).toBe(415)
      }
      expect(yield* statusOf({ "content-type": "application/json; charset=latin1" })).toBe(415)
      expect(yield* statusOf({ "content-encoding": "gzip" })).toBe(415)
      expect(yield* statusOf({ "content-type": "Application/JSON; charset=UTF-8" })).toBe(200)
    })
  )

  it.scoped("an unknown revision is 400, and none is the one that was agreed on", () =>
    Effect.gen(function* () {
      const { port } = yield* serve(sessionsOf([]))
      const session = yield* begun(port)
      const statusOf = (revision: string | undefined) =>
        Effect.map(
          ask(port, { body: ping, headers: { "mcp-session-id": session, "mcp-protocol-version": revision } }),
          ({ status }) => status
        )
      expect(yield* statusOf("1999-01-01")).toBe(400)
      expect(yield* statusOf("2025-06-18")).toBe(200)
      expect(yield* statusOf("2025-11-25")).toBe(200)
      expect(yield* statusOf(undefined)).toBe(200)
    })
  )
})
