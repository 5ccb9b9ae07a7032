/**
 * A child reaches hosts through its proxy alone. It may send what it likes there: whatever it sends goes where its tool
 * may go, or nowhere.
 */
import { describe, expect, it } from "@effect/vitest"
import { Effect, FastCheck as fc } from "effect"
import { codePoint } from "../../../codePoints.js"
import { times } from "../../../deep.js"
import { bodyOf, serve, serveTcp } from "../../network/fixture.js"
import { client, everything, held, PUBLIC, proxy, say, statusOf } from "./fixture.js"

const hosts = {
  "a.test": PUBLIC,
  "b.test": PUBLIC,
  "inside.test": "10.0.0.5",
  "meta.test": "169.254.169.254"
}

/** A server that says what it was asked. */
const echo = serve(async (request, response) => {
  const body = await bodyOf(request)
  response.setHeader("set-cookie", ["a=1", "b=2"])
  response.end(`${request.method} ${request.headers.host} ${request.url} [${body}]`)
})

const get = (target: string, ...headers: ReadonlyArray<string>) =>
  `GET ${target} HTTP/1.1\r\n${["Host: a.test", "Connection: close", ...headers].join("\r\n")}\r\n\r\n`

describe("A request to the proxy", () => {
  it.scoped("goes where its target leads, and is an event of the call", () =>
    Effect.gen(function* () {
      const { port } = yield* echo
      const {
        dialled,
        events,
        notes,
        port: at
      } = yield* proxy({ authority: held({ get: ["a.test"] }), port, hosts })
      const answer = yield* say(at, get("http://a.test/x?q=1"))
      expect(answer).toContain("GET a.test /x?q=1 []")
      expect(answer).toContain("set-cookie: a=1\r\nset-cookie: b=2")
      expect(events).toEqual(["allowed GET http://a.test/x"])
      expect(dialled).toEqual([{ host: "a.test", address: PUBLIC, family: 4, port: 80 }])
      expect(notes).toEqual([])
    })
  )

  it.scoped("is refused in words that name the grant, and nothing is looked up", () =>
    Effect.gen(function* () {
      const { dialled, events, notes, port, resolved } = yield* proxy({
        authority: held({ get: ["a.test"] }),
        hosts
      })
      const answer = yield* say(port, get("http://b.test/secret"))
      expect(statusOf(answer)).toBe("HTTP/1.1 403 Forbidden")
      expect(answer).toContain("content-type: text/plain")
      const said =
        "HOST_NOT_ALLOWED: b.test is not in the declared allowedHosts. To allow it: net.get{hosts=[b.test]}."
      expect(answer).toContain(said)
      expect(notes).toEqual([said])
      expect(events).toEqual(["refused GET http://b.test/secret"])
      expect([dialled, resolved]).toEqual([[], []])
    })
  )

  it.scoped("is not kept by a URL or a host as long as a child likes: neither is asked about", () =>
    Effect.gen(function* () {
      const { events, port } = yield* proxy({ authority: everything(["a.test"]), hosts })
      const long = "x".repeat(9000)
      expect(yield* say(port, get(`http://a.test/${long}`))).toContain("more than 8192 characters")
      expect(statusOf(yield* say(port, `CONNECT ${long}.test:443 HTTP/1.1\r\n\r\n`))).toBe(
        "HTTP/1.1 400 Bad Request"
      )
      // What is heard does not repeat it.
      expect(events).toEqual(["refused what cannot be asked for", "refused what cannot be asked for"])
    })
  )

  it.scoped("is asked with its method", () =>
    Effect.gen(function* () {
      const { port } = yield* echo
      const { events, port: at } = yield* proxy({ authority: held({ get: ["a.test"] }), port, hosts })
      const post = "POST http://a.test/ HTTP/1.1\r\nHost: a.test\r\nContent-Length: 2\r\n\r\nhi"
      expect(yield* say(at, post)).toContain("METHOD_NOT_ALLOWED: POST is not permitted for a.test")
      expect(yield* say(at, get("http://a.test/").replace("GET", "HEAD"))).toContain("200 OK")
      expect(yield* say(at, get("http://a.test/").replace("GET", "TRACE"))).toContain("400 Bad Request")
      expect(events).toEqual([
        "refused POST http://a.test/",
        "allowed HEAD http://a.test/",
        "refused what cannot be asked for"
      ])
    })
  )

  it.scoped("has the host of its target, whatever its Host header says [X07]", () =>
    Effect.gen(function* () {
      const { port } = yield* echo
      const { dialled, port: at } = yield* proxy({ authority: held({ get: ["a.test"] }), port, hosts })
      const answer = yield* say(
        at,
        "GET http://a.test/ HTTP/1.1\r\nHost: b.test\r\nConnection: close\r\n\r\n"
      )
      expect(answer).toContain("GET a.test / []")
      expect(dialled.map(({ host }) => host)).toEqual(["a.test"])
    })
  )

  it.scoped("is asked anew on a connection that is kept [X08]", () =>
    Effect.gen(function* () {
      const { connections, port } = yield* echo
      const {
        dialled,
        events,
        port: at
      } = yield* proxy({
        authority: held({ get: ["a.test", "b.test"] }),
        port,
        hosts: { ...hosts, "c.test": PUBLIC }
      })
      const kept = yield* client(at)
      for (const [host, path] of [
        ["a.test", "/1"],
        ["a.test", "/2"],
        ["b.test", "/3"]
      ]) {
        yield* kept.write(`GET http://${host}${path} HTTP/1.1\r\nHost: ${host}\r\n\r\n`)
        expect(yield* kept.until("[]")).toContain(`GET ${host} ${path} []`)
      }
      // The same connection serves what goes to the same place, and nothing else.
      expect(dialled.map(({ host }) => host)).toEqual(["a.test", "b.test"])
      expect(connections()).toBe(2)
      yield* kept.write("GET http://c.test/ HTTP/1.1\r\nHost: a.test\r\n\r\n")
      expect(yield* kept.closed).toContain("HOST_NOT_ALLOWED: c.test")
      expect(events.at(-1)).toBe("refused GET http://c.test/")
    })
  )

  it.scoped("is asked for itself when it is sent ahead of another's answer [X08]", () =>
    Effect.gen(function* () {
      const { port } = yield* echo
      const { events, port: at } = yield* proxy({ authority: held({ get: ["a.test"] }), port, hosts })
      const answer = yield* say(
        at,
        `GET http://a.test/1 HTTP/1.1\r\nHost: a.test\r\n\r\n${get("http://b.test/2")}`
      )
      expect(answer).toContain("GET a.test /1 []")
      expect(answer).toContain("HOST_NOT_ALLOWED: b.test")
      expect(events).toEqual(["allowed GET http://a.test/1", "refused GET http://b.test/2"])
    })
  )

  it.scoped("is refused when its length can be read in two ways [X09]", () =>
    Effect.gen(function* () {
      const { connections, port } = yield* echo
      const { port: at } = yield* proxy({ authority: everything(["a.test"]), port, hosts })
      const hidden = "GET http://b.test/hidden HTTP/1.1\r\nHost: b.test\r\n\r\n"
      for (const headers of [
        "Content-Length: 4\r\nTransfer-Encoding: chunked",
        "Transfer-Encoding: chunked\r\nContent-Length: 4",
        "Content-Length: 4\r\nContent-Length: 5",
        "Content-Length: +4",
        "Content-Length: 4, 4",
        "Transfer-Encoding: chunked, chunked",
        "Transfer-Encoding: gzip, chunked",
        "Transfer-Encoding: identity",
        "Transfer-Encoding: xchunked",
        "Transfer-Encoding : chunked",
        "Transfer-Encoding: chunked\r\nTransfer-Encoding: identity"
      ]) {
        const answer = yield* say(
          at,
          `POST http://a.test/ HTTP/1.1\r\nHost: a.test\r\n${headers}\r\n\r\n0\r\n\r\n${hidden}`
        )
        expect([headers, statusOf(answer)]).toEqual([headers, "HTTP/1.1 400 Bad Request"])
        expect(answer.match(/^HTTP\/1\.1 /gm)).toHaveLength(1)
      }
      const old = "POST http://a.test/ HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n"
      expect(statusOf(yield* say(at, old))).toBe("HTTP/1.1 400 Bad Request")
      expect(connections()).toBe(0)
    })
  )

  it.scoped("is framed anew, so that a body stays a body [X09]", () =>
    Effect.gen(function* () {
      const { port } = yield* echo
      const { port: at } = yield* proxy({ authority: everything(["a.test"]), port, hosts })
      const inner = "GET /smuggled HTTP/1.1\r\nHost: x\r\n\r\n"
      const head = "HTTP/1.1\r\nHost: a.test\r\nConnection: close\r\n"
      const chunk = `${inner.length.toString(16)}\r\n${inner}\r\n0\r\n\r\n`
      for (const method of ["GET", "POST", "DELETE"]) {
        const chunked = `${method} http://a.test/ ${head}Transfer-Encoding: chunked\r\n\r\n${chunk}`
        const counted = `${method} http://a.test/ ${head}Content-Length: ${inner.length}\r\n\r\n${inner}`
        for (const request of [chunked, counted]) {
          expect(yield* say(at, request)).toContain(`${method} a.test / [${inner}]`)
        }
      }
    })
  )

  it.scoped("with a header that would change its method or URL is refused", () =>
    Effect.gen(function* () {
      const { events, port } = yield* proxy({ authority: everything(["a.test"]), hosts })
      for (const header of [
        "X-HTTP-Method-Override: DELETE",
        "x_http_method: PUT",
        "X-Original-URL: /admin"
      ]) {
        expect(yield* say(port, get("http://a.test/", header))).toContain("HEADER_REFUSED")
      }
      expect(events.filter((event) => event.startsWith("refused"))).toHaveLength(3)
    })
  )

  it.scoped("leaves the headers of the connection behind", () =>
    Effect.gen(function* () {
      const { port } = yield* serve((request, response) => void response.end(request.rawHeaders.join("|")))
      const { port: at } = yield* proxy({ authority: held({ get: ["a.test"] }), port, hosts })
      const answer = yield* say(
        at,
        `GET http://a.test/ HTTP/1.1\r\nHost: a.test\r\nProxy-Authorization: Basic eA==\r\nProxy-Connection: x\r\nConnection: close, X-Hop\r\nX-Hop: 1\r\nTE: trailers\r\nX-Twice: 1\r\nX-Twice: 2\r\n\r\n`
      )
      expect(answer).toContain("Host|a.test|X-Twice|1|X-Twice|2|")
      expect(answer).not.toMatch(/proxy-|x-hop|\|te\||close\|/i)
    })
  )

  it.scoped("is no way to speak anything but HTTP [X11]", () =>
    Effect.gen(function* () {
      const { dialled, notes, port } = yield* proxy({ authority: everything(["*"]), hosts })
      for (const bytes of [
        Buffer.from([5, 1, 0]),
        Buffer.from([5, 1, 0, 5, 3, 0, 1, 0, 0, 0, 0, 0, 0]),
        Buffer.from([4, 1, 0, 80, 93, 184, 215, 14, 0]),
        "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
        "HELO a.test\r\n",
        "GET http://a.test/\r\n\r\n",
        Buffer.from([0x16, 3, 1, 0, 5, 1, 0, 0, 1, 0])
      ]) {
        expect(statusOf(yield* say(port, bytes))).toBe("HTTP/1.1 400 Bad Request")
      }
      const upgrade = get("http://a.test/", "Upgrade: websocket").replace(
        "Connection: close",
        "Connection: Upgrade"
      )
      expect(yield* say(port, upgrade)).toContain("403 Forbidden")
      expect(dialled).toEqual([])
      expect(notes.join()).toContain("nothing is upgraded")
    })
  )

  it.scoped("names a whole URL, of HTTP, without user info", () =>
    Effect.gen(function* () {
      const { dialled, port } = yield* proxy({ authority: everything(["*"]), hosts })
      for (const target of [
        "/",
        "//a.test/",
        "*",
        "https://a.test/",
        "HTTPS://a.test/",
        "ftp://a.test/",
        "file:///etc/passwd",
        "http://u:p@a.test/",
        "http://a.test@b.test/",
        "http://",
        "http://a.test:0x50/",
        "http://a.test:99999/"
      ]) {
        expect([target, statusOf(yield* say(port, get(target)))]).toEqual([
          target,
          "HTTP/1.1 400 Bad Request"
        ])
      }
      expect(dialled).toEqual([])
    })
  )
})

