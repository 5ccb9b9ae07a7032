/** Threat: a permitted host sends the request, with what it carries, where it was not permitted to go. */
import type { RequestListener } from "node:http"
import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import type { Network } from "../../../src/capabilities/network/Network.js"
import type { Encoded } from "../../../src/policy/lattice/Authority.js"
import {
  authority,
  bodyOf,
  bytes,
  ear,
  get,
  names,
  network,
  reach,
  recorder,
  serve,
  text
} from "./fixture.js"

interface Seen {
  readonly line: string
  readonly headers: Readonly<Record<string, unknown>>
  readonly body: string
}

/** Three public names on one loopback server; `/to?status=S&location=L` redirects, all else answers. */
const world = (held: Encoded | ReadonlyArray<string>, listener?: RequestListener) =>
  Effect.gen(function* () {
    const seen: Array<Seen> = []
    const { port } = yield* serve(async (request, response) => {
      const { headers, method, url = "" } = request
      seen.push({
        line: `${method} ${headers.host}${url.split("?")[0]}`,
        headers,
        body: await bodyOf(request)
      })
      const query = new URL(url, "http://x").searchParams
      const location = query.get("location")
      if (listener !== undefined) return listener(request, response)
      if (!url.startsWith("/to")) return response.end("arrived")
      response.statusCode = Number(query.get("status") ?? "302")
      if (location !== null) response.setHeader("location", location)
      response.end("moved")
    })
    const { asked, connect } = recorder(port)
    const known = {
      "api.ok.com": "8.8.8.8",
      "b.ok.com": "8.8.4.4",
      "evil.com": "9.9.9.9",
      "inner.ok.com": "10.0.0.5"
    }
    const { heard, observe } = ear()
    const net = yield* network(
      "length" in held ? reach(held) : authority(held),
      { connect, resolve: names(known).resolve },
      { observe }
    )
    return { net, heard, seen, asked, lines: () => seen.map(({ line }) => line) }
  })

const to = (location: string, status = 302) =>
  `http://api.ok.com/to?status=${status}&location=${encodeURIComponent(location)}`

const post = (net: Network.Operations, url: string, method = "POST") =>
  net.request({
    method,
    url,
    headers: { "x-api-key": "hunter2", "content-type": "text/plain", accept: "text/html" },
    body: bytes("payload")
  })

const BOTH = ["api.ok.com", "b.ok.com", "inner.ok.com"]

