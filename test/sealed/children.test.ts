/**
 * The threat: a command that a tool runs holds the token of a sealed secret. It speaks to the proxy as it likes, and reads what
 * comes back.
 */
import type { IncomingMessage, ServerResponse } from "node:http"
import { createServer } from "node:https"
import type { AddressInfo } from "node:net"
import { gzipSync } from "node:zlib"
import { describe, expect, it } from "@effect/vitest"
import { Secrets, SecretsBackend } from "bailiwick"
import { Deferred, Effect, Fiber, Schema } from "effect"
import { has } from "../../scripts/lib/system.js"
import { Sealing } from "../../src/capabilities/secrets/Sealing.js"
import type { Holder } from "../../src/policy/gate/Asking.js"
import * as Authority from "../../src/policy/lattice/Authority.js"
import { Scrubber } from "../../src/registry/scrub/Scrubber.js"
import { bodyOf, serve } from "../layers/network/fixture.js"
import { certificate } from "../layers/sandbox/network/certificates.js"
import { PUBLIC, proxy, say, statusOf } from "../layers/sandbox/network/fixture.js"
import { VALUE } from "./rig.js"

interface Seen {
  readonly line: string
  readonly headers: IncomingMessage["headers"]
  readonly body: string
}

const secure = (answer: (request: IncomingMessage, response: ServerResponse) => void) =>
  Effect.gen(function* () {
    const seen: Array<Seen> = []
    const server = yield* Effect.acquireRelease(
      Effect.async<ReturnType<typeof createServer>>((resume) => {
        const made = createServer(
          { key: certificate.key, cert: certificate.cert },
          async (request, response) => {
            seen.push({
              line: `${request.method} ${request.url}`,
              headers: request.headers,
              body: await bodyOf(request)
            })
            answer(request, response)
          }
        )
        made.listen(0, "127.0.0.1", () => resume(Effect.succeed(made)))
      }),
      (made) =>
        Effect.async<void>((done) => {
          made.close(() => done(Effect.void))
          made.closeAllConnections()
        })
    )
    return { seen, port: (server.address() as AddressInfo).port }
  })

const HOSTS = { "a.test": PUBLIC, "b.test": PUBLIC }

const authority = (extra: Authority.Encoded = {}) =>
  Schema.decodeSync(Authority.FromJson)({
    network: { get: ["a.test", "b.test", "127.0.0.1"], post: ["a.test", "b.test"] },
    process: { exec: [{ argv: "*", in: "/" }] },
    files: { read: ["/"] },
    secrets: { seal: [{ ref: "KEY", to: "*", in: "*" }] },
    ...extra
  })

/** The proxy of a command whose tool took a token, and the token. */
const world = (
  port: number,
  { hosts = ["a.test"], places = ["header:authorization"], held = authority() } = {}
) =>
  Effect.gen(function* () {
    const scrubber = new Scrubber()
    let made: Sealing | undefined
    const sealing = (holder: Holder) => {
      made = new Sealing({
        holder,
        declared: [{ ref: "KEY", hosts, in: places }],
        backend: SecretsBackend.fromOperations(Secrets.memory({ KEY: VALUE })),
        revealed: (value) => scrubber.add(value),
        scrubbing: (further) => scrubber.with(further)
      })
      return made
    }
    const at = yield* proxy({
      authority: held,
      port,
      hosts: HOSTS,
      sealing,
      trusted: [certificate.authority]
    })
    const take = (form?: Secrets.Form) => (made as Sealing).token("KEY", form)
    return { ...at, take, token: yield* take() }
  })

const http = (line: string, headers: ReadonlyArray<string> = [], body?: string) =>
  [
    `${line} HTTP/1.1`,
    "Host: a.test",
    "Connection: close",
    ...headers,
    ...(body === undefined ? [] : [`Content-Length: ${Buffer.byteLength(body)}`]),
    "",
    body ?? ""
  ].join("\r\n")

const echo = (request: IncomingMessage, response: ServerResponse) =>
  void response.end(JSON.stringify(request.headers))

