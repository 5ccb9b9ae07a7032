/** Ways to the value of a sealed secret that a stranger would try next. */
import { gzipSync } from "node:zlib"
import { HttpClient, HttpClientResponse } from "@effect/platform"
import { Authority, Network, type NetworkError, Policy, Registry, Secrets, Tool, Turn } from "bailiwick"
import { Cause, Context, Effect, Schema, Stream } from "effect"
import { describe, expect, it } from "vitest"
import { NetworkBackend } from "../../src/capabilities/network/NetworkBackend.js"
import * as PlatformNetwork from "../../src/layers/platform/PlatformNetwork.js"
import { KEY, policy, rig, sender, VALUE } from "./rig.js"

const API: string = "https://api.example.com/v1"
const bearer = { authorization: "Bearer @" }

/** What a tool of its own makes does, and what it saw. */
const acting = async (
  act: (token: string) => Effect.Effect<unknown, NetworkError, Network>,
  made: ReturnType<typeof rig>,
  {
    held = Policy.make({ authority: Authority.everything }),
    hosts = ["*"],
    secrets = [KEY] as ReadonlyArray<unknown>
  } = {}
) => {
  const seen: Array<unknown> = []
  const tool = Tool.make({
    name: "acting",
    description: "acts",
    parameters: Schema.Struct({}),
    capabilities: {
      network: { allowedHosts: hosts as unknown as readonly ["*"] },
      secrets: secrets as ReadonlyArray<typeof KEY>
    },
    execute: () =>
      Effect.gen(function* () {
        const token = yield* (yield* Secrets).sealed("KEY")
        seen.push(yield* act(token))
      })
  }) as Tool.Any
  const turn = Turn.make({ session: "s1", workdir: "/work", policy: held })
  const [answer] = await Effect.runPromise(
    Effect.provide(
      Registry.make(tool).execute(turn, [{ id: "1", name: "acting", args: {} }]) as Effect.Effect<
        ReadonlyArray<{ readonly result: { readonly ok: boolean; readonly error?: string } }>
      >,
      made.backends
    )
  )
  return { seen: JSON.stringify(seen), error: answer?.result.error ?? "" }
}

describe("a server that keeps what it was sent", () => {
  const keeping = () => {
    let kept = ""
    return rig(({ headers }) => {
      kept = headers.authorization ?? kept
      return { text: `kept ${kept}`, headers: { "x-kept": kept } }
    })
  }
  const first = (token: string) => Network.get(API, { headers: { authorization: `Bearer ${token}` } })

  it.each(["request", "open", "stream"] as const)(
    "does not give it back to a later %s without a token",
    async (how) => {
      const again = {
        request: Effect.map(Network.request("GET", API), ({ body, headers }) => [
          headers,
          Buffer.from(body).toString()
        ]),
        open: Effect.scoped(
          Effect.flatMap(Network.open("GET", API), ({ headers, text }) =>
            Effect.map(text, (all) => [headers, all])
          )
        ),
        stream: Effect.map(Stream.runCollect(Stream.decodeText(Network.stream(API))), (all) =>
          [...all].join("")
        )
      }[how] as Effect.Effect<unknown, NetworkError, Network>
      const { error, seen } = await acting((token) => Effect.zipRight(first(token), again), keeping())
      expect(error).toBe("")
      expect(seen).toContain("kept Bearer *")
      expect(seen).not.toContain(VALUE)
    }
  )

  it("is not asked for it bit by bit, nor through another that redirects there", async () => {
    const made = rig()
    for (const name of ["Range", "range"]) {
      const { error } = await acting(
        () => Network.request("GET", API, { headers: { [name]: "bytes=0-3" } }),
        made
      )
      expect(error).toMatch(/^SEAL_REFUSED: .*Range/)
    }
    expect(made.sent).toEqual([])
    await acting(
      () => Network.request("GET", "https://other.example/" as string, { headers: { Range: "bytes=0-3" } }),
      made
    )
    expect(made.sent.map(({ redirects }) => redirects)).toEqual(["same-origin"])
  })

  it("does not give it back in an answer that was begun before it was sent", async () => {
    let kept = ""
    const made = rig(({ headers, url }) => {
      kept = headers.authorization ?? kept
      return url.endsWith("/events")
        ? {
            body: Stream.concat(
              Stream.make(new TextEncoder().encode("begin ")),
              Stream.suspend(() =>
                Stream.fromIterable(Array.from(`kept ${kept} end`, (one) => new TextEncoder().encode(one)))
              )
            )
          }
        : "ok"
    })
    const { error, seen } = await acting(
      (token) =>
        Effect.scoped(
          Effect.gen(function* () {
            const opened = yield* Network.open("GET", `${API}/events`)
            yield* first(token)
            return yield* opened.text
          })
        ),
      made
    )
    expect(error).toBe("")
    expect(seen).toMatch(/begin kept Bearer \*+ end/)
  })
})

