/** The cases about what is sent and what is answered. */
import { Chunk, Effect, Exit, Fiber, Redacted, Stream } from "effect"
import * as Request from "../../policy/lattice/Request.js"
import { bytesFrom, contents, must, mustBytes, mustRefuse, text, utf8 } from "./contract.js"
import { bodyOf, collected, type Definition, define } from "./networkCase.js"
import { mustTakeOwnProofsOnly } from "./permits.js"

const SECRET = "hunter2"

/** What says who asks, and nobody has given. */
const TELLING = ["authorization", "cookie", "proxy-authorization", "referer", "from", "x-forwarded-for"]

const sending: ReadonlyArray<Definition> = [
  define(
    "answers",
    "a proof for another backend, or what only looks like one, is not taken",
    ({ backend, own, rig }) =>
      Effect.flatMap(own.ask(Request.http("GET", `${rig.origin}/bytes/3`)), (proof) =>
        Effect.zipRight(
          mustTakeOwnProofsOnly("request", proof, (given) => backend.request(given, { headers: {} })),
          mustTakeOwnProofsOnly("open", proof, (given) =>
            Stream.runDrain(backend.open(given, { headers: {} }))
          )
        )
      )
  ),
  define("answers", "the method, the path and the query of the proof are what is sent", ({ echo, request }) =>
    Effect.gen(function* () {
      for (const method of ["GET", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"]) {
        const got = yield* echo(method, `/echo/a%20b/${method}?x=1&y=%2F&z=%C3%A9`)
        yield* must("line", [got.method, got.url], [method, `/echo/a%20b/${method}?x=1&y=%2F&z=%C3%A9`])
        yield* must("body", got.body.length, 0)
      }
      const { body, status } = yield* request("HEAD", "/echo")
      yield* must("HEAD", [status, body.length], [200, 0])
    })
  ),
  define("answers", "method and URL are those of the proof, whatever else is given", (bench) =>
    Effect.gen(function* () {
      const proof = yield* bench.own.ask(Request.http("GET", `${bench.rig.origin}/bytes/3`))
      // An object from elsewhere may hold more than its type says.
      const more = { headers: {}, method: "DELETE", url: `${bench.rig.origin}/echo?id=${bench.id}` }
      yield* mustBytes("request", (yield* bench.backend.request(proof, more)).body, bytesFrom(0, 3))
      yield* mustBytes("stream", yield* collected(bodyOf(bench.backend.open(proof, more))), bytesFrom(0, 3))
    })
  ),
  define("answers", "headers are sent by their names, and none that says who asks is added", ({ echo }) =>
    Effect.gen(function* () {
      const { headers } = yield* echo("GET", "/echo", {
        headers: { "X-Api-Key": SECRET, "x-empty": "", accept: "text/x-contract" }
      })
      const got = new Map(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]))
      yield* must("x-api-key", got.get("x-api-key"), SECRET)
      yield* must("x-empty", got.get("x-empty"), "")
      yield* must("accept", got.get("accept"), "text/x-contract")
      yield* must(
        "others",
        TELLING.filter((name) => got.has(name)),
        []
      )
    })
  ),
  define("answers", "a redacted header is sent as what it hides", ({ echo }) =>
    Effect.gen(function* () {
      const { headers } = yield* echo("GET", "/echo", { headers: { "x-api-key": Redacted.make(SECRET) } })
      yield* must("x-api-key", headers["x-api-key"], SECRET)
    })
  ),
  define("answers", "a body is sent as it is, whatever bytes it holds", ({ echo }) =>
    Effect.gen(function* () {
      for (const method of ["POST", "PUT", "PATCH", "DELETE"]) {
        yield* mustBytes(method, (yield* echo(method, "/echo", { body: utf8("\0a") })).body, utf8("\0a"))
      }
      for (const body of contents) {
        yield* mustBytes("body", (yield* echo("POST", "/echo", { body })).body, body)
      }
      const view = bytesFrom(0, 1000).subarray(10, 20)
      yield* mustBytes("a view", (yield* echo("POST", "/echo", { body: view })).body, bytesFrom(70, 10))
    })
  )
]

