/**
 * The threat: a server that a sealed secret is for gives it away, or sends the request that carries it elsewhere. Over the
 * backend of Node, to servers on loopback.
 */
import type { IncomingMessage, ServerResponse } from "node:http"
import { createServer } from "node:https"
import type { AddressInfo } from "node:net"
import { gzipSync } from "node:zlib"
import { describe, expect, it } from "@effect/vitest"
import { Registry, Secrets, SecretsBackend, type Tool, Turn } from "bailiwick"
import { Context, Effect, Inspectable, Logger, LogLevel } from "effect"
import { has } from "../../scripts/lib/system.js"
import { NetworkBackend } from "../../src/capabilities/network/NetworkBackend.js"
import * as NodeNetwork from "../../src/layers/node/network/NodeNetwork.js"
import { bodyOf, names, recorder, serve } from "../layers/network/fixture.js"
import { certificate } from "../layers/sandbox/network/certificates.js"
import { policy, sender, VALUE } from "./rig.js"

interface Seen {
  readonly line: string
  readonly headers: IncomingMessage["headers"]
  readonly body: string
}

type Answer = (request: IncomingMessage, response: ServerResponse, base: string) => void

const world = (answer: Answer, options: NodeNetwork.Options = {}) =>
  Effect.gen(function* () {
    const seen: Array<Seen> = []
    const served = yield* serve(async (request, response) => {
      seen.push({
        line: `${request.method} ${request.url}`,
        headers: request.headers,
        body: await bodyOf(request)
      })
      answer(request, response, served.url)
    })
    const other = yield* serve((request, response) => {
      seen.push({ line: `other ${request.method} ${request.url}`, headers: request.headers, body: "" })
      response.end("elsewhere")
    })
    const backend = yield* NodeNetwork.make(options)
    const run = (tool: Tool.Any, args: object) => {
      const held = policy({
        network: { get: ["*"], post: ["*"] },
        private: { connect: [`127.0.0.1:${served.port}`, `127.0.0.1:${other.port}`, "named.test:80"] },
        secrets: { read: ["KEY"] }
      })
      const backends = Context.empty().pipe(
        Context.add(NetworkBackend, backend),
        Context.add(SecretsBackend, SecretsBackend.fromOperations(Secrets.memory({ KEY: VALUE })))
      )
      const turn = Turn.make({ session: "s1", workdir: "/work", policy: held })
      return Effect.map(
        Effect.provide(
          Registry.make(tool).execute(turn, [{ id: "1", name: tool.name, args }]) as Effect.Effect<
            ReadonlyArray<{
              readonly result: { readonly ok: boolean; readonly error?: string; readonly value?: unknown }
            }>
          >,
          backends
        ),
        ([first]) => ({ error: "", ...first?.result, transcript: JSON.stringify(turn.transcript.events) })
      )
    }
    return { run, seen, url: served.url, other: other.url, port: served.port }
  })

const local = (port: number, seen: Array<unknown> = [], places = ["header:authorization"]) =>
  sender([{ ref: "KEY", hosts: [`127.0.0.1:${port}`], in: places }], "sender", seen)

const bearer = { authorization: "Bearer @" }