describe("a server that writes in other letters", () => {
  it.each(["utf-16le", "utf-16be"] as const)("does not give it back in %s", async (charset) => {
    const le = Buffer.from(`before ${VALUE} after`, "utf16le")
    const body = charset === "utf-16le" ? le : Buffer.from(le).swap16()
    for (const how of ["request", "open", "stream", "get"] as const) {
      const seen: Array<unknown> = []
      const { run } = rig(() => ({
        body: new Uint8Array(body),
        headers: { "content-type": `text/plain; charset=${charset}` }
      }))
      await run(sender([KEY], "sender", seen), { url: API, headers: bearer, how })
      expect(seen).toHaveLength(1)
      expect(JSON.stringify(seen).replaceAll("\\u0000", "")).not.toContain("s3cr3t")
    }
  })

  it.each([
    ["upper hex", Buffer.from(VALUE).toString("hex").toUpperCase()],
    [
      "PHP's and .NET's JSON",
      VALUE.replaceAll("/", "\\/").replaceAll("+", "\\u002B").replaceAll("=", "\\u003d")
    ],
    ["HTML by decimals", Array.from(VALUE, (one) => `&#${one.charCodeAt(0)};`).join("")],
    [
      "base64 in lines",
      Buffer.from(`abc${VALUE}`)
        .toString("base64")
        .replace(/(.{8})/g, "$1\r\n")
    ],
    ["bytes of JavaScript", Array.from(VALUE, (one) => `\\x${one.charCodeAt(0).toString(16)}`).join("")],
    ["bytes spaced", Buffer.from(VALUE).toString("hex").replace(/(..)/g, "$1 ").trim()],
    ["JSON in JSON", JSON.stringify(JSON.stringify(VALUE.replaceAll("/", "\\/")))]
  ])("does not give it back in %s", async (_, echo) => {
    const seen: Array<unknown> = []
    const { run } = rig(() => ({ text: `<${echo}>` }))
    await run(sender([KEY], "sender", seen), { url: API, headers: bearer })
    expect(JSON.stringify(seen)).toMatch(/<\W*(?:YWJj)?\*+\W*>/)
  })
})

describe("a client that does not undo what is compressed", () => {
  it("is not asked for it by a tool, and nothing compressed comes back", async () => {
    const asked: Array<string | undefined> = []
    const client = HttpClient.make((request) => {
      const { "accept-encoding": encoding, authorization = "" } = request.headers
      asked.push(encoding)
      const packed = encoding?.includes("gzip") === true
      return Effect.succeed(
        HttpClientResponse.fromWeb(
          request,
          new Response(packed ? gzipSync(authorization) : authorization, {
            headers: packed ? { "content-encoding": "gzip" } : {}
          })
        )
      )
    })
    const made = rig()
    const backend = await Effect.runPromise(
      Effect.provideService(PlatformNetwork.make(), HttpClient.HttpClient, client)
    )
    const { error, seen } = await acting(
      (token) =>
        Effect.map(
          Network.request("GET", API, { headers: { authorization: token, "Accept-Encoding": "gzip" } }),
          ({ body, headers }) => [headers, Buffer.from(body).toString("latin1")]
        ),
      { ...made, backends: Context.add(made.backends, NetworkBackend, backend) }
    )
    expect(error).toBe("")
    expect(asked).toEqual(["identity"])
    expect(seen).toContain("*".repeat(VALUE.length))
  })
})