describe("The address of a host", () => {
  it.scoped("is vetted as that of a request of a tool, and is the one that is connected to", () =>
    Effect.gen(function* () {
      const { port } = yield* echo
      const {
        dialled,
        events,
        port: at,
        resolved
      } = yield* proxy({
        authority: everything(
          ["a.test", "inside.test", "meta.test", "mixed.test", "nowhere.test"],
          ["inside.test:8080"]
        ),
        port,
        hosts: { ...hosts, "mixed.test": [PUBLIC, "10.0.0.5"] }
      })
      expect(yield* say(at, get("http://inside.test:8080/"))).toContain("GET inside.test:8080 /")
      expect(dialled).toEqual([{ host: "inside.test", address: "10.0.0.5", family: 4, port: 8080 }])
      for (const [target, said] of [
        ["http://inside.test/", "ADDRESS_NOT_ALLOWED: inside.test:80 is at a private address"],
        ["http://mixed.test/", "ADDRESS_NOT_ALLOWED: mixed.test:80 is at a private address"],
        ["http://meta.test/", "ADDRESS_NOT_ALLOWED: meta.test is at an address that is always refused"],
        ["http://a.test:25/", "ADDRESS_NOT_ALLOWED: a.test:25 is on a port that no HTTP server has"],
        ["http://nowhere.test/", "REQUEST_FAILED: nowhere.test could not be resolved"]
      ] as const) {
        expect(yield* say(at, get(target))).toContain(said)
      }
      expect(dialled).toHaveLength(1)
      expect(resolved).toHaveLength(5)
      expect(events.filter((event) => event.startsWith("refused"))).toEqual([
        "refused connect inside.test:80",
        "refused connect mixed.test:80",
        "refused connect meta.test:80",
        "refused connect a.test:25"
      ])
    })
  )

  it.scoped("is looked up once for each connection, which serves what goes to the same place", () =>
    Effect.gen(function* () {
      const { connections, port } = yield* echo
      const {
        dialled,
        port: at,
        resolved
      } = yield* proxy({ authority: held({ get: ["a.test", "b.test"] }), port, hosts })
      for (const target of [
        "http://a.test/",
        "http://a.test/2",
        "http://b.test/",
        "http://a.test:8080/",
        "http://a.test/3"
      ]) {
        expect(yield* say(at, get(target))).toContain("200 OK")
      }
      expect(resolved).toEqual(["a.test", "b.test", "a.test"])
      expect(dialled.map(({ host, port }) => `${host}:${port}`)).toEqual([
        "a.test:80",
        "b.test:80",
        "a.test:8080"
      ])
      expect(connections()).toBe(3)
    })
  )

  it.scoped("is one that the policy names, in every spelling [X04]", () =>
    Effect.gen(function* () {
      const { port } = yield* echo
      const { dialled, port: at } = yield* proxy({ authority: everything(["*"]), port, hosts })
      for (const host of [
        "2130706433",
        "0x7f000001",
        "0177.0.0.1",
        "127.1",
        "127.0.0.1",
        "[::1]",
        "[::ffff:7f00:1]",
        PUBLIC
      ]) {
        const answer = yield* say(at, get(`http://${host}/`))
        expect([host, statusOf(answer)]).toEqual([host, "HTTP/1.1 403 Forbidden"])
        expect(answer).toContain("is an address, which the policy does not name")
      }
      expect(dialled).toEqual([])
      const named = yield* proxy({
        authority: everything([PUBLIC, "127.0.0.1"], ["127.0.0.1:8080"]),
        port,
        hosts
      })
      expect(yield* say(named.port, get(`http://${PUBLIC}/`))).toContain(`GET ${PUBLIC} /`)
      expect(yield* say(named.port, get("http://0x7f000001:8080/"))).toContain("GET 127.0.0.1:8080 /")
      expect(yield* say(named.port, get("http://127.0.0.1:8081/"))).toContain("ADDRESS_NOT_ALLOWED")
      expect(named.dialled.map(({ address }) => address)).toEqual([PUBLIC, "127.0.0.1"])
    })
  )
})