const answering: ReadonlyArray<Definition> = [
  define("answers", "a body comes as it is, whole or bit by bit, and the answer says from where", (bench) =>
    Effect.gen(function* () {
      for (const length of [0, 1, 256, 65_536, 1024 * 1024 + 1]) {
        const { body, status, url } = yield* bench.request("GET", `/bytes/${length}`)
        yield* mustBytes("request", body, bytesFrom(0, length))
        yield* must("answer", [status, url], [200, `${bench.rig.origin}/bytes/${length}`])
        yield* mustBytes("stream", yield* collected(bench.stream(`/bytes/${length}`)), bytesFrom(0, length))
      }
    })
  ),
  define("answers", "an answer that is opened begins with its head, and has one", (bench) =>
    Effect.gen(function* () {
      for (const [path, status] of [
        ["/bytes/0", 200],
        ["/bytes/70000", 200],
        ["/status/404", 404],
        ["/status/204", 204]
      ] as const) {
        const [head, ...body] = Chunk.toReadonlyArray(yield* Stream.runCollect(bench.open(path)))
        const got = head instanceof Uint8Array ? undefined : head
        yield* must("head", [got?.status, got?.url], [status, bench.rig.origin + path])
        yield* must(
          "parts that are no bytes",
          body.filter((part) => !(part instanceof Uint8Array)),
          []
        )
      }
    })
  ),
  define("answers", "every status is an answer, and a good one for a stream only from 200 to 299", (bench) =>
    Effect.gen(function* () {
      for (const status of [200, 201, 204, 304, 400, 401, 404, 418, 500, 503]) {
        const answer = yield* bench.request("GET", `/status/${status}`)
        const body = status === 204 || status === 304 ? "" : `status ${status}`
        yield* must(`status ${status}`, [answer.status, text(answer.body)], [status, body])
        const streamed = collected(bench.stream(`/status/${status}?token=${SECRET}`))
        if (status < 300) yield* must("stream", text(yield* streamed), body)
        else yield* mustRefuse(`stream of ${status}`, streamed, "STATUS_NOT_OK", [SECRET])
      }
    })
  ),
  define("answers", "a request and a stream can be run again", (bench) =>
    Effect.gen(function* () {
      const [whole, flow] = [bench.request("GET", "/bytes/2"), collected(bench.stream("/bytes/2"))]
      for (const one of [whole, flow, whole, flow]) {
        const answer = yield* one
        yield* mustBytes("body", "body" in answer ? answer.body : answer, bytesFrom(0, 2))
      }
    })
  ),
  define("answers", "requests at the same time do not mix", (bench) =>
    Effect.gen(function* () {
      const all = Array.from({ length: 24 }, (_, index) => index)
      const one = (index: number) =>
        Effect.gen(function* () {
          const body = bytesFrom(index, 20_000 + index)
          const got = yield* bench.echo("POST", `/echo?n=${index}`, { body, headers: { "x-n": `${index}` } })
          yield* must("line", [got.url, got.headers["x-n"]], [`/echo?n=${index}`, `${index}`])
          yield* mustBytes("body", got.body, body)
          const length = 30_000 + index
          yield* mustBytes("stream", yield* collected(bench.stream(`/bytes/${length}`)), bytesFrom(0, length))
        })
      yield* Effect.forEach(all, one, { concurrency: "unbounded", discard: true })
    })
  ),
  define("answers", "a request that is interrupted ends, and the next one is answered", (bench) =>
    Effect.gen(function* () {
      for (const silent of [
        Effect.asVoid(bench.request("GET", "/silent")),
        Stream.runDrain(bench.stream("/silent"))
      ]) {
        const fiber = yield* Effect.fork(silent)
        yield* bench.request("GET", "/bytes/1")
        yield* must("how it ended", Exit.isInterrupted(yield* Fiber.interrupt(fiber)), true)
      }
      yield* mustBytes("the next", (yield* bench.request("GET", "/bytes/9")).body, bytesFrom(0, 9))
    })
  )
]

const headers: ReadonlyArray<Definition> = [
  define(
    "headers",
    "a header that would change what was permitted is refused, and nothing is sent",
    (bench) =>
      Effect.gen(function* () {
        const refused: ReadonlyArray<readonly [name: string, value: string | Redacted.Redacted]> = [
          ["Host", SECRET],
          ["content-length", SECRET],
          ["Transfer-Encoding", SECRET],
          ["Connection", SECRET],
          ["Upgrade", SECRET],
          ["Proxy-Authorization", SECRET],
          ["X-HTTP-Method-Override", SECRET],
          ["X-Original-URL", SECRET],
          ["x-rewrite-url", SECRET],
          ["a\r\nb", SECRET],
          ["a b", SECRET],
          ["", SECRET],
          ["x-a", `${SECRET}\r\nx-b: c`],
          ["x-a", `${SECRET}\0`],
          ["x-a", Redacted.make(`${SECRET}\r\nx-b: c`)],
          ["cookie", `a=${SECRET}\nb=2`]
        ]
        for (const [name, value] of refused) {
          const by = bench.holding(["get"], [bench.rig.origin])
          const content = { headers: { "x-fine": "1", [name]: value } }
          const path = `/echo?id=${bench.id}`
          yield* mustRefuse(name, bench.request("GET", path, content, by), "HEADER_REFUSED", [SECRET])
          yield* must("refusals heard", by.heard().length, 1)
          yield* mustRefuse(name, collected(bench.stream(path, content)), "HEADER_REFUSED", [SECRET])
        }
        yield* must("requests that came", yield* bench.seen(bench.id), 0)
      })
  ),
  define("headers", "the headers of an answer are by small letters, each name once", (bench) =>
    Effect.gen(function* () {
      const got = yield* bench.request("GET", "/headers")
      yield* must("two of one name", got.headers["x-twice"], "one, two")
      yield* must("a name with capitals", got.headers["x-mixed"], "Case")
    })
  ),
  define("cookies", "cookies that are set stay apart", (bench) =>
    Effect.gen(function* () {
      const cookies = ["a=1, 2; path=/", "b=3"]
      yield* must("request", (yield* bench.request("GET", "/cookies")).setCookies, cookies)
      const [head] = Chunk.toReadonlyArray(yield* Stream.runCollect(bench.open("/cookies")))
      yield* must("open", head instanceof Uint8Array ? [] : head?.setCookies, cookies)
      yield* must("where there are none", (yield* bench.request("GET", "/headers")).setCookies, [])
    })
  ),
  define("headers", "a body that a method does not have is refused, and nothing is sent", (bench) =>
    Effect.gen(function* () {
      for (const method of ["GET", "HEAD"]) {
        const sent = bench.request(method, `/echo?id=${bench.id}`, { body: utf8(SECRET) })
        yield* mustRefuse(method, sent, "REQUEST_FAILED", [SECRET])
      }
      yield* must("requests that came", yield* bench.seen(bench.id), 0)
    })
  )
]

export const answers: ReadonlyArray<Definition> = [...sending, ...answering, ...headers]
