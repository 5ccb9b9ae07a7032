/** Threat: a header changes where a request goes, what it does, or where it ends. */
import type { IncomingHttpHeaders } from "node:http"
import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import * as NodeNetwork from "../../../src/layers/node/network/NodeNetwork.js"
import { bodyOf, bytes, ear, get, networkTo, reach, serve, text, toolOf } from "./fixture.js"

const listening = Effect.gen(function* () {
  const seen: Array<{
    readonly method: string | undefined
    readonly headers: IncomingHttpHeaders
    readonly body: string
  }> = []
  const served = yield* serve(async (request, response) => {
    seen.push({ method: request.method, headers: request.headers, body: await bodyOf(request) })
    response.setHeader("set-cookie", ["a=1", "b=2"])
    response.setHeader("x-twice", ["one", "two"])
    response.end("ok")
  })
  return { seen, served, net: yield* networkTo(served) }
})

describe("headers that are sent", () => {
  it.scoped("are those of the tool, and few others", () =>
    Effect.gen(function* () {
      const { net, seen, served } = yield* listening
      yield* get(net, served.url, { "X-Api-Key": "k", "x-latin": "caf\u00e9", "x-empty": "" })
      expect(seen[0]?.headers).toEqual({
        host: `127.0.0.1:${served.port}`,
        connection: "keep-alive",
        accept: "*/*",
        "accept-encoding": "gzip, deflate, br",
        "user-agent": "bailiwick",
        "x-api-key": "k",
        "x-latin": "caf\u00e9",
        "x-empty": ""
      })
    })
  )

  it.scoped.each([
    "Host",
    "content-length",
    "Connection",
    "keep-alive",
    "Proxy-Authorization",
    "proxy-connection",
    "TE",
    "Trailer",
    "Transfer-Encoding",
    "upgrade",
    "Expect",
    "HTTP2-Settings",
    "X-HTTP-Method-Override",
    "x-http-method",
    "X-Method-Override",
    "Method-Override",
    "x-original-method",
    "X-Original-URL",
    "X-Rewrite-Url",
    "content_length",
    "Transfer_Encoding",
    "proxy_authorization",
    "X_HTTP_Method-Override",
    "x_original_url",
    ":authority",
    ":path",
    "a b",
    "a\r\nb",
    "",
    "h\u00f6st"
  ])("N79/N83: %j is refused, and nothing is sent", (name) =>
    Effect.gen(function* () {
      const { net, seen, served } = yield* listening
      const error = yield* Effect.flip(get(net, served.url, { "x-fine": "1", [name]: "hunter2" }))
      expect(error.code).toBe("HEADER_REFUSED")
      expect(error.denial).toMatchObject({ code: "HEADER_REFUSED", capability: "network.get", tool: "t" })
      expect(JSON.stringify(error)).not.toContain("hunter2")
      expect(seen).toEqual([])
    })
  )

  it.scoped("N79: the operator hears of a header that is refused, by its name and not its value", () =>
    Effect.gen(function* () {
      const { served } = yield* listening
      const { heard, observe } = ear()
      const net = toolOf(yield* NodeNetwork.make(), { authority: reach(["127.0.0.1"]), observe })
      const error = yield* Effect.flip(
        get(net, `${served.url}/a?key=hunter2`, { "X-Rewrite_URL": "hunter2" })
      )
      expect(error.denial).toEqual({
        reason: "scope_violation",
        code: "HEADER_REFUSED",
        detail:
          "the header 'x-rewrite_url' would change the URL that was permitted; request that URL instead",
        tool: "t",
        capability: "network.get",
        asked: `GET ${served.url}/a`,
        held: [],
        remedy: "request that URL instead"
      })
      expect(heard).toEqual([error.denial])
    })
  )

  it.scoped("with a name that only looks like one of those are sent", () =>
    Effect.gen(function* () {
      const { net, seen, served } = yield* listening
      yield* get(net, served.url, { x_api_key: "k", "x-original-name": "n" })
      expect(seen[0]?.headers).toMatchObject({ x_api_key: "k", "x-original-name": "n" })
    })
  )

  it.scoped.each(["a\r\nx: y", "a\nb", "a\u0000b", "\u20ac", "\u007f"])(
    "a value such as %j is refused",
    (value) =>
      Effect.gen(function* () {
        const { net, seen, served } = yield* listening
        const error = yield* Effect.flip(get(net, served.url, { "x-a": value }))
        expect(error.message).toBe(
          "HEADER_REFUSED: the value of the header 'x-a' is not text that HTTP can carry; encode it"
        )
        expect(seen).toEqual([])
      })
  )

  it.scoped("in two spellings, and longer than the limit, are refused", () =>
    Effect.gen(function* () {
      const { net, seen, served } = yield* listening
      expect((yield* Effect.flip(get(net, served.url, { "x-a": "1", "X-A": "2" }))).message).toBe(
        "HEADER_REFUSED: the header 'x-a' is given twice; join its values"
      )
      const long = yield* Effect.flip(get(net, served.url, { "x-a": "a".repeat(16 * 1024) }))
      expect(long.code).toBe("HEADER_REFUSED")
      expect(seen).toEqual([])
    })
  )
})

describe("requests", () => {
  it.scoped("N78/N82: only known methods and schemes reach the server", () =>
    Effect.gen(function* () {
      const { net, seen, served } = yield* listening
      for (const method of ["TRACE", "CONNECT", "get\r\nX: y", ""]) {
        const error = yield* Effect.flip(net.request({ method, url: served.url, headers: {} }))
        expect(error.code).toBe("METHOD_NOT_ALLOWED")
      }
      for (const url of ["file:///etc/passwd", "ws://127.0.0.1/", "http://u:p@127.0.0.1/"]) {
        expect((yield* Effect.flip(get(net, url))).code).toBe("URL_INVALID")
      }
      expect(seen).toEqual([])
    })
  )

  it.scoped.each(["POST", "PUT", "PATCH", "DELETE"])("%s sends its body", (method) =>
    Effect.gen(function* () {
      const { net, seen, served } = yield* listening
      const all = bytes("..hello..")
      yield* net.request({ method, url: served.url, headers: {}, body: all.subarray(2, 7) })
      yield* net.request({ method, url: served.url, headers: {}, body: all.subarray(0, 0) })
      expect(seen.map(({ body }) => body)).toEqual(["hello", ""])
      expect(seen.map((each) => each.method)).toEqual([method, method])
    })
  )

  it.scoped(
    "GET and HEAD with a body are refused: servers that do not read it take it for the next request",
    () =>
      Effect.gen(function* () {
        const { net, seen, served } = yield* listening
        for (const method of ["GET", "HEAD"]) {
          const smuggled = bytes("DELETE /all HTTP/1.1\r\nhost: x\r\n\r\n")
          const error = yield* Effect.flip(
            net.request({ method, url: served.url, headers: {}, body: smuggled })
          )
          expect(error.message).toBe(
            `REQUEST_FAILED: a ${method} request has no body; use POST, or put it into the URL`
          )
        }
        expect(seen).toEqual([])
      })
  )
})

describe("headers that come back", () => {
  it.scoped("are a plain record, each name once", () =>
    Effect.gen(function* () {
      const { net, served } = yield* listening
      const answer = yield* get(net, served.url)
      expect(answer.headers["set-cookie"]).toBe("a=1, b=2")
      expect(answer.headers["x-twice"]).toBe("one, two")
      expect(text(answer.body)).toBe("ok")
    })
  )
})
