/**
 * A tunnel hides what is said in it. So it needs all that its host permits, and it leads to the one name that was asked
 * for, or nowhere.
 */
import { connect as connectTls } from "node:tls"
import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { serve, serveTcp } from "../../network/fixture.js"
import { certificate, secureEcho } from "./certificates.js"
import { client, everything, held, PUBLIC, proxy, say, statusOf } from "./fixture.js"
import { ech, grease, hello, name, records } from "./hellos.js"

const hosts = { "a.test": PUBLIC, "b.test": PUBLIC, "inside.test": "10.0.0.5" }

const connect = (target: string) => `CONNECT ${target} HTTP/1.1\r\nHost: ${target}\r\n\r\n`

const ESTABLISHED = "HTTP/1.1 200 Connection Established\r\n\r\n"

const FOUR = (host: string) =>
  ["get", "post", "put"]
    .map((verb) => `net.${verb}{hosts=[${host}]}`)
    .join(", ")
    .concat(` and net.delete{hosts=[${host}]}`)

/** Alert, fatal, access_denied. */
const DENIED = Buffer.from([0x15, 3, 3, 0, 2, 2, 49]).toString("latin1")

/** What comes back over a tunnel when this is said in it. */
const inside = (port: number, target: string, ...bytes: ReadonlyArray<Uint8Array | string>) =>
  Effect.scoped(
    Effect.gen(function* () {
      const one = yield* client(port)
      yield* one.write(connect(target))
      expect(yield* one.until("\r\n\r\n")).toBe(ESTABLISHED)
      for (const part of bytes) yield* one.write(part)
      return yield* one.closed
    })
  )

/** A GET over TLS through a tunnel. */
const secured = (port: number, target: string, servername: string) =>
  Effect.scoped(
    Effect.gen(function* () {
      const one = yield* client(port)
      yield* one.write(connect(target))
      expect(yield* one.until("\r\n\r\n")).toBe(ESTABLISHED)
      return yield* Effect.async<string>((resume) => {
        let heard = ""
        const socket = connectTls(
          {
            socket: one.socket,
            host: "127.0.0.1",
            ...(servername === "" ? {} : { servername }),
            ca: [certificate.authority]
          },
          () => socket.write("GET /x HTTP/1.1\r\nHost: a.test\r\nConnection: close\r\n\r\n")
        )
        socket.on("data", (chunk) => {
          heard += chunk
        })
        socket.once("error", (error: Error & { code?: string }) => resume(Effect.succeed(error.code ?? "")))
        socket.once("close", () => resume(Effect.succeed(heard)))
      })
    })
  )