describe("What a server answers", () => {
  it.scoped("is passed on, redirects too, which are the child's own next request", () =>
    Effect.gen(function* () {
      const { port } = yield* serve(
        (_, response) => void response.writeHead(302, { location: "http://b.test/" }).end()
      )
      const { events, port: at } = yield* proxy({ authority: held({ get: ["a.test"] }), port, hosts })
      const answer = yield* say(at, get("http://a.test/"))
      expect(answer).toContain("302 Found")
      expect(answer).toContain("location: http://b.test/")
      expect(events).toEqual(["allowed GET http://a.test/"])
    })
  )

  it.scoped("is cut off for the child where it is cut off", () =>
    Effect.gen(function* () {
      const port = yield* serveTcp((socket) =>
        socket.end("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhalf")
      )
      const { port: at } = yield* proxy({ authority: held({ get: ["a.test"] }), port, hosts })
      expect(yield* say(at, get("http://a.test/"))).toMatch(/half$/)
    })
  )

  it.scoped("is an answer of HTTP that can be read in one way, or none", () =>
    Effect.gen(function* () {
      for (const text of [
        "SSH-2.0-server\r\n",
        "HTTP/1.1 200 OK\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
        "HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\n"
      ]) {
        const port = yield* serveTcp((socket) => socket.end(text))
        const { port: at } = yield* proxy({ authority: held({ get: ["a.test"] }), port, hosts })
        expect(statusOf(yield* say(at, get("http://a.test/")))).toBe("HTTP/1.1 502 Bad Gateway")
      }
    })
  )

  it.scoped("is asked for again when a kept connection was closed meanwhile", () =>
    Effect.gen(function* () {
      let served = 0
      const port = yield* serveTcp((socket) => {
        const answer = `HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\n${++served}`
        socket.once("data", () => socket.write(answer))
        // The second request of a connection is never answered.
        socket.once("data", () => socket.once("data", () => socket.destroy()))
      })
      const { dialled, port: at } = yield* proxy({ authority: held({ get: ["a.test"] }), port, hosts })
      const kept = yield* client(at)
      const request = "GET http://a.test/ HTTP/1.1\r\nHost: a.test\r\n\r\n"
      yield* kept.write(request)
      expect(yield* kept.until("1")).toMatch(/\r\n\r\n1$/)
      yield* kept.write(request)
      expect(yield* kept.until("2")).toMatch(/\r\n\r\n2$/)
      expect(dialled).toHaveLength(2)
    })
  )
})