describe("a backend that breaks", () => {
  it.each(["request", "open"] as const)("does not show it where it dies: %s", async (how) => {
    const made = rig(({ url }) => {
      throw new TypeError(`cannot parse ${decodeURIComponent(url)}`)
    })
    const { error, seen } = await acting(
      (token) => {
        const url = `https://api.example.com/${token}`
        const asked: Effect.Effect<unknown, NetworkError, Network> =
          how === "request" ? Network.request("GET", url) : Effect.scoped(Network.open("GET", url))
        return Effect.catchAllCause(Effect.asVoid(asked), (cause) => Effect.succeed(Cause.pretty(cause)))
      },
      made,
      { secrets: [{ ...KEY, in: ["path"] }] }
    )
    expect(error).toBe("")
    expect(made.sent).toHaveLength(1)
    expect(seen).toContain("cannot parse")
    expect(seen).not.toContain(VALUE)
  })
})

describe("an operator who lets all private endpoints be reached", () => {
  it("names none of them, whatever the tool names", async () => {
    const made = rig()
    const { error } = await acting(
      (token) => Network.get("http://127.0.0.1:8080/" as string, { headers: { authorization: token } }),
      made,
      {
        hosts: ["127.0.0.1"],
        secrets: [{ ...KEY, hosts: ["127.0.0.1"] }],
        held: policy({ network: { get: ["*"] }, private: { connect: ["*"] }, secrets: { read: ["KEY"] } })
      }
    )
    expect(made.sent).toEqual([])
    expect(error).toMatch(/^SEAL_REFUSED.*https/)
  })
})

describe("a token that is not seen at first", () => {
  it.each(["https://other.example/?k=bw_sea\tled_0", "https://other.example/\nbw_sea\nled_0"])(
    "is refused as it is sent: %j",
    async (url) => {
      const { run, sent } = rig()
      const answer = await run(sender(), { url })
      expect(sent).toEqual([])
      expect(answer.ok).toBe(false)
    }
  )
})

describe("a header that is not one of the request's own", () => {
  const tool = sender([{ ...KEY, in: ["header"] }])

  it.each([
    "host",
    "Content-Length",
    "transfer-encoding",
    "connection",
    "te",
    "trailer",
    "upgrade",
    "expect",
    "keep-alive",
    "proxy-authorization",
    "proxy-connection",
    ":authority"
  ])("holds no secret: %s", async (name) => {
    const { run, sent } = rig()
    expect((await run(tool, { url: API, headers: { [name]: "@" } })).error).toMatch(/^SEAL_REFUSED/)
    expect(sent).toEqual([])
  })
})

describe("hosts of a declaration", () => {
  it.each(["*", "*:443", "**", "*.", "*.*", "https://*", "*@a.example", "a.*", " *"])(
    "are named: %j",
    (host) => {
      expect(() => Registry.make(sender([{ ref: "KEY", hosts: [host], in: ["header"] }], "named"))).toThrow()
    }
  )

  it.each([
    "https://api.example.com.evil.example/",
    "https://evil.example/https://api.example.com/",
    "https://api.example.com@evil.example/",
    "https://evil.example\\@api.example.com/",
    "https://xapi.example.com/",
    "https://api.example.com%2eevil.example/",
    "https://аpi.example.com/",
    "https://[::1]/"
  ])("are not those that look like them: %s", async (url) => {
    const { run, sent } = rig()
    expect((await run(sender(), { url, headers: bearer })).ok).toBe(false)
    expect(sent).toEqual([])
  })

  it.each(["https://API.example.com./", "https://api。example.com/", "https://api.example.com:0443/"])(
    "are sent to under their one name: %s",
    async (url) => {
      const { run, sent } = rig()
      const { ok } = await run(sender(), { url, headers: bearer })
      if (ok) expect(new URL(sent[0]?.url ?? "").host.replace(/\.$/, "")).toBe("api.example.com")
      else expect(sent).toEqual([])
    }
  )
})

