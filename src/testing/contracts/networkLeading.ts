/** The cases about where a request leads: redirects and addresses are asked of the proof again. */
import { Effect } from "effect"
import { must, mustBytes, mustRefuse, utf8 } from "./contract.js"
import { type Bench, collected, type Definition, define } from "./networkCase.js"

const SECRET = "hunter2"

const to = (location: string, status = 302): string =>
  `/redirect/${status}?to=${encodeURIComponent(location)}`

const CREDENTIALS = ["authorization", "cookie", "x-api-key", "x-anything"]

const credentials = Object.fromEntries(CREDENTIALS.map((name) => [name, SECRET]))

/** The mark of a request that must not come, for each that is tried. */
const unseen = (bench: Bench, path: string) =>
  Effect.flatMap(bench.seen(bench.id), (count) => must(`requests that came of ${path}`, count, 0))

const redirects: ReadonlyArray<Definition> = [
  define(
    "redirects",
    "a redirect to what is permitted is followed, and the answer says where it ended",
    (bench) =>
      Effect.gen(function* () {
        const { origin } = bench.rig
        for (const path of [to("/bytes/5"), to(`${origin}/bytes/5`), to(to(to("/bytes/5"), 307), 301)]) {
          const { body, status, url } = yield* bench.request("GET", path)
          yield* mustBytes("body", body, new Uint8Array([0, 7, 14, 21, 28]))
          yield* must("answer", [status, url], [200, `${origin}/bytes/5`])
          yield* must("stream", (yield* collected(bench.stream(path))).length, 5)
        }
        const elsewhere = yield* bench.request("GET", to(`${bench.other}/bytes/5`))
        yield* must("another origin", elsewhere.url, `${bench.other}/bytes/5`)
      })
  ),
  define("redirects", "a redirect to what is not permitted is refused, and nothing is sent there", (bench) =>
    Effect.gen(function* () {
      const locations = [
        `http://unheld.invalid/?id=${bench.id}&token=${SECRET}`,
        `${bench.other}/echo?id=${bench.id}&token=${SECRET}`,
        `${bench.rig.origin.replace("//", `//user:${SECRET}@`)}/echo?id=${bench.id}`,
        "file:///etc/passwd",
        `data:text/plain,${SECRET}`,
        "http://[/"
      ]
      for (const location of locations) {
        for (const status of [301, 302, 303, 307, 308]) {
          const by = bench.holding(["get"], [bench.rig.origin])
          const request = bench.request("GET", to(location, status), {}, by)
          yield* mustRefuse(`${status} to ${location}`, request, "REDIRECT_REFUSED", [SECRET])
          yield* must("refusals heard", by.heard().length, 1)
        }
        const flow = bench.stream(to(location), {}, bench.holding(["get"], [bench.rig.origin]))
        yield* mustRefuse(`stream to ${location}`, collected(flow), "REDIRECT_REFUSED", [SECRET])
      }
      yield* unseen(bench, "any of them")
    })
  ),
  define("redirects", "a redirect is an answer for who follows none", (bench) =>
    Effect.gen(function* () {
      for (const status of [301, 302, 303, 307, 308]) {
        const path = to(`/echo?id=${bench.id}`, status)
        const got = yield* bench.request("GET", path, { redirects: "none" })
        yield* must("answer", [got.status, got.headers.location], [status, `/echo?id=${bench.id}`])
        yield* must("url", got.url, bench.rig.origin + path)
      }
      yield* unseen(bench, "any of them")
    })
  ),
  define("redirects", "who stays at a host follows redirects within it", (bench) =>
    Effect.gen(function* () {
      const here = yield* bench.request("GET", to("/bytes/2"), { redirects: "same-host" })
      yield* must("here", here.url, `${bench.rig.origin}/bytes/2`)
      const { host } = new URL(bench.rig.origin)
      const elsewhere = bench.rig.origin.replace(host, `[::1]:${new URL(bench.rig.origin).port}`)
      const path = to(`${elsewhere}/echo?id=${bench.id}`)
      const away = bench.request("GET", path, { redirects: "same-host" }, bench.everywhere)
      yield* mustRefuse("away", away, "REDIRECT_REFUSED")
      yield* unseen(bench, path)
    })
  ),
  define(
    "redirects",
    "who stays at an origin follows redirects within it, and none to another port",
    (bench) =>
      Effect.gen(function* () {
        const here = yield* bench.request("GET", to("/bytes/2"), { redirects: "same-origin" })
        yield* must("here", here.url, `${bench.rig.origin}/bytes/2`)
        const path = to(`${bench.other}/echo?id=${bench.id}`)
        const away = bench.request("GET", path, { redirects: "same-origin" }, bench.everywhere)
        yield* mustRefuse("away", away, "REDIRECT_REFUSED")
        yield* unseen(bench, path)
      })
  ),
  define("redirects", "a redirect without end is refused", (bench) =>
    mustRefuse("a loop", bench.request("GET", "/loop"), "REDIRECT_REFUSED")
  ),
  define("redirects", "what is no redirect is an answer, whatever location it names", (bench) =>
    Effect.gen(function* () {
      for (const status of [200, 300, 304, 404]) {
        const location = `http://unheld.invalid/?id=${bench.id}`
        yield* must("status", (yield* bench.request("GET", to(location, status))).status, status)
      }
    })
  ),
  define("redirects", "a redirect to another origin carries nothing that says who asks", (bench) =>
    Effect.gen(function* () {
      const got = (location: string) => bench.echo("GET", to(location), { headers: credentials })
      const [same, other] = [yield* got("/echo"), yield* got(`${bench.other}/echo`)]
      yield* must(
        "to the same origin",
        CREDENTIALS.map((name) => same.headers[name]),
        CREDENTIALS.map(() => SECRET)
      )
      yield* must(
        "to another",
        CREDENTIALS.filter((name) => name in other.headers),
        []
      )
    })
  ),
  define("redirects", "what was posted is posted again only where the status says so", (bench) =>
    Effect.gen(function* () {
      const content = { body: utf8("payload"), headers: { "content-type": "text/plain" } }
      for (const status of [301, 302, 303]) {
        const got = yield* bench.echo("POST", to("/echo", status), content)
        yield* must(
          `${status}`,
          [got.method, got.body.length, "content-type" in got.headers],
          ["GET", 0, false]
        )
      }
      for (const status of [307, 308]) {
        const got = yield* bench.echo("POST", to("/echo", status), content)
        yield* must(`${status}`, [got.method, [...got.body]], ["POST", [...utf8("payload")]])
        const away = bench.request("POST", to(`${bench.other}/echo?id=${bench.id}`, status), content)
        yield* mustRefuse(`${status} to another origin`, away, "REDIRECT_REFUSED", ["payload"])
      }
      yield* unseen(bench, "a body to another origin")
    })
  ),
  define("redirects", "a redirect is asked for with the method that it would be sent with", (bench) =>
    Effect.gen(function* () {
      const poster = bench.holding(["post"], [bench.rig.origin])
      const path = to(`/echo?id=${bench.id}`, 303)
      yield* mustRefuse("a GET after POST", bench.request("POST", path, {}, poster), "REDIRECT_REFUSED")
      yield* must("refusals heard", poster.heard().length, 1)
      yield* unseen(bench, path)
    })
  )
]

const addresses: ReadonlyArray<Definition> = [
  define("addresses", "an address that is not public is connected to only where that is permitted", (bench) =>
    Effect.gen(function* () {
      const path = `/echo?id=${bench.id}`
      const outsider = bench.holding(["get"], [])
      yield* mustRefuse("request", bench.request("GET", path, {}, outsider), "ADDRESS_NOT_ALLOWED")
      yield* must("refusals heard", outsider.heard().length, 1)
      yield* mustRefuse("stream", collected(bench.stream(path, {}, outsider)), "ADDRESS_NOT_ALLOWED")
      yield* unseen(bench, path)
    })
  ),
  define("addresses", "a connection of who may connect is not used for who may not", (bench) =>
    Effect.gen(function* () {
      for (let round = 0; round < 3; round++) {
        yield* bench.request("GET", "/bytes/1")
        const outsider = bench.holding(["get"], [])
        const request = bench.request("GET", `/echo?id=${bench.id}`, {}, outsider)
        yield* mustRefuse("request", request, "ADDRESS_NOT_ALLOWED")
      }
      yield* unseen(bench, "who may not")
    })
  )
]

export const leading: ReadonlyArray<Definition> = [...redirects, ...addresses]