describe("Whatever a child sends", () => {
  it.effect("leads nowhere but where its tool may go", () =>
    Effect.promise(() =>
      fc.assert(
        fc.asyncProperty(
          fc.oneof(
            fc.string({ unit: codePoint, maxLength: 60 }),
            fc
              .tuple(
                fc.constantFrom("GET", "POST", "CONNECT", "OPTIONS", "get"),
                fc.oneof(
                  fc.webUrl(),
                  fc.constantFrom(
                    "http://a.test@b.test/",
                    "b.test:443",
                    "http:b.test",
                    "http:\\\\b.test\\",
                    "//b.test"
                  ),
                  fc.string({ maxLength: 30 })
                ),
                fc.constantFrom("HTTP/1.1", "HTTP/1.0", "HTTP/2.0")
              )
              .map(([method, target, version]) => `${method} ${target} ${version}\r\nHost: a.test\r\n\r\n`)
          ),
          (text) =>
            Effect.runPromise(
              Effect.scoped(
                Effect.gen(function* () {
                  const { dialled, port, resolved } = yield* proxy({
                    authority: everything(["a.test"]),
                    hosts
                  })
                  const one = yield* client(port)
                  yield* one.write(text)
                  one.socket.end()
                  yield* one.closed
                  for (const { host } of dialled) expect(host).toBe("a.test")
                  for (const host of resolved) expect(host).toBe("a.test")
                })
              )
            )
        ),
        { numRuns: times(150) }
      )
    )
  )
})
