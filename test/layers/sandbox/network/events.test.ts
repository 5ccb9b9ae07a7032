/**
 * Whatever the proxy refuses is an event of the call, with what to do; once, so that no child writes the transcript full.
 * A stranger writes nothing there.
 */
import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { serve, serveTcp } from "../../network/fixture.js"
import { client, everything, held, PUBLIC, proxy, say } from "./fixture.js"
import { ech, hello, name, records } from "./hellos.js"

const hosts = { "a.test": PUBLIC, "inside.test": "10.0.0.5" }

const get = (target: string, ...headers: ReadonlyArray<string>) =>
  `GET ${target} HTTP/1.1\r\n${["Host: a.test", ...headers].join("\r\n")}\r\n\r\n`

const connect = (target: string) => `CONNECT ${target} HTTP/1.1\r\nHost: ${target}\r\n\r\n`

const door = { host: "a.test", port: 443 }

const webSocket = get("http://a.test/", "Connection: Upgrade", "Upgrade: websocket")

describe("A refusal of the proxy is an event with a remedy:", () => {
  it.scoped.each([
    ["ECH behind a door", records(hello([name("a.test"), ech])), "HOST_NOT_ALLOWED", "switch ECH off"],
    [
      "a hello behind a door that cannot be read",
      Buffer.from([0x16, 3, 1, 0, 1, 9]),
      "HOST_NOT_ALLOWED",
      "one hello"
    ],
    [
      "another name behind a door",
      records(hello([name("b.test")])),
      "HOST_NOT_ALLOWED",
      "the host that it asks for"
    ],
    ["no name behind a door", records(hello(undefined)), "HOST_NOT_ALLOWED", "the host that it asks for"],
    [
      "what is neither TLS nor HTTP behind a door",
      Buffer.from([5, 1, 0]),
      "REQUEST_INVALID",
      "speak HTTP or TLS"
    ],
    ["HTTP/2 behind a door", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", "REQUEST_INVALID", "HTTP"],
    ["a tunnel behind a door", connect("b.test:443"), "REQUEST_INVALID", "for each tunnel"],
    ["a whole URL behind a door", get("http://b.test/"), "URL_INVALID", "to the proxy"]
  ] as const)("%s", ([, bytes, code, remedy]) =>
    Effect.gen(function* () {
      const { denials, dialled, notes, port } = yield* proxy({
        authority: everything(["a.test"]),
        hosts,
        door
      })
      for (let count = 0; count < 3; count++) yield* say(port, bytes)
      const refused = denials.map((denial) => [denial.code, denial.tool, denial.remedy.includes(remedy)])
      expect(refused).toEqual([[code, "run_command", true]])
      expect(notes).toEqual([expect.stringContaining(denials[0]?.remedy ?? "nothing")])
      expect(dialled).toEqual([])
    })
  )

  it.scoped.each([
    ["a web socket", webSocket, "REQUEST_INVALID", "GET http://a.test/"],
    ["what is no HTTP", "HELO a.test\r\n", "REQUEST_INVALID", "what cannot be asked for"],
    [
      "two Host headers",
      get("http://a.test/", "Host: b.test"),
      "REQUEST_INVALID",
      "what cannot be asked for"
    ],
    ["no Host header", "GET http://a.test/ HTTP/1.1\r\n\r\n", "REQUEST_INVALID", "what cannot be asked for"],
    ["an expectation", get("http://a.test/", "Expect: more"), "REQUEST_INVALID", "what cannot be asked for"],
    ["a folded header", get("http://a.test/", "X-A: 1\r\n b"), "REQUEST_INVALID", "what cannot be asked for"],
    [
      "two lengths",
      get("http://a.test/", "Content-Length: 1", "Content-Length: 2"),
      "REQUEST_INVALID",
      "what cannot be asked for"
    ],
    ["https in the open", get("https://a.test/"), "URL_INVALID", "what cannot be asked for"],
    ["a tunnel to no port", connect("a.test"), "URL_INVALID", "what cannot be asked for"],
    [
      "an override of the method",
      get("http://a.test/", "X-HTTP-Method: PUT"),
      "HEADER_REFUSED",
      "GET http://a.test/"
    ],
    ["an address", get(`http://${PUBLIC}/`), "ADDRESS_NOT_ALLOWED", `GET http://${PUBLIC}/`],
    ["a private address", get("http://inside.test/"), "ADDRESS_NOT_ALLOWED", "connect inside.test:80"]
  ] as const)("%s", ([, text, code, asked]) =>
    Effect.gen(function* () {
      const { denials, dialled, notes, port } = yield* proxy({ authority: everything(["*"]), hosts })
      for (let count = 0; count < 3; count++) yield* say(port, text)
      expect(denials.map((denial) => [denial.code, denial.asked])).toEqual([[code, asked]])
      expect(denials[0]?.remedy).not.toBe("")
      expect(notes).toEqual([expect.stringContaining(`${code}: ${denials[0]?.detail}`)])
      expect(dialled).toEqual([])
    })
  )

  it.scoped("one that was partly allowed is asked about once", () =>
    Effect.gen(function* () {
      const { events, port } = yield* proxy({ authority: held({ get: ["a.test"] }), hosts })
      for (let count = 0; count < 3; count++) yield* say(port, connect("a.test:443"))
      expect(events).toEqual([
        "allowed GET https://a.test/",
        ...["POST", "PUT", "DELETE"].map((verb) => `refused ${verb} https://a.test/`)
      ])
    })
  )
})

describe("No event of the call is", () => {
  it.scoped("a client that goes away", () =>
    Effect.gen(function* () {
      const port = yield* serveTcp((socket) => void socket.resume())
      const { events, notes, port: at } = yield* proxy({ authority: everything(["a.test"]), port, hosts })
      for (const text of [
        "GET http://a.t",
        `POST http://a.test/ HTTP/1.1\r\nHost: a.test\r\nContent-Length: 9\r\n\r\nhalf`
      ]) {
        const one = yield* client(at)
        yield* one.write(text)
        one.socket.end()
        yield* one.closed
      }
      expect([events.filter((event) => event.startsWith("refused")), notes]).toEqual([[], []])
    })
  )

  it.scoped("what a stranger sends where others reach the proxy too", () =>
    Effect.gen(function* () {
      const { dialled, events, notes, port } = yield* proxy({
        authority: everything(["a.test"]),
        hosts,
        token: "secret"
      })
      for (const text of ["HELO\r\n", webSocket, connect("a.test"), get("https://a.test/"), get("/")]) {
        expect(yield* say(port, text)).toMatch(/^HTTP\/1\.1 40[07] /)
      }
      expect([events, notes, dialled]).toEqual([[], [], []])
    })
  )
})

describe("A request that is passed on", () => {
  it.scoped("goes on without the upgrade that its client can do without", () =>
    Effect.gen(function* () {
      const { port } = yield* serve(
        (request, response) => void response.end(`${request.url} ${Object.keys(request.headers).join()}|`)
      )
      const { events, port: at } = yield* proxy({ authority: held({ get: ["a.test"] }), port, hosts })
      const kept = yield* client(at)
      const offer = ["Connection: Upgrade, HTTP2-Settings", "Upgrade: h2c", "HTTP2-Settings: AAMAAABk"]
      for (const path of ["/1", "/2"]) {
        yield* kept.write(get(`http://a.test${path}`, ...offer))
        expect(yield* kept.until("|")).toMatch(`${path} host,connection|`)
      }
      yield* kept.write(get("http://b.test/3", ...offer))
      expect(yield* kept.closed).toContain("HOST_NOT_ALLOWED")
      expect(events.at(-1)).toBe("refused GET http://b.test/3")
    })
  )

  it.scoped("is told to go on only once it was permitted", () =>
    Effect.gen(function* () {
      const { port } = yield* serve((request, response) => {
        request.resume().once("end", () => response.end("served"))
      })
      const { port: at } = yield* proxy({ authority: held({ post: ["a.test"] }), port, hosts })
      const post = (host: string) =>
        `POST http://${host}/ HTTP/1.1\r\nHost: ${host}\r\nExpect: 100-continue\r\nContent-Length: 4\r\n\r\n`
      const one = yield* client(at)
      yield* one.write(post("a.test"))
      expect(yield* one.until("\r\n\r\n")).toBe("HTTP/1.1 100 Continue\r\n\r\n")
      yield* one.write("body")
      expect(yield* one.until("served")).toContain("200 OK")
      yield* one.write(post("b.test"))
      expect(yield* one.closed).toMatch(/^HTTP\/1\.1 403 Forbidden/)
    })
  )
})