describe("redirects", () => {
  it.scoped("to another host are heard of when they are allowed, and those to the same are not", () =>
    Effect.gen(function* () {
      const asked: Array<string> = []
      const { port } = yield* serve((request, response) => {
        const next = { "/a": "/b", "/b": "http://b.ok.com/c" }[request.url ?? ""]
        if (next === undefined) return void response.end("arrived")
        response.writeHead(302, { location: next }).end()
      })
      const { connect } = recorder(port)
      const { resolve } = names({ "api.ok.com": "8.8.8.8", "b.ok.com": "8.8.4.4" })
      const net = yield* network(
        reach(BOTH),
        { connect, resolve },
        { observe: (_, line) => asked.push(line) }
      )
      expect((yield* get(net, "http://api.ok.com/a")).url).toBe("http://b.ok.com/c")
      expect(asked).toEqual(["GET http://api.ok.com/a", "GET http://b.ok.com/c"])
    })
  )

  it.scoped("are followed, and the answer says where it came from", () =>
    Effect.gen(function* () {
      const { lines, net } = yield* world(BOTH)
      const answer = yield* get(net, to("/there?x=1#part"))
      expect([answer.status, text(answer.body), answer.url]).toEqual([
        200,
        "arrived",
        "http://api.ok.com/there?x=1#part"
      ])
      expect(lines()).toEqual(["GET api.ok.com/to", "GET api.ok.com/there"])
    })
  )

  it.scoped("N01: to a host that the tool does not hold are refused at that hop", () =>
    Effect.gen(function* () {
      const { asked, heard, lines, net } = yield* world(BOTH)
      const error = yield* Effect.flip(get(net, to("http://evil.com/?stolen=hunter2")))
      expect(error.message).toBe(
        "REDIRECT_REFUSED: the redirect of api.ok.com is refused: evil.com is not in the declared allowedHosts"
      )
      expect(error.denial).toMatchObject({
        code: "REDIRECT_REFUSED",
        detail: "evil.com is not in the declared allowedHosts",
        tool: "t",
        asked: "GET http://evil.com/",
        remedy: "net.get{hosts=[evil.com]}"
      })
      expect(heard.length).toBe(1)
      expect(JSON.stringify(error)).not.toContain("hunter2")
      expect(lines()).toEqual(["GET api.ok.com/to"])
      expect(asked.map(({ host }) => host)).toEqual(["api.ok.com"])
    })
  )

  it.scoped.each([
    ["N03/E17", "http://10.0.0.5/"],
    ["N03/E17", "http://inner.ok.com/"],
    ["N04/E17", "file:///etc/passwd"],
    ["N05/E16", "http://u:p@api.ok.com/"],
    ["E17", "http://169.254.169.254/latest/"],
    ["E17", "http://metadata.google.internal/"],
    ["E17", "http://[::ffff:169.254.169.254]/"],
    ["N75", "http://api.ok.com:22/"],
    ["N82", "data:text/plain,x"],
    ["N82", "javascript:alert(1)"],
    ["a Location that is no URL", "http://[/"]
  ] as const)("%s: to %s are refused at that hop", ([, location]) =>
    Effect.gen(function* () {
      const { asked, heard, net } = yield* world(["*"])
      const error = yield* Effect.flip(get(net, to(location)))
      expect(error.denial).toMatchObject({ code: "REDIRECT_REFUSED", tool: "t" })
      expect(heard.length).toBe(1)
      expect(error.message).toMatch(/^REDIRECT_REFUSED: the redirect of api\.ok\.com is refused: /)
      expect(asked.map(({ host }) => host)).toEqual(["api.ok.com"])
    })
  )

  it.scoped.each(["http://169.254.169.254/", "http://metadata.google.internal/"])(
    "E17: to %s suggest no grant, held or not",
    (location) =>
      Effect.gen(function* () {
        for (const held of [["*"], ["api.ok.com"]]) {
          const { net } = yield* world(held)
          const error = yield* Effect.flip(get(net, to(location)))
          expect(error.denial).toMatchObject({
            code: "REDIRECT_REFUSED",
            remedy: "no policy lifts this; use another path or host"
          })
        }
      })
  )

  it.scoped("N10/N77: are asked for with the method that they would be sent with", () =>
    Effect.gen(function* () {
      const { lines, net } = yield* world({
        network: { get: ["api.ok.com", "b.ok.com"], post: ["api.ok.com"], delete: ["api.ok.com"] }
      })
      const error = yield* Effect.flip(
        net.request({ method: "DELETE", url: to("http://b.ok.com/", 307), headers: {} })
      )
      expect([error.code, error.denial?.code]).toEqual(["REDIRECT_REFUSED", "REDIRECT_REFUSED"])
      expect(lines()).toEqual(["DELETE api.ok.com/to"])
    })
  )

  it.scoped("N07/E20: to another origin carry only headers that say nothing of who asks", () =>
    Effect.gen(function* () {
      const { net, seen } = yield* world(BOTH)
      yield* get(net, to("http://b.ok.com/"), {
        "X-Api-Key": "hunter2",
        Authorization: "Bearer hunter2",
        Cookie: "a=hunter2",
        "X-Anything": "hunter2",
        Accept: "text/html",
        "User-Agent": "me"
      })
      expect(seen[0]?.headers["x-api-key"]).toBe("hunter2")
      expect(seen[1]?.line).toBe("GET b.ok.com/")
      expect(Object.keys(seen[1]?.headers ?? {}).sort()).toEqual([
        "accept",
        "accept-encoding",
        "connection",
        "host",
        "user-agent"
      ])
      expect(seen[1]?.headers.accept).toBe("text/html")
      expect(JSON.stringify(seen[1])).not.toContain("hunter2")
    })
  )

  it.scoped("to another port or scheme are to another origin", () =>
    Effect.gen(function* () {
      const { net, seen } = yield* world(BOTH)
      yield* get(net, to("http://api.ok.com:8080/"), { "x-api-key": "hunter2" })
      expect(seen[1]?.headers["x-api-key"]).toBeUndefined()
    })
  )

  it.scoped("to the same origin carry every header", () =>
    Effect.gen(function* () {
      const { net, seen } = yield* world(BOTH)
      yield* get(net, to("http://API.ok.com./there"), { "x-api-key": "hunter2" })
      expect(seen[1]?.headers["x-api-key"]).toBe("hunter2")
    })
  )

  it.scoped.each([301, 302, 303])("N09/E21: after POST, %s becomes GET without the body", (status) =>
    Effect.gen(function* () {
      const { net, seen } = yield* world(BOTH)
      for (const location of ["http://b.ok.com/", "/there"]) {
        expect((yield* post(net, to(location, status))).status).toBe(200)
        const { body, headers, line } = seen.at(-1) as Seen
        expect([line.split(" ")[0], body, headers["content-type"], headers["content-length"]]).toEqual([
          "GET",
          "",
          undefined,
          undefined
        ])
      }
    })
  )

  it.scoped.each([307, 308])(
    "N10: %s sends a body again to the same origin, and never to another",
    (status) =>
      Effect.gen(function* () {
        const { heard, lines, net, seen } = yield* world(BOTH)
        yield* post(net, to("/there", status))
        expect(seen[1]).toMatchObject({ line: "POST api.ok.com/there", body: "payload" })
        expect(seen[1]?.headers["content-type"]).toBe("text/plain")
        const error = yield* Effect.flip(post(net, to("http://b.ok.com/", status)))
        expect(error.message).toBe(
          "REDIRECT_REFUSED: the redirect of api.ok.com is refused: it would send the body to b.ok.com; send it there in a request of its own"
        )
        expect(error.denial).toMatchObject({
          code: "REDIRECT_REFUSED",
          capability: "network.post",
          asked: "POST http://api.ok.com/to",
          remedy: "send it there in a request of its own"
        })
        expect(heard).toEqual([error.denial])
        expect(lines().length).toBe(3)
      })
  )

  it.scoped("302 after PUT with a body to another origin is refused as well", () =>
    Effect.gen(function* () {
      const { lines, net } = yield* world(BOTH)
      expect((yield* Effect.flip(post(net, to("http://b.ok.com/"), "PUT"))).code).toBe("REDIRECT_REFUSED")
      expect(lines()).toEqual(["PUT api.ok.com/to"])
    })
  )

  it.scoped("303 after HEAD stays HEAD", () =>
    Effect.gen(function* () {
      const { lines, net } = yield* world(BOTH)
      yield* net.request({ method: "HEAD", url: to("/there", 303), headers: {} })
      expect(lines()).toEqual(["HEAD api.ok.com/to", "HEAD api.ok.com/there"])
    })
  )

  const chain: RequestListener = ({ url = "" }, response) => {
    const left = Number(url.slice(1))
    if (left > 0) response.writeHead(302, { location: `/${left - 1}` })
    response.end("end")
  }

  it.scoped("E22: six in a chain are refused after five requests, four are followed", () =>
    Effect.gen(function* () {
      const { lines, net } = yield* world(BOTH, chain)
      expect((yield* get(net, "http://api.ok.com/4")).url).toBe("http://api.ok.com/0")
      expect(lines().length).toBe(5)
      expect((yield* Effect.flip(get(net, "http://api.ok.com/6"))).code).toBe("REDIRECT_REFUSED")
      expect(lines().length).toBe(10)
    })
  )

  it.scoped.each([300, 301, 302, 303, 304, 305, 307, 308])(
    "E24: %s without a Location is an answer like any other",
    (status) =>
      Effect.gen(function* () {
        const { net } = yield* world(BOTH)
        const answer = yield* get(net, `http://api.ok.com/to?status=${status}`)
        expect([answer.status, text(answer.body)]).toEqual([status, status === 304 ? "" : "moved"])
      })
  )

  it.scoped.each([300, 304, 305, 306])("E24: %s with a Location is not followed", (status) =>
    Effect.gen(function* () {
      const { lines, net } = yield* world(BOTH)
      expect((yield* get(net, to("http://evil.com/", status))).status).toBe(status)
      expect(lines().length).toBe(1)
    })
  )

  it.scoped("N13: a Location longer than the limit on headers is refused", () =>
    Effect.gen(function* () {
      const { net } = yield* world(BOTH, (_, response) =>
        response.writeHead(302, { location: `/${"a".repeat(100_000)}` }).end()
      )
      const error = yield* Effect.flip(get(net, "http://api.ok.com/"))
      expect(error.message).toBe(
        "LIMIT_EXCEEDED: the headers that api.ok.com:80 answers with are longer than headerBytes allows"
      )
    })
  )

  it.scoped.each([
    ["http://evil.com/", "http://evil.com/"],
    ["/there", "/there"],
    ["/there", "http://evil.com/"]
  ] as const)("with two Locations (%s and %s) are refused, whatever they say", ([first, second]) =>
    Effect.gen(function* () {
      const { asked, heard, lines, net } = yield* world(BOTH, (_, response) =>
        response.writeHead(302, ["location", first, "location", second]).end()
      )
      const error = yield* Effect.flip(get(net, "http://api.ok.com/"))
      expect(error.message).toBe(
        "REDIRECT_REFUSED: the redirect of api.ok.com is refused: it has more than one Location; report it to the server"
      )
      expect(heard).toEqual([error.denial])
      expect(lines()).toEqual(["GET api.ok.com/"])
      expect(asked.length).toBe(1)
    })
  )

  it.scoped("with a body that nobody reads do not hold up the next request", () =>
    Effect.gen(function* () {
      const { net } = yield* world(BOTH, ({ url = "" }, response) => {
        if (url === "/there") response.end("arrived")
        else response.writeHead(302, { location: "/there" }).write(Buffer.alloc(1 << 20))
      })
      expect(text((yield* get(net, "http://api.ok.com/")).body)).toBe("arrived")
    })
  )
})