describe("A tunnel", () => {
  it.scoped("leads to the name that it was asked for, and is an event for each verb", () =>
    Effect.gen(function* () {
      const { port } = yield* secureEcho
      const {
        dialled,
        events,
        notes,
        port: at
      } = yield* proxy({ authority: everything(["a.test"]), port, hosts })
      expect(yield* secured(at, "A.test.:443", "a.test")).toContain("GET a.test /x")
      expect(events).toEqual(
        ["GET", "POST", "PUT", "DELETE"].map((verb) => `allowed ${verb} https://a.test/`)
      )
      expect(dialled).toEqual([{ host: "a.test", address: PUBLIC, family: 4, port: 443 }])
      expect(notes).toEqual([])
    })
  )

  it.scoped("needs all four verbs, and is refused in words that name the grants", () =>
    Effect.gen(function* () {
      const { dialled, events, notes, port, resolved } = yield* proxy({
        authority: held({ get: ["a.test"], post: ["a.test"] }),
        hosts
      })
      const answer = yield* say(port, connect("a.test:443"))
      expect(statusOf(answer)).toBe("HTTP/1.1 403 Forbidden")
      expect(answer).toContain("METHOD_NOT_ALLOWED: PUT is not permitted for a.test")
      expect(answer).toContain(`a tunnel hides its method, so it needs all of ${FOUR("a.test")}.`)
      expect(notes.join()).toContain(FOUR("a.test"))
      expect(events).toEqual([
        "allowed GET https://a.test/",
        "allowed POST https://a.test/",
        "refused PUT https://a.test/",
        "refused DELETE https://a.test/"
      ])
      expect(yield* say(port, connect("b.test:8443"))).toContain(FOUR("b.test"))
      expect([dialled, resolved]).toEqual([[], []])
    })
  )

  it.scoped("is refused when its hello asks for another name, for none, or in secret [X05]", () =>
    Effect.gen(function* () {
      const { connections, port } = yield* secureEcho
      const {
        dialled,
        events,
        notes,
        port: at
      } = yield* proxy({ authority: everything(["a.test"]), port, hosts })
      for (const message of [
        hello([name("b.test")]),
        hello([name("x.a.test")]),
        hello([name("a.test.b.test")]),
        hello([grease]),
        hello(undefined),
        hello([name("a.test"), ech]),
        hello([name("a.test"), name("b.test")])
      ]) {
        expect(yield* inside(at, "a.test:443", records(message))).toBe(DENIED)
      }
      expect(yield* secured(at, "a.test:443", "b.test")).toBe("ERR_SSL_TLSV1_ALERT_ACCESS_DENIED")
      expect([dialled, connections()]).toEqual([[], 0])
      // Two of them say the same, and two ask for the same.
      expect(events.filter((event) => event.startsWith("refused"))).toEqual(
        Array.from({ length: 6 }, () => "refused connect a.test:443")
      )
      expect(notes.join("\n")).toContain("its TLS hello asks for b.test")
      expect(notes.join("\n")).toContain("no name at all")
      expect(notes.join("\n")).toContain("ECH")
    })
  )

  it.scoped("is read to the end of a hello that comes in pieces", () =>
    Effect.gen(function* () {
      const heard: Array<Buffer> = []
      const port = yield* serveTcp((socket) => {
        socket.on("data", (chunk) => heard.push(chunk)).on("end", () => socket.end("bye"))
      })
      const { port: at } = yield* proxy({ authority: everything(["a.test"]), port, hosts })
      const one = yield* client(at)
      const whole = records(hello([grease, name("a.test")]), 30)
      yield* one.write(connect("a.test:443"))
      yield* one.until("\r\n\r\n")
      for (const byte of whole) yield* one.write(Buffer.from([byte]))
      one.socket.end("more")
      expect(yield* one.closed).toBe("bye")
      expect(Buffer.concat(heard)).toEqual(Buffer.concat([whole, Buffer.from("more")]))
    })
  )

  it.scoped("carries nothing but TLS and HTTP [X11]", () =>
    Effect.gen(function* () {
      const { dialled, notes, port } = yield* proxy({ authority: everything(["*"]), hosts })
      for (const bytes of [Buffer.from([5, 1, 0]), "\u0000\u0000", "{}", " GET / HTTP/1.1\r\n\r\n"]) {
        expect(yield* inside(port, "a.test:443", bytes)).toBe("")
      }
      expect(dialled).toEqual([])
      expect(notes.join()).toContain("neither HTTP nor TLS")
    })
  )

  it.scoped("that says nothing is closed", () =>
    Effect.gen(function* () {
      const { notes, port } = yield* proxy({ authority: everything(["a.test"]), hosts, hello: 1 })
      // A busy machine may take longer than that even to answer.
      expect(["", ESTABLISHED]).toContain(yield* say(port, connect("a.test:443")))
      expect(notes.join()).toMatch(/said nothing for too long|did not say in time/)
    })
  )

  it.scoped("with HTTP in it is asked about request by request", () =>
    Effect.gen(function* () {
      const { port } = yield* serve(
        (request, response) => void response.end(`${request.headers.host} ${request.url}`)
      )
      const { events, port: at } = yield* proxy({ authority: held({ get: ["a.test"] }), port, hosts })
      const get = "GET /1 HTTP/1.1\r\nHost: b.test\r\n\r\n"
      const post = "POST /2 HTTP/1.1\r\nHost: a.test\r\nContent-Length: 0\r\n\r\n"
      const answer = yield* inside(at, "a.test:80", get, post)
      expect(answer).toContain("a.test /1")
      expect(answer).toContain("METHOD_NOT_ALLOWED: POST is not permitted for a.test")
      expect(events).toEqual(["allowed GET http://a.test/1", "refused POST http://a.test/2"])
      // And no other proxy inside of it, nor TLS without what a tunnel needs.
      expect(yield* inside(at, "a.test:80", "GET http://b.test/ HTTP/1.1\r\nHost: b.test\r\n\r\n")).toContain(
        "400"
      )
      expect(yield* inside(at, "a.test:80", connect("b.test:443"))).toBe("")
      expect(yield* inside(at, "a.test:80", records(hello([name("a.test")])))).toBe(DENIED)
      expect(yield* inside(at, "b.test:80", get)).toContain("HOST_NOT_ALLOWED: b.test")
    })
  )

  it.scoped("to an address is for an address that the policy names, in every spelling [X04]", () =>
    Effect.gen(function* () {
      const { port } = yield* secureEcho
      const { dialled, port: at } = yield* proxy({ authority: everything(["*"]), port, hosts })
      for (const target of [
        "2130706433:443",
        "0x7f.1:443",
        "127.0.0.1:443",
        "[::ffff:7f00:1]:443",
        "[::1]:443",
        `${PUBLIC}:443`
      ]) {
        expect([target, statusOf(yield* say(at, connect(target)))]).toEqual([
          target,
          "HTTP/1.1 403 Forbidden"
        ])
      }
      expect(dialled).toEqual([])
      const named = yield* proxy({ authority: everything(["*"], ["127.0.0.1:8443"]), port, hosts })
      expect(yield* secured(named.port, "0x7f000001:8443", "")).toContain("GET a.test /x")
      expect(named.dialled).toEqual([{ host: "127.0.0.1", address: "127.0.0.1", family: 4, port: 8443 }])
      // A name in the hello would be a way to ask for a host that nobody was asked about.
      expect(yield* inside(named.port, "127.0.0.1:8443", records(hello([name("b.test")])))).toBe(DENIED)
    })
  )

  it.scoped("leads to vetted addresses only, and says why not", () =>
    Effect.gen(function* () {
      const authority = everything(["inside.test", "a.test", "gone.test"])
      const { dialled, events, notes, port } = yield* proxy({ authority, hosts })
      for (const [target, said, event] of [
        [
          "inside.test:443",
          'safety: { network: { private: ["inside.test:443"] } }',
          "refused connect inside.test:443"
        ],
        [
          "a.test:22",
          "ADDRESS_NOT_ALLOWED: a.test:22 is on a port that no HTTP server has",
          "refused connect a.test:22"
        ],
        [
          "gone.test:443",
          "REQUEST_FAILED: gone.test could not be resolved",
          "allowed DELETE https://gone.test/"
        ]
      ] as const) {
        expect(yield* say(port, connect(target))).toContain(said)
        expect(events.at(-1)).toBe(event)
      }
      const door = yield* proxy({ authority, hosts, door: { host: "inside.test", port: 443 } })
      expect(yield* say(door.port, records(hello([name("inside.test")])))).toBe(DENIED)
      expect(door.events.at(-1)).toBe("refused connect inside.test:443")
      expect([dialled, door.dialled]).toEqual([[], []])
      expect([...notes, ...door.notes].join()).toContain("is at a private address")
    })
  )

  it.scoped("whose server is not there ends in a way that the client understands", () =>
    Effect.gen(function* () {
      const { notes, port } = yield* proxy({ authority: everything(["a.test"]), hosts })
      // Alert, fatal, internal_error.
      const failed = Buffer.from([0x15, 3, 3, 0, 2, 2, 80]).toString("latin1")
      expect(yield* inside(port, "a.test:443", records(hello([name("a.test")])))).toBe(failed)
      expect(notes.join()).toContain("REQUEST_FAILED: no connection to a.test:443 (ENOTDIALLED)")
    })
  )

  it.scoped("on which nothing comes or goes is closed, and that is said", () =>
    Effect.gen(function* () {
      const port = yield* serveTcp((socket) => void socket.resume())
      const { notes, port: at } = yield* proxy({ authority: everything(["a.test"]), port, hosts, idle: 20 })
      // A busy machine may take longer than that even to answer.
      const answer = yield* Effect.iterate("", {
        while: (heard) => heard === "",
        body: () => say(at, connect("a.test:443"))
      })
      expect(answer).toBe(ESTABLISHED)
      expect(notes.join()).toContain("nothing came or went")
      const waiting = "GET http://a.test/ HTTP/1.1\r\nHost: a.test\r\n\r\n"
      expect(yield* say(at, waiting)).toBe("")
    })
  )

  it.scoped("is asked for by a host and a port", () =>
    Effect.gen(function* () {
      const { dialled, port } = yield* proxy({ authority: everything(["*"]), hosts })
      for (const target of [
        "a.test",
        "a.test:",
        "a.test:0",
        "a.test:65536",
        "u@a.test:443",
        "http://a.test:443",
        ":443",
        "a.test:443/"
      ]) {
        expect([target, statusOf(yield* say(port, connect(target)))]).toEqual([
          target,
          "HTTP/1.1 400 Bad Request"
        ])
      }
      expect(dialled).toEqual([])
    })
  )

  it.scoped("is not begun behind the answer to another request", () =>
    Effect.gen(function* () {
      const port = yield* serveTcp(() => {})
      const { port: at } = yield* proxy({ authority: everything(["*"]), port, hosts })
      expect(
        yield* say(at, `GET http://a.test/ HTTP/1.1\r\nHost: a.test\r\n\r\n${connect("b.test:443")}`)
      ).toBe("")
    })
  )
})