describe("a signature", () => {
  it.each([
    ["alone, as S3 says it of one that does not match", (signature: string) => signature],
    ["in capitals", (signature: string) => signature.toUpperCase()]
  ])("does not come back %s", async (_, form) => {
    for (const as of [
      { as: "aws4", accessKeyId: "AKID", region: "us-east-1", service: "s3" },
      { as: "hmac", over: ["method", "path"] }
    ]) {
      const seen: Array<unknown> = []
      let signature = ""
      const { run } = rig(({ headers }) => {
        signature = /[0-9a-f]{64}$/.exec(headers.authorization ?? "")?.[0] ?? ""
        return `<SignatureProvided>${form(signature)}</SignatureProvided>`
      })
      const { ok } = await run(sender([KEY], "sender", seen), {
        url: API,
        headers: { authorization: "@" },
        as
      })
      expect([ok, signature.length]).toEqual([true, 64])
      expect(JSON.stringify(seen).toLowerCase()).not.toContain(signature)
    }
  })
})

describe("a value in a body of JSON", () => {
  it.each([
    "application/json; charset=utf-8",
    "text/json",
    "application/vnd.api+json",
    "application/x-ndjson",
    "application/jsonl",
    "application/json-seq"
  ])("stays one text: %s", async (type) => {
    const value = 'a","admin":true,"b":"\n'
    const { run, sent } = rig(undefined, { KEY: value })
    const tool = sender([{ ...KEY, in: ["body"] }])
    await run(tool, { url: API, method: "POST", headers: { "content-type": type }, body: '{"key":"@"}' })
    expect(JSON.parse(sent[0]?.body ?? "")).toEqual({ key: value })
  })
})

describe("several tokens", () => {
  it("in one header are each asked about, and one that may not stand there refuses all", async () => {
    const both = [KEY, { ref: "OTHER", hosts: ["api.example.com"], in: ["header:x-other"] }]
    const made = rig(({ headers }) => JSON.stringify(headers))
    const take = Effect.flatMap(Secrets, (service) => service.sealed("OTHER" as "KEY"))
    const send = (headers: Record<string, string>) => Network.get(API, { headers })
    const tool = (header: string) =>
      acting(
        (token) =>
          Effect.flatMap(take as unknown as Effect.Effect<string, NetworkError, Network>, (other) =>
            send({ authorization: `${token}, ${token}`, [header]: `${other} ${token}` })
          ),
        made,
        { secrets: both }
      )
    expect((await tool("x-other")).error).toMatch(/^SEAL_REFUSED: .* in header:x-other/)
    expect(made.sent).toEqual([])
  })
})

describe("two policies", () => {
  const sealed = policy({
    network: { get: ["*"] },
    secrets: { seal: [{ ref: "KEY", to: "api.example.com", in: "*" }] }
  })
  const open = policy({ network: { get: ["*"] }, secrets: { read: ["KEY"] } })
  const elsewhere = policy({
    network: { get: ["*"] },
    secrets: { seal: [{ ref: "KEY", to: "b.example.com", in: "*" }] }
  })
  const reading = Tool.make({
    name: "reading",
    description: "reads",
    parameters: Schema.Struct({}),
    capabilities: { secrets: ["KEY"] },
    execute: () => Effect.as(Secrets.get("KEY"), "read")
  }) as Tool.Any

  it("of which one says 'sealed' let nobody read, in either order, and send to where both say", async () => {
    for (const held of [Policy.meet(sealed, open), Policy.meet(open, sealed)]) {
      const { run, sent } = rig()
      expect((await run(reading, {} as never, { policy: held })).ok).toBe(false)
      expect((await run(sender(), { url: API, headers: bearer }, { policy: held })).ok).toBe(true)
      expect(sent).toHaveLength(1)
    }
    const { run, sent } = rig()
    const wide = sender([{ ...KEY, hosts: ["*.example.com"], in: ["header"] }])
    for (const url of [API, "https://b.example.com/"]) {
      expect((await run(wide, { url, headers: bearer }, { policy: Policy.meet(sealed, elsewhere) })).ok).toBe(
        false
      )
    }
    expect(sent).toEqual([])
  })
})
