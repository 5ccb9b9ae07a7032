/**
 * A child wants the server of a host that it may reach, or the proxy, to hear a request that nobody was asked about. The
 * server here keeps every byte that it is sent.
 */
import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { serveTcp } from "../../network/fixture.js"
import { everything, held, PUBLIC, proxy, say, statusOf } from "./fixture.js"
import { hello, name, names, records } from "./hellos.js"

const hosts = { "a.test": PUBLIC, "b.test": PUBLIC, "xn--bcher-kva.test": PUBLIC }

/** Answers whatever comes, and keeps it. */
const keeping = Effect.gen(function* () {
  const heard: Array<string> = []
  const port = yield* serveTcp((socket) => {
    let sent = ""
    heard.push(sent)
    const at = heard.length - 1
    socket.on("data", (chunk) => {
      sent += chunk.toString("latin1")
      heard[at] = sent
      if (sent.includes("\r\n\r\n")) socket.end("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")
    })
  })
  return { heard, port }
})

const HIDDEN = "DELETE /hidden HTTP/1.1\r\nHost: a.test\r\n\r\n"

const request = (line: string, ...headers: ReadonlyArray<string>) =>
  `${line}\r\n${["Host: a.test", "Connection: close", ...headers].join("\r\n")}\r\n\r\n`

describe("A request hidden in another", () => {
  it.scoped.each([
    ["a line that ends in LF alone", request("GET http://a.test/ HTTP/1.1", `X: 1\n\n${HIDDEN}`)],
    ["a line that ends in CR alone", request("GET http://a.test/ HTTP/1.1", `X: 1\r\r${HIDDEN}`)],
    ["a header with NUL in it", request("GET http://a.test/ HTTP/1.1", `X: \u0000${HIDDEN}`)],
    ["a target with a line break", request(`GET http://a.test/\n${HIDDEN} HTTP/1.1`)],
    ["a target with a space", request("GET http://a.test/ DELETE HTTP/1.1")],
    [
      "a folded line",
      request("GET http://a.test/ HTTP/1.1", "Transfer-Encoding:\r\n chunked", "Content-Length: 5")
    ],
    ["a space before the colon", request("POST http://a.test/ HTTP/1.1", "Content-Length : 5") + HIDDEN],
    ["a length with a sign", request("POST http://a.test/ HTTP/1.1", "Content-Length: -1") + HIDDEN],
    ["a length in another base", request("POST http://a.test/ HTTP/1.1", "Content-Length: 0x5") + HIDDEN],
    [
      "lengths that differ",
      request("POST http://a.test/ HTTP/1.1", "Content-Length: 0", "content-length: 9") + HIDDEN
    ],
    [
      "a length and chunks",
      request("POST http://a.test/ HTTP/1.1", "Content-Length: 5", "Transfer-Encoding: chunked") +
        `0\r\n\r\n${HIDDEN}`
    ],
    [
      "chunks twice",
      request("POST http://a.test/ HTTP/1.1", "Transfer-Encoding: chunked", "transfer-encoding: chunked") +
        `0\r\n\r\n${HIDDEN}`
    ],
    [
      "chunks in a spelling of their own",
      request("POST http://a.test/ HTTP/1.1", "Transfer-Encoding: \u000bchunked") + `0\r\n\r\n${HIDDEN}`
    ],
    [
      "chunks of HTTP/1.0",
      request("POST http://a.test/ HTTP/1.0", "Transfer-Encoding: chunked") + `0\r\n\r\n${HIDDEN}`
    ],
    [
      "a header that drops the length",
      request("POST http://a.test/ HTTP/1.1", "Connection: content-length", "Content-Length: 0") + HIDDEN
    ],
    ["a body of HTTP/0.9", `GET http://a.test/\r\n${HIDDEN}`],
    ["HTTP/2", `PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n${HIDDEN}`],
    ["an upgrade", request("GET http://a.test/ HTTP/1.1", "Connection: upgrade", "Upgrade: h2c") + HIDDEN],
    ["a target that is a whole URL in a path", request("GET http://a.test/http://b.test/ HTTP/1.1")]
  ] as const)("is never sent on by itself: %s", ([, text]) =>
    Effect.gen(function* () {
      const { heard, port } = yield* keeping
      const {
        dialled,
        events,
        port: at
      } = yield* proxy({
        authority: held({ get: ["a.test"], post: ["a.test"] }),
        port,
        hosts
      })
      yield* say(at, text)
      // One that was given up again has sent nothing.
      for (const bytes of heard.filter((sent) => sent !== "")) {
        // The one request that was asked about, with the length that the proxy has read.
        expect(bytes).toMatch(/^(?:GET|POST) \/\S* HTTP\/1\.1\r\nHost: a\.test\r\n/)
        expect(bytes.match(/ HTTP\/1\.1\r\n/g)).toHaveLength(1)
      }
      expect(heard.join()).not.toContain("hidden")
      expect(dialled.every(({ host }) => host === "a.test")).toBe(true)
      expect(events.join()).not.toContain("allowed DELETE")
    })
  )

  it.scoped("stays the body that it is, with extensions and trailers left behind", () =>
    Effect.gen(function* () {
      const { heard, port } = yield* keeping
      const { port: at } = yield* proxy({ authority: everything(["a.test"]), port, hosts })
      const size = HIDDEN.length.toString(16)
      const body = `${size};ext="x"\r\n`
      const post = request("POST http://a.test/ HTTP/1.1", "Transfer-Encoding: chunked", "Trailer: X-Late")
      yield* say(at, `${post}${body}${HIDDEN}\r\n0\r\nX-Late: 1\r\n\r\n`)
      const [sent = ""] = heard
      expect(sent.slice(sent.indexOf("\r\n\r\n") + 4)).toMatch(
        new RegExp(`^(?:${size}\r\n${HIDDEN.replace(/[.*+?^${}()|[\]\\]/g, "\\$&")}\r\n(?:0\r\n\r\n)?)?$`)
      )
      expect(sent).not.toMatch(/x-late|ext=/i)
    })
  )
})