describe("a server that a sealed secret is for", () => {
  it.scoped("gets it, and what it says of it comes back without it: plain, compressed, chunk by chunk", () =>
    Effect.gen(function* () {
      const { port, run, seen, url } = yield* world((request, response) => {
        const echo = JSON.stringify(request.headers)
        if (request.url === "/gzip") {
          response.setHeader("content-encoding", "gzip")
          response.end(gzipSync(echo))
        } else if (request.url === "/slow") {
          let at = 0
          const more = () => {
            if (at >= echo.length) return void response.end()
            response.write(echo.slice(at, ++at), () => setImmediate(more))
          }
          more()
        } else response.end(echo)
      })
      for (const path of ["/", "/gzip", "/slow"]) {
        for (const how of ["request", "open", "stream"]) {
          const told: Array<unknown> = []
          const { ok } = yield* run(local(port, told), { url: `${url}${path}`, headers: bearer, how })
          expect([path, how, ok]).toEqual([path, how, true])
          expect(JSON.stringify(told)).not.toContain(VALUE)
          expect(JSON.stringify(told)).toContain(`Bearer ${"*".repeat(VALUE.length)}`)
        }
      }
      expect(new Set(seen.map(({ headers }) => headers.authorization))).toEqual(new Set([`Bearer ${VALUE}`]))
    })
  )

  it.scoped("cannot hide it in compression upon compression, or in trailers", () =>
    Effect.gen(function* () {
      const { port, run, url } = yield* world((request, response) => {
        if (request.url === "/twice") {
          response.setHeader("content-encoding", "gzip, gzip")
          return void response.end(gzipSync(gzipSync(VALUE)))
        }
        response.writeHead(200, { trailer: "x-key" })
        response.write("body")
        response.addTrailers({ "x-key": VALUE })
        response.end()
      })
      for (const how of ["request", "open", "stream"]) {
        const told: Array<unknown> = []
        const { error } = yield* run(local(port, told), { url: `${url}/twice`, headers: bearer, how })
        expect(error).toMatch(/^REQUEST_FAILED: .*compressed/)
        yield* run(local(port, told), { url: `${url}/trailers`, headers: bearer, how })
        expect(JSON.stringify(told)).not.toContain(VALUE)
      }
    })
  )

  it.scoped("cannot hide it in what is compressed for the way, or in how it breaks off", () =>
    Effect.gen(function* () {
      const { port, run, url } = yield* world(({ socket, url: path = "" }) => {
        const body = gzipSync(VALUE)
        if (!path.startsWith("/packed")) return void socket.end(`${decodeURIComponent(path)} HTTP\r\n\r\n`)
        socket.write("HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip, chunked\r\nConnection: close\r\n\r\n")
        socket.write(`${body.length.toString(16)}\r\n`)
        socket.write(body)
        socket.end("\r\n0\r\n\r\n")
      })
      const said: Array<string> = []
      const heard = Logger.replace(
        Logger.defaultLogger,
        Logger.make((line) => void said.push(Inspectable.format(line)))
      )
      for (const how of ["request", "open", "stream"]) {
        for (const path of ["packed/@", "broken/@"]) {
          const told: Array<unknown> = []
          const { error, transcript } = yield* run(local(port, told, ["path"]), {
            url: `${url}/${path}`,
            how
          }).pipe(Effect.provide(heard), Logger.withMinimumLogLevel(LogLevel.All))
          expect(error).toMatch(/^REQUEST_FAILED/)
          for (const text of [error, transcript, JSON.stringify(told), said.join()]) {
            expect(text).not.toContain("s3cr3t")
          }
        }
      }
    })
  )

  it.scoped("may redirect at its origin, and nowhere else", () =>
    Effect.gen(function* () {
      const { other, port, run, seen, url } = yield* world((request, response, base) => {
        const to = new URL(request.url ?? "/", base).searchParams.get("to")
        if (to === null) return void response.end("here")
        response.writeHead(302, { location: to.replace("VALUE", encodeURIComponent(VALUE)) })
        response.end()
      })
      const at = (to: string) => ({ url: `${url}/?to=${encodeURIComponent(to)}`, headers: bearer })
      expect((yield* run(local(port), at("/end"))).ok).toBe(true)
      expect(seen.at(-1)).toMatchObject({ line: "GET /end", headers: { authorization: `Bearer ${VALUE}` } })
      for (const to of [
        `${other}/stolen?k=VALUE`,
        `//127.0.0.1:1/?k=VALUE`,
        "https://evil.example/?k=VALUE"
      ]) {
        const told: Array<unknown> = []
        const result = yield* run(local(port, told), at(to))
        expect(result.error).toMatch(/^REDIRECT_REFUSED: /)
        expect(JSON.stringify([told, result])).not.toContain("s3cr3t")
      }
      expect(seen.filter(({ line }) => line.startsWith("other"))).toEqual([])
      // It is the answer, where the tool follows none by itself.
      const told: Array<unknown> = []
      yield* run(local(port, told, ["header"]), {
        ...at(`${other}/?k=VALUE`),
        as: { as: "hmac", over: ["method", "target"] },
        headers: { "x-signature": "@" }
      })
      expect(JSON.stringify(told)).toContain("302")
      expect(JSON.stringify(told)).not.toContain("s3cr3t")
    })
  )

  it.scoped("may reflect what stood in the path: neither events nor errors show it", () =>
    Effect.gen(function* () {
      const { port, run, seen, url } = yield* world((_, response) => {
        response.destroy()
      })
      const result = yield* run(local(port, [], ["path", "query"]), {
        url: `${url}/bot@/send?k=@`,
        method: "POST"
      })
      expect(seen[0]?.line).toContain(encodeURIComponent(VALUE))
      expect(result.error).toMatch(/^REQUEST_FAILED/)
      expect(JSON.stringify(result)).not.toContain("s3cr3t")
    })
  )

  it.scoped("gets it once more over a connection that is kept, and nobody else does", () =>
    Effect.gen(function* () {
      const { port, run, seen, url } = yield* world((_, response) => response.end("ok"))
      yield* run(local(port), { url, headers: bearer })
      yield* run(local(port), { url, headers: { "x-none": "1" } })
      expect(seen.map(({ headers }) => headers.authorization)).toEqual([`Bearer ${VALUE}`, undefined])
    })
  )
})