describe.skipIf(!has("openssl"))("a request of a command that carries a sealed secret", () => {
  it.scoped("comes in the open, and goes on over https with the value in place", () =>
    Effect.gen(function* () {
      const { port, seen } = yield* secure(echo)
      const { dialled, events, port: at, token } = yield* world(port)
      const answer = yield* say(
        at,
        http("GET http://a.test/x?q=1", [`Authorization: Bearer ${token}`, "Accept-Encoding: gzip"])
      )
      expect(statusOf(answer)).toBe("HTTP/1.1 200 OK")
      expect(seen).toMatchObject([
        {
          line: "GET /x?q=1",
          headers: { authorization: `Bearer ${VALUE}`, host: "a.test", "accept-encoding": "identity" }
        }
      ])
      expect(dialled).toMatchObject([{ host: "a.test", port: 443 }])
      expect(answer).not.toContain(VALUE)
      expect(answer).toContain(`Bearer ${"*".repeat(VALUE.length)}`)
      expect(events).toEqual([
        "allowed GET https://a.test/x",
        "allowed seal KEY to a.test:443 in header:authorization"
      ])
    })
  )

  it.scoped("is refused for another host, another place, a Range, and what is no token", () =>
    Effect.gen(function* () {
      const { port, seen } = yield* secure(echo)
      const { dialled, port: at, token } = yield* world(port)
      const bearer = `Authorization: Bearer ${token}`
      for (const request of [
        http("GET http://b.test/", [bearer]),
        http("GET http://a.test/", [`X-Other: ${token}`]),
        http("GET http://a.test/", [`X-${token}: 1`]),
        http(`GET http://a.test/?k=${token}`),
        http(`GET http://a.test/${token}`),
        http("GET http://a.test/", [bearer, "Range: bytes=0-1"]),
        http("GET http://a.test/", [bearer, `Authorization: ${token}`]),
        http("GET http://a.test/", [`Authorization: Bearer bw_sealed_${"0".repeat(40)}`]),
        http("GET http://a.test/", ["Authorization: Bearer bw_sealed_"]),
        http("POST http://a.test/", [bearer], `k=${token}`)
      ]) {
        const answer = yield* say(at, request)
        expect([request, statusOf(answer)]).toEqual([request, "HTTP/1.1 403 Forbidden"])
        expect(answer).toContain("SEAL_REFUSED: ")
        expect(answer).not.toContain(VALUE)
      }
      expect(seen).toEqual([])
      expect(dialled).toEqual([])
    })
  )

  it.scoped("may carry it in the body where that is named, and sign what it sends", () =>
    Effect.gen(function* () {
      const { port, seen } = yield* secure(echo)
      const { port: at, take, token } = yield* world(port, { places: ["body", "header"] })
      const json = ["Content-Type: application/json"]
      yield* say(at, http("POST http://a.test/b", json, JSON.stringify({ key: token })))
      expect(seen[0]?.body).toBe(JSON.stringify({ key: VALUE }))
      expect(seen[0]?.headers["content-length"]).toBe(String(JSON.stringify({ key: VALUE }).length))
      const { createHmac } = yield* Effect.promise(() => import("node:crypto"))
      const signature = yield* take({ as: "hmac", over: ["method", "path", "body"] })
      yield* say(at, http("POST http://a.test/signed", [`X-Signature: ${signature}`], "payload"))
      expect(seen[1]?.headers["x-signature"]).toBe(
        createHmac("sha256", VALUE).update("POST/signedpayload").digest("hex")
      )
    })
  )

  it.scoped("is answered without it: in headers, in where it redirects to, split, and not compressed", () =>
    Effect.gen(function* () {
      const { port } = yield* secure((request, response) => {
        if (request.url === "/zip")
          return void response.writeHead(200, { "content-encoding": "gzip" }).end("x")
        if (request.url === "/split") {
          const text = `<${VALUE}>`
          let at = 0
          const more = () => {
            if (at >= text.length) return void response.end()
            response.write(text.slice(at, ++at), () => setImmediate(more))
          }
          return void more()
        }
        response.writeHead(302, {
          location: request.url === "/away" ? `https://b.test/?k=${VALUE}` : `https://a.test/next?k=${VALUE}`,
          [`x-${VALUE.replaceAll(/[^a-z0-9]/gi, "")}`]: "1",
          etag: VALUE
        })
        response.end()
      })
      const { port: at, token } = yield* world(port)
      const get = (path: string) =>
        say(at, http(`GET http://a.test${path}`, [`Authorization: Bearer ${token}`]))
      const redirect = yield* get("/here")
      expect(redirect).toMatch(/location: http:\/\/a\.test\/next\?k=\[redacted\]\r\n/i)
      expect(redirect).not.toContain(VALUE)
      expect(yield* get("/away")).toMatch(/location: https:\/\/b\.test\/\?k=\[redacted\]\r\n/i)
      expect(statusOf(yield* get("/zip"))).toBe("HTTP/1.1 502 Bad Gateway")
      const split = yield* get("/split")
      expect(split.replaceAll(/[^*<>]/g, "")).toContain(`<${"*".repeat(VALUE.length)}>`)
      expect(split).not.toContain("s3cr3t")
    })
  )

  it.scoped("goes in the clear to a private endpoint that the policy names", () =>
    Effect.gen(function* () {
      const heard: Array<string | undefined> = []
      const { port } = yield* serve((request, response) => {
        heard.push(request.headers.authorization)
        response.end("ok")
      })
      const held = authority({ private: { connect: [`127.0.0.1:${port}`] } })
      const { port: at, token } = yield* world(port, { hosts: ["127.0.0.1"], held })
      yield* say(at, http(`GET http://127.0.0.1:${port}/`, [`Authorization: ${token}`]))
      expect(heard).toEqual([VALUE])
    })
  )

  it.scoped("without a token is a request like any other, and one in its body is told", () =>
    Effect.gen(function* () {
      const heard: Array<string> = []
      const { port } = yield* serve(async (request, response) => {
        heard.push(`${request.method} ${await bodyOf(request)}`)
        response.end("ok")
      })
      const { dialled, port: at, token } = yield* world(port)
      yield* say(at, http("POST http://a.test/", [], "no token"))
      expect(heard).toEqual(["POST no token"])
      expect(dialled).toMatchObject([{ port: 80 }])
      const answer = yield* say(at, http("POST http://b.test/", [], `k=${token}`))
      expect(answer).toContain("SEAL_REFUSED: a sealed secret may not stand in the body")
      expect(heard).toEqual(["POST no token"])
    })
  )

  it.scoped("holds one token in no header of the connection, and in no host", () =>
    Effect.gen(function* () {
      const { port, seen } = yield* secure(echo)
      const { port: at, token } = yield* world(port, { places: ["header"] })
      const get = (...headers: ReadonlyArray<string>) => say(at, http("GET http://a.test/", headers))
      for (const name of ["Te", "Keep-Alive", "Proxy-Connection", "Http2-Settings"])
        yield* get(`${name}: ${token}`)
      yield* say(
        at,
        ["GET http://a.test/ HTTP/1.1", `Host: ${token}`, "Connection: close", "", ""].join("\r\n")
      )
      yield* say(
        at,
        ["GET http://a.test/ HTTP/1.1", "Host: a.test", `Connection: close, ${token}`, "", ""].join("\r\n")
      )
      yield* get("Connection: x-key", `X-Key: ${token}`)
      yield* get(`X-Key: ${token}`, `x-key: 1`)
      yield* get(`X-Key: a`, ` ${token}`)
      yield* say(at, http(`GET http://${token}@a.test/`))
      yield* say(at, http(`GET http://a.test/#${token}`))
      yield* say(at, http(`GET http://${token}.a.test/`))
      expect(JSON.stringify(seen)).not.toContain(VALUE)
      expect(JSON.stringify(seen)).not.toContain(token)
    })
  )

  it.scoped(
    "is answered by nothing that is packed for the way, announced early, or said beside the body",
    () =>
      Effect.gen(function* () {
        const { port } = yield* secure((request, response) => {
          const socket = request.socket
          const body = gzipSync(VALUE)
          if (request.url === "/packed") {
            socket.write("HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip, chunked\r\nConnection: close\r\n\r\n")
            socket.write(`${body.length.toString(16)}\r\n`)
            socket.write(body)
            socket.end("\r\n0\r\n\r\n")
          } else if (request.url === "/early") {
            socket.write(`HTTP/1.1 103 ${VALUE}\r\nLink: <${VALUE}>\r\n\r\n`)
            socket.end(`HTTP/1.1 200 ${VALUE}\r\nContent-Length: 2\r\nConnection: close\r\n\r\nok`)
          } else if (request.url === "/trailer") {
            response.setHeader("trailer", "x-key")
            response.write("ok")
            response.addTrailers({ "x-key": VALUE })
            response.end()
          } else socket.end(`HTTP/1.1 101 Switching\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\n${VALUE}`)
        })
        const { port: at, token } = yield* world(port)
        const get = (path: string) =>
          say(at, http(`GET http://a.test${path}`, [`Authorization: Bearer ${token}`]))
        expect(statusOf(yield* get("/packed"))).toBe("HTTP/1.1 502 Bad Gateway")
        for (const path of ["/early", "/trailer", "/switch"]) {
          const answer = yield* get(path)
          expect(answer).toMatch(/^HTTP\/1\.1 (?:200|502)/)
          expect(answer).not.toContain(VALUE)
        }
      })
  )

  it.scoped("is in no later answer to a request in the open, nor in one that was begun before", () =>
    Effect.gen(function* () {
      let kept = ""
      let late: ServerResponse | undefined
      const isBegun = yield* Deferred.make<void>()
      const { port } = yield* serve((request, response) => {
        kept = request.headers.authorization ?? kept
        response.setHeader("x-kept", kept)
        if (request.url === "/late") late = response
        else if (request.url === "/") late?.end(`late ${kept}`)
        if (request.url !== "/late") response.end(`kept ${kept}`)
        else response.write("begun ", () => Deferred.unsafeDone(isBegun, Effect.void))
      })
      const held = authority({ private: { connect: [`127.0.0.1:${port}`] } })
      const { port: at, token } = yield* world(port, { hosts: ["127.0.0.1"], held })
      const begun = yield* Effect.fork(say(at, http(`GET http://127.0.0.1:${port}/late`)))
      yield* Deferred.await(isBegun)
      yield* say(at, http(`GET http://127.0.0.1:${port}/`, [`Authorization: ${token}`]))
      expect(kept).toBe(VALUE)
      for (const answer of [
        yield* say(at, http(`GET http://127.0.0.1:${port}/again`)),
        yield* Fiber.join(begun)
      ]) {
        expect(answer).toContain("*".repeat(VALUE.length))
        expect(answer).not.toContain(VALUE)
      }
    })
  )

  it.scoped("is not found in a later answer by asking for parts of it, or for it compressed", () =>
    Effect.gen(function* () {
      const heard: Array<IncomingMessage["headers"]> = []
      let kept = `from an earlier run: ${VALUE}`
      const { port } = yield* serve((request, response) => {
        heard.push(request.headers)
        kept = request.headers.authorization ?? kept
        const isPacked = request.url === "/always" || request.headers["accept-encoding"] === "gzip"
        if (isPacked) response.setHeader("content-encoding", "gzip")
        response.end(isPacked ? gzipSync(kept) : kept)
      })
      const held = authority({ private: { connect: [`127.0.0.1:${port}`] } })
      const { port: at, token } = yield* world(port, { hosts: ["127.0.0.1"], held })
      const get = (path: string, ...headers: ReadonlyArray<string>) =>
        say(at, http(`GET http://127.0.0.1:${port}${path}`, headers))
      expect(yield* get("/", "Accept-Encoding: gzip")).toContain(
        `from an earlier run: ${"*".repeat(VALUE.length)}`
      )
      yield* get("/", `Authorization: ${token}`)
      expect(kept).toBe(VALUE)
      const known = heard.length
      for (const range of ["Range: bytes=0-3", "rAnGe: bytes=0-3", `If-Range: "x"\r\nRange: bytes=4-`]) {
        expect(yield* get("/", range)).toContain("SEAL_REFUSED: a tool sends no Range")
      }
      expect(heard).toHaveLength(known)
      expect(yield* get("/", "Accept-Encoding: gzip")).toContain("*".repeat(VALUE.length))
      expect(heard.at(-1)?.["accept-encoding"]).toBe("identity")
      expect(statusOf(yield* get("/always"))).toBe("HTTP/1.1 502 Bad Gateway")
    })
  )
})