describe("The name in a hello", () => {
  const through = (target: string, message: Buffer) =>
    Effect.gen(function* () {
      const heard: Array<Buffer> = []
      const port = yield* serveTcp((socket) => {
        socket.once("data", (chunk) => {
          heard.push(chunk)
          socket.end("served")
        })
      })
      const [host = "", number = "443"] = target.split(":")
      const { dialled, port: at } = yield* proxy({
        authority: everything([...Object.keys(hosts), "127.0.0.1"], ["127.0.0.1:443"]),
        port,
        hosts,
        door: { host, port: Number(number) }
      })
      const answer = yield* say(at, records(message))
      return { isServed: answer === "served", isDialled: dialled.length > 0 }
    })

  it.scoped.each([
    ["in capitals", "a.test", hello([name("A.TEST")]), true],
    ["with a final dot", "a.test", hello([name("a.test.")]), true],
    ["in the spelling of the wire", "xn--bcher-kva.test", hello([name("xn--bcher-kva.test")]), true],
    ["in letters that the wire does not have", "xn--bcher-kva.test", hello([name("bücher.test")]), false],
    ["with two final dots", "a.test", hello([name("a.test..")]), false],
    ["with a port", "a.test", hello([name("a.test:443")]), false],
    ["with a NUL", "a.test", hello([name("a.test\u0000.b.test")]), false],
    ["with a space", "a.test", hello([name("a.test ")]), false],
    ["that is empty", "a.test", hello([name("")]), false],
    ["that is an address", "a.test", hello([name("127.0.0.1")]), false],
    ["that is the address of the tunnel", "127.0.0.1", hello([name("127.0.0.1")]), false],
    ["that is none, for an address", "127.0.0.1", hello(undefined), true],
    [
      "twice in a list",
      "a.test",
      hello([
        names([
          [0, "a.test"],
          [0, "b.test"]
        ])
      ]),
      false
    ],
    ["in two lists", "a.test", hello([name("a.test"), name("a.test")]), false],
    ["of another kind", "a.test", hello([names([[1, "a.test"]])]), false],
    ["above it", "a.test", hello([name("test")]), false],
    ["below it", "a.test", hello([name("b.a.test")]), false]
  ] as const)("%s", ([, target, message, isServed]) =>
    Effect.gen(function* () {
      expect(yield* through(target, message)).toEqual({ isServed, isDialled: isServed })
    })
  )
})

describe("A tunnel to a port", () => {
  it.scoped("that no server of HTTP has is refused, and to every other it carries TLS or HTTP alone", () =>
    Effect.gen(function* () {
      const { dialled, port } = yield* proxy({ authority: everything(["a.test"]), hosts })
      for (const odd of ["22", "25", "6000", "6667", "00443", "+443", "443x", "4 43", "-1"]) {
        const answer = yield* say(port, `CONNECT a.test:${odd} HTTP/1.1\r\nHost: a.test\r\n\r\n\u0005\u0001`)
        expect([odd, /^HTTP\/1\.1 (?:40[03] |200 Connection Established\r\n\r\n$)/.test(answer)]).toEqual([
          odd,
          true
        ])
      }
      expect(statusOf(yield* say(port, "CONNECT a.test:22 HTTP/1.1\r\nHost: a.test\r\n\r\n"))).toContain(
        "403"
      )
      expect(dialled).toEqual([])
    })
  )
})