describe("a private endpoint that the policy names", () => {
  it.scoped("gets it in the clear at a private address, and at a public one nobody does", () =>
    Effect.gen(function* () {
      const heard: Array<string | undefined> = []
      const { port } = yield* serve((request, response) => {
        heard.push(request.headers.authorization)
        response.end("ok")
      })
      const tool = sender([{ ref: "KEY", hosts: ["named.test"] }])
      const args = { url: "http://named.test/", headers: bearer }
      const { asked, connect } = recorder(port)
      for (const [address, ok] of [
        ["10.0.0.7", true],
        ["93.184.215.14", false]
      ] as const) {
        const { resolve } = names({ "named.test": address })
        const { run } = yield* world(() => {}, { connect, resolve })
        // Without a token the name may be at any address.
        expect((yield* run(tool, { url: args.url, headers: { "x-none": "1" } })).ok).toBe(true)
        const result = yield* run(tool, args)
        expect([address, result.ok]).toEqual([address, ok])
        if (!ok) expect(result.error).toMatch(/^SEAL_REFUSED: named.test is at a public address/)
      }
      expect(heard).toEqual([undefined, `Bearer ${VALUE}`, undefined])
      expect(asked.map(({ address }) => address)).toEqual(["10.0.0.7", "10.0.0.7", "93.184.215.14"])
    })
  )
})

describe.skipIf(!has("openssl"))("over TLS", () => {
  it.scoped("it goes to who has the certificate of the host, and in the clear to nobody", () =>
    Effect.gen(function* () {
      const heard: Array<string | undefined> = []
      const secure = yield* Effect.acquireRelease(
        Effect.async<ReturnType<typeof createServer>>((resume) => {
          const server = createServer(
            { key: certificate.key, cert: certificate.cert },
            (request, response) => {
              heard.push(request.headers.authorization)
              response.end(`hello ${request.headers.authorization}`)
            }
          )
          server.listen(0, "127.0.0.1", () => resume(Effect.succeed(server)))
        }),
        (server) =>
          Effect.async<void>((done) => {
            server.close(() => done(Effect.void))
            server.closeAllConnections()
          })
      )
      const { port } = secure.address() as AddressInfo
      const { asked, connect } = recorder(port)
      const { resolve } = names({ "a.test": "93.184.215.14", "nobody.test": "93.184.215.14" })
      const { run } = yield* world(() => {}, { connect, resolve, trusted: [certificate.authority] })
      const tool = sender([{ ref: "KEY", hosts: ["a.test", "nobody.test"] }])
      const { ok, value } = yield* run(tool, { url: "https://a.test/", headers: bearer })
      expect(ok).toBe(true)
      expect(JSON.stringify(value)).toContain(`hello Bearer ${"*".repeat(VALUE.length)}`)
      expect(heard).toEqual([`Bearer ${VALUE}`])
      const before = asked.length
      expect((yield* run(tool, { url: "http://a.test/", headers: bearer })).error).toMatch(/^SEAL_REFUSED/)
      expect(asked.length).toBe(before)
      expect((yield* run(tool, { url: "https://nobody.test/", headers: bearer })).ok).toBe(false)
      expect(heard).toHaveLength(1)
    })
  )
})