describe("A door", () => {
  it.scoped("leads to its host alone, whatever is said behind it", () =>
    Effect.gen(function* () {
      const { port } = yield* serve(
        (request, response) => void response.end(`${request.headers.host} ${request.url}`)
      )
      const {
        dialled,
        events,
        port: at
      } = yield* proxy({
        authority: everything(["a.test", "b.test"]),
        port,
        hosts,
        door: { host: "a.test", port: 80 }
      })
      const get = (target: string) => `GET ${target} HTTP/1.1\r\nHost: b.test\r\nConnection: close\r\n\r\n`
      expect(yield* say(at, get("/1"))).toContain("a.test /1")
      expect(yield* say(at, get("//b.test/2"))).toContain("a.test //b.test/2")
      expect(statusOf(yield* say(at, get("http://b.test/3")))).toBe("HTTP/1.1 400 Bad Request")
      expect(yield* say(at, connect("b.test:443"))).toBe("")
      expect(events).toEqual([
        "allowed GET http://a.test/1",
        "allowed GET http://a.test//b.test/2",
        "refused connect a.test:80",
        "refused what cannot be asked for"
      ])
      expect(new Set(dialled.map(({ host }) => host))).toEqual(new Set(["a.test"]))
    })
  )

  it.scoped("to TLS compares the name, and needs all four verbs [X05]", () =>
    Effect.gen(function* () {
      const port = yield* serveTcp((socket) => socket.end("served"))
      const door = { host: "a.test", port: 443 }
      const open = yield* proxy({ authority: everything(["a.test"]), port, hosts, door })
      expect(yield* say(open.port, records(hello([name("a.test")])))).toBe("served")
      expect(yield* say(open.port, records(hello([name("b.test")])))).toBe(DENIED)
      const partly = yield* proxy({ authority: held({ get: ["a.test"] }), port, hosts, door })
      expect(yield* say(partly.port, records(hello([name("a.test")])))).toBe(DENIED)
      expect(partly.notes.join()).toContain(FOUR("a.test"))
      expect([open.dialled.length, partly.dialled.length]).toEqual([1, 0])
    })
  )
})
