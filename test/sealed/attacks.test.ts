/**
 * The threat: a tool holds the token of a sealed secret and wants the secret. It sends the token wherever it likes, and reads
 * whatever comes back. The value must go to the declared host in the declared place, and nowhere else.
 */
import { Buffer } from "node:buffer"
import { createHmac } from "node:crypto"
import { describe, expect, it } from "@effect/vitest"
import { Network, Personality, Policy, Registry, Secrets, Tool, Turn } from "bailiwick"
import { Effect, Schema, Stream } from "effect"
import { KEY, policy, rig, sender, VALUE } from "./rig.js"

const API = "https://api.example.com/v1"
const bearer = { authorization: "Bearer @" }

const refused = async (
  args: Parameters<ReturnType<typeof rig>["run"]>[1],
  secrets: ReadonlyArray<unknown> = [KEY],
  values?: Readonly<Record<string, string>>
) => {
  const { run, sent } = rig(() => "ok", values)
  const { error, ok } = await run(sender(secrets), args)
  expect(ok).toBe(false)
  expect(sent).toEqual([])
  return error
}

describe("the token of a sealed secret", () => {
  it.each(["request", "open", "stream", "get", "redacted"] as const)(
    "is the value for a declared host in a declared place: %s",
    async (how) => {
      const seen: Array<unknown> = []
      const { run, sent } = rig(({ headers }) => ({ json: headers }))
      const { ok } = await run(sender([KEY], "sender", seen), {
        url: API,
        headers: { Authorization: "Bearer @" },
        how
      })
      expect(ok).toBe(true)
      expect(sent).toMatchObject([{ url: API, headers: { Authorization: `Bearer ${VALUE}` } }])
      expect(JSON.stringify(seen)).not.toContain(VALUE)
      expect(JSON.stringify(seen)).toContain("*".repeat(VALUE.length))
    }
  )

  it("means nothing: the tool sees neither the value nor its name", async () => {
    const { run, sent } = rig()
    const { value } = await run(sender(), { url: `${API}?t=x`, headers: { "x-note": "no token" } })
    expect(value).toMatchObject({ text: "ok" })
    expect(sent[0]?.headers).toEqual({ "x-note": "no token" })
  })

  it.each([
    ["another host", { url: "https://evil.example/", headers: bearer }],
    ["a host below", { url: "https://x.api.example.com/", headers: bearer }],
    ["a host that ends alike", { url: "https://evilapi.example.com/", headers: bearer }],
    ["another header", { url: API, headers: { "x-other": "@" } }],
    ["a header that looks alike", { url: API, headers: { "authorization-": "@" } }],
    ["a header's name", { url: API, headers: { "@": "x" } }],
    ["the query", { url: `${API}?key=@` }],
    ["a parameter's name", { url: `${API}?@=1` }],
    ["the path", { url: `${API}/@/x` }],
    ["the fragment", { url: `${API}#@` }],
    ["the body", { url: API, method: "POST", body: '{"key":"@"}' }],
    ["a body beside its header", { url: API, method: "POST", headers: bearer, body: "@" }],
    ["a header in the clear", { url: "http://api.example.com/v1", headers: bearer }],
    ["a request with a Range", { url: API, headers: { ...bearer, Range: "bytes=0-0" } }],
    ["two headers of one name", { url: API, headers: { ...bearer, Authorization: "@" } }]
  ])("is refused in %s", async (_, args) => {
    expect(await refused(args)).toMatch(/^SEAL_REFUSED: /)
  })

  it("is refused in a host and in user info, whatever says so", async () => {
    await refused({ url: "https://@.example.com/" })
    await refused({ url: "https://u:@@api.example.com/" })
  })

  it.each(["query", "query:key", "path", "body", "header:x-api-key"])(
    "may stand in %s where that is named",
    async (place) => {
      const { run, sent } = rig()
      const tool = sender([{ ...KEY, in: [place] }])
      const [url, headers, body] = place.startsWith("query")
        ? [`${API}?key=@`, {}, undefined]
        : place === "path"
          ? [`${API}/@/x`, {}, undefined]
          : place === "body"
            ? [API, { "content-type": "application/json" }, '{"key":"@"}']
            : [API, { "X-Api-Key": "@" }, undefined]
      const { ok, value } = await run(tool, {
        url,
        headers: headers as Record<string, string>,
        method: body === undefined ? "GET" : "POST",
        ...(body === undefined ? {} : { body })
      })
      expect(ok).toBe(true)
      const [one] = sent
      expect(`${one?.url} ${JSON.stringify(one?.headers)} ${one?.body}`).toContain(
        /query|path/.test(place) ? encodeURIComponent(VALUE) : VALUE
      )
      // The address comes back as the tool wrote it.
      expect(JSON.stringify(value)).not.toContain("s3cr3t")
      expect((await run(tool, { url: API, headers: bearer })).ok).toBe(false)
    }
  )

  it("is refused in a parameter that is not named", async () => {
    expect(await refused({ url: `${API}?other=@` }, [{ ...KEY, in: ["query:key"] }])).toMatch(/^SEAL_REFUSED/)
  })

  it("goes to a port that is named, and to no other", async () => {
    const { run, sent } = rig()
    const tool = sender([{ ...KEY, hosts: ["api.example.com:8443"] }])
    expect((await run(tool, { url: API, headers: bearer })).ok).toBe(false)
    expect((await run(tool, { url: "https://api.example.com:8443/", headers: bearer })).ok).toBe(true)
    expect(sent).toHaveLength(1)
  })

  it("goes in the clear only to a private endpoint that the policy names", async () => {
    const tool = sender([{ ...KEY, hosts: ["127.0.0.1"] }])
    const held = (connect: ReadonlyArray<string>) =>
      policy({ network: { get: ["*"] }, private: { connect }, secrets: { read: ["KEY"] } })
    const { run, sent } = rig()
    const args = { url: "http://127.0.0.1:8080/", headers: bearer }
    expect((await run(tool, args, { policy: held(["127.0.0.1:9090"]) })).error).toMatch(
      /^SEAL_REFUSED.*https/
    )
    expect(sent).toEqual([])
    expect((await run(tool, args, { policy: held(["127.0.0.1:8080"]) })).ok).toBe(true)
    expect(sent[0]?.headers.authorization).toBe(`Bearer ${VALUE}`)
  })

  it("that only looks like one is refused, wherever it stands", async () => {
    const { run, sent } = rig(() => "ok")
    for (const look of ["bw_sealed_", `bw_sealed_${"0".repeat(40)}`, `bw_sealed_${"f".repeat(40)}x`]) {
      const { error } = await run(sender(), { url: API, headers: { authorization: `Bearer ${look}` } })
      expect(error).toMatch(/^SEAL_REFUSED: .*no token/)
      // Whoever has nothing sealed cannot send it on either.
      const plain = await run(sender(["KEY", KEY]), { url: `https://evil.example/?x=${look}` })
      expect(plain.error).toMatch(/^SEAL_REFUSED/)
    }
    expect(sent).toEqual([])
  })
})

describe("the token of a turn", () => {
  it("is refused in the next turn, and for another tool of the same turn", async () => {
    const { backends, sent } = rig()
    let kept = ""
    const taking = Tool.make({
      name: "taking",
      description: "takes",
      parameters: Schema.Struct({}),
      capabilities: { secrets: [KEY] },
      execute: () => Effect.map(Secrets.sealed("KEY"), (token) => (kept = token))
    })
    const sending = (name: string) =>
      Tool.make({
        name,
        description: "sends",
        parameters: Schema.Struct({}),
        capabilities: { network: { allowedHosts: ["api.example.com"] }, secrets: [KEY] },
        execute: () =>
          Effect.zipRight(
            Secrets.sealed("KEY"),
            Network.get(API, { headers: { authorization: `Bearer ${kept}` } })
          )
      })
    const registry = Registry.make(taking, sending("sending"))
    const turn = () =>
      Turn.make({ session: "s1", workdir: "/work", policy: Policy.make({ authority: everythingHeld() }) })
    const call = (at: Turn.Turn, name: string) =>
      Effect.runPromise(Effect.provide(registry.execute(at, [{ id: name, name, args: {} }]), backends))
    const first = turn()
    await call(first, "taking")
    expect(kept).toMatch(/^bw_sealed_[0-9a-f]{40}$/)
    expect(kept).not.toContain("KEY")
    for (const at of [first, turn()]) {
      const [answer] = await call(at, "sending")
      expect(answer?.result).toMatchObject({
        ok: false,
        error: expect.stringMatching(/^SEAL_REFUSED: .*no token/)
      })
    }
    expect(sent).toEqual([])
  })
})

const everythingHeld = () => policy({ network: { get: ["*"] }, secrets: { read: ["KEY"] } }).authority

describe("what answers", () => {
  const forms: ReadonlyArray<readonly [string, (value: string) => string]> = [
    ["plain", (value) => value],
    ["base64", (value) => Buffer.from(value).toString("base64")],
    ["base64 behind something", (value) => Buffer.from(`x:${value}`).toString("base64")],
    ["base64url", (value) => Buffer.from(`xy${value}`).toString("base64url")],
    ["hex", (value) => Buffer.from(value).toString("hex")],
    ["hex with colons", (value) => (Buffer.from(value).toString("hex").match(/../g) ?? []).join(":")],
    [
      "percent",
      (value) => Array.from(Buffer.from(value), (byte) => `%${byte.toString(16).padStart(2, "0")}`).join("")
    ],
    ["percent where it must be", encodeURIComponent],
    [
      "JSON",
      (value) => Array.from(value, (one) => `\\u${one.charCodeAt(0).toString(16).padStart(4, "0")}`).join("")
    ],
    ["JSON with slashes", (value) => value.replaceAll("/", "\\/")],
    ["HTML", (value) => Array.from(value, (one) => `&#x${one.charCodeAt(0).toString(16)};`).join("")],
    ["percent twice", (value) => encodeURIComponent(encodeURIComponent(value))],
    ["what is not seen between", (value) => Array.from(value).join("\u200b")]
  ]
  const echoed = (shown: unknown, form: string) => {
    const text = JSON.stringify(shown)
    expect(text).not.toContain(VALUE)
    expect(text).not.toContain(form)
    expect(text).not.toContain("s3cr3t")
  }

  it.each(forms)("does not give the value back: %s", async (_, form) => {
    const echo = form(VALUE)
    for (const how of ["request", "open", "stream"] as const) {
      const seen: Array<unknown> = []
      const { run } = rig(() => ({ text: `before ${echo} after` }))
      expect((await run(sender([KEY], "sender", seen), { url: API, headers: bearer, how })).ok).toBe(true)
      echoed(seen, echo)
      expect(JSON.stringify(seen)).toMatch(/before \w{0,2}\*+ after/)
    }
  })

  it.each(forms)("does not give it back split over chunks: %s", async (_, form) => {
    const body = Buffer.from(`{"before":1} ${form(VALUE)} {"after":2}`)
    for (const size of [1, 2, 3, 5, 7, 16]) {
      const chunks = Array.from(
        { length: Math.ceil(body.length / size) },
        (__, at) => new Uint8Array(body.subarray(at * size, (at + 1) * size))
      )
      const seen: Array<{ readonly text: string }> = []
      const { run } = rig(() => ({ body: Stream.fromIterable(chunks) }))
      const args = { url: API, headers: bearer, how: "stream" } as const
      expect((await run(sender([KEY], "sender", seen), args)).ok).toBe(true)
      expect(seen[0]?.text).toMatch(/^\{"before":1\} \w{0,3}\*+ \{"after":2\}$/)
      expect(seen[0]?.text.length).toBe(body.toString("latin1").length)
    }
  })

  it("does not give it back in headers, their names, cookies, or where it redirects to", async () => {
    const seen: Array<unknown> = []
    const { run, sent } = rig(() => ({
      status: 302,
      headers: {
        location: `https://api.example.com/?k=${encodeURIComponent(VALUE)}`,
        [`x-${VALUE}`]: "1",
        etag: VALUE
      },
      setCookies: [`k=${VALUE}; Path=/`]
    }))
    for (const how of ["request", "open"] as const) {
      await run(sender([KEY], "sender", seen), { url: API, headers: bearer, how })
    }
    echoed(seen, VALUE)
    expect(JSON.stringify(seen)).toContain("[redacted]")
    expect(sent.map(({ redirects }) => redirects)).toEqual(["same-origin", "same-origin"])
  })

  it("does not give it back in a compression that nobody undid", async () => {
    for (const how of ["request", "open", "stream"] as const) {
      const { run } = rig(() => ({ headers: { "content-encoding": "zstd" }, body: "compressed" }))
      expect((await run(sender(), { url: API, headers: bearer, how })).error).toMatch(
        /^REQUEST_FAILED: .*compressed/
      )
    }
  })

  it.each(["header:authorization", "header", "query", "path", "body"])(
    "kept the value from an earlier run does not give it to a tool that has sent none in this one: %s",
    async (place) => {
      for (const how of ["request", "open", "stream"] as const) {
        const seen: Array<unknown> = []
        const { run } = rig(() => ({ headers: { "x-kept": VALUE }, text: `kept ${VALUE}` }))
        const tool = sender([{ ...KEY, in: [place] }], "sender", seen)
        expect((await run(tool, { url: API, how })).ok).toBe(true)
        echoed(seen, VALUE)
        expect(JSON.stringify(seen)).toMatch(/kept \*+/)
      }
    }
  )

  it("is asked as ever where nobody may send it the value, and where that is not there", async () => {
    const packed = { headers: { "content-encoding": "zstd" }, body: "compressed" }
    const { run } = rig(() => packed)
    const held = policy({
      network: { get: ["*"] },
      secrets: { seal: [{ ref: "KEY", to: "x.test", in: "*" }] }
    })
    const other = sender([{ ...KEY, hosts: ["x.test"] }])
    expect((await run(other, { url: API }, { policy: held })).ok).toBe(true)
    const { run: without } = rig(() => packed, {})
    expect((await without(sender(), { url: API })).ok).toBe(true)
    const turn = Turn.make({
      session: "s1",
      workdir: "/work",
      policy: Policy.make({ authority: everythingHeld() })
    })
    await rig().run(sender(), { url: API }, { turn })
    expect(turn.transcript.events.map(({ asked }) => asked)).toEqual([`GET ${API}`])
  })

  it("is handed on as it comes where it cannot be the beginning of the value", async () => {
    const { run } = rig(() => ({
      headers: { "content-type": "text/event-stream" },
      body: Stream.fromIterable(
        ["data: one\n\n", "data: two\n\n"].map((text) => new TextEncoder().encode(text))
      )
    }))
    const seen: Array<unknown> = []
    await run(sender([KEY], "sender", seen), { url: API, headers: bearer, how: "stream" })
    expect(seen).toEqual([{ text: "data: one\n\ndata: two\n\n" }])
  })
})

describe("a value that is no text of its place", () => {
  const values = (value: string) => ({ KEY: value })

  it.each(["a\r\nx-evil: 1", "abcd\n", "abcd\u0000", "abcd\u20ac"])(
    "is refused in a header: %j",
    async (value) => {
      expect(await refused({ url: API, headers: bearer }, [KEY], values(value))).toMatch(
        /^SEAL_REFUSED: .*no header/
      )
    }
  )

  const smuggled = 'a"&b=<c>\r\n--edge\r\n\u0000'

  it.each([
    ["application/json", '{"k":"@"}', (body: string) => JSON.parse(body).k],
    ["application/x-www-form-urlencoded", "k=@&z=1", (body: string) => new URLSearchParams(body).get("k")]
  ])("stays one value in a body of %s", async (type, body, read) => {
    const { run, sent } = rig(() => "ok", values(smuggled))
    const tool = sender([{ ...KEY, in: ["body"] }])
    expect((await run(tool, { url: API, method: "POST", headers: { "content-type": type }, body })).ok).toBe(
      true
    )
    expect(read(sent[0]?.body ?? "")).toBe(smuggled)
  })

  it.each([
    "multipart/form-data; boundary=edge",
    "application/xml",
    "text/plain",
    "application/octet-stream"
  ])("is refused in a body of %s, where it would end", async (type) => {
    const args = { url: API, method: "POST", headers: { "content-type": type }, body: "@" }
    const secrets = [{ ...KEY, in: ["body"] }]
    expect(await refused(args, secrets, values(smuggled))).toMatch(/^SEAL_REFUSED/)
  })

  it("is not told by the boundary of a body, which the tool chooses and could guess with", async () => {
    const { run, sent } = rig()
    const guessing = (boundary: string) =>
      run(sender([{ ...KEY, in: ["body"] }]), {
        url: API,
        method: "POST",
        headers: { "content-type": `multipart/form-data; boundary="${boundary}"` },
        body: "@"
      })
    const answers = [await guessing(VALUE.slice(0, 3)), await guessing("zzz")]
    expect(answers.map(({ ok }) => ok)).toEqual([true, true])
    expect(sent.map(({ body }) => body)).toEqual([VALUE, VALUE])
  })

  it("is escaped in XML", async () => {
    const { run, sent } = rig(() => "ok", values(`<&>"'x`))
    const headers = { "content-type": "application/xml" }
    await run(sender([{ ...KEY, in: ["body"] }]), { url: API, method: "POST", headers, body: "<k>@</k>" })
    expect(sent[0]?.body).toBe("<k>&lt;&amp;&gt;&quot;&apos;x</k>")
  })

  it("stays one segment of a path and one parameter of a query", async () => {
    const { run, sent } = rig(() => "ok", values("../a?b=1#c&d/%2e"))
    const tool = sender([{ ...KEY, in: ["path", "query"] }])
    expect((await run(tool, { url: `${API}/@/end?k=@&z=1` })).ok).toBe(true)
    const url = new URL(sent[0]?.url ?? "")
    expect(url.pathname.split("/").map(decodeURIComponent)).toEqual(["", "v1", "../a?b=1#c&d/%2e", "end"])
    expect([...url.searchParams]).toEqual([
      ["k", "../a?b=1#c&d/%2e"],
      ["z", "1"]
    ])
  })

  it("is refused where it is too short to be kept out of answers", async () => {
    expect(await refused({ url: API, headers: bearer }, [KEY], values("abc"))).toMatch(
      /at least 4 characters/
    )
  })

  it("is not there: the log says which, and the tool is not told", async () => {
    expect(await refused({ url: API, headers: bearer }, [KEY], {})).toMatch(
      /^REQUEST_FAILED: a sealed secret is not there/
    )
  })
})

describe("a policy", () => {
  const read = (held: unknown, secrets: ReadonlyArray<unknown>) => {
    const { run, sent } = rig(({ headers }) => ({ json: headers }))
    return Promise.all([run(sender(secrets), { url: API, headers: bearer }, { policy: policy(held) }), sent])
  }

  it("that holds the secret sealed lets it be sent, and one that does not refuses the token", async () => {
    const network = { get: ["*"] }
    const sealed = { network, secrets: { seal: [{ ref: "KEY", to: "*", in: "*" }] } }
    const [allowed, sent] = await read(sealed, [KEY])
    expect(allowed.ok).toBe(true)
    expect(sent).toHaveLength(1)
    expect((await read({ network, secrets: { read: ["KEY"] } }, [KEY]))[0].ok).toBe(true)
    expect((await read({ network, secrets: { read: ["OTHER"] } }, [KEY]))[0].error).toMatch(
      /^SECRET_NOT_DECLARED/
    )
    const narrow = { network, secrets: { seal: [{ ref: "KEY", to: "elsewhere.example", in: "*" }] } }
    expect((await read(narrow, [KEY]))[0].error).toMatch(/^SECRET_NOT_DECLARED/)
  })

  it("that says 'sealed' gives a tool that reads no way to send it anywhere", async () => {
    const sealed = { network: { get: ["*"] }, secrets: { seal: [{ ref: "KEY", to: "*", in: "*" }] } }
    const [result, sent] = await read(sealed, ["KEY"])
    expect(result.error).toMatch(/^SECRET_NOT_DECLARED: .*with their hosts/)
    expect(sent).toEqual([])
  })

  it("of a personality: allow with sealed, and sealed alone", async () => {
    const reading = Tool.make({
      name: "reading",
      description: "reads",
      parameters: Schema.Struct({}),
      capabilities: { secrets: ["KEY"] },
      execute: () => Effect.as(Secrets.get("KEY"), "read it")
    })
    const of = (secrets: string) =>
      Personality.policy(
        Personality.parseSync(
          { config: { file: "c.yaml", text: `id: p\nsafety: { network: { allow: ["*"] } }\n${secrets}` } },
          { workdir: "/work" }
        )
      )
    for (const [text, mayRead, maySend] of [
      ["secrets: { allow: [KEY], sealed: true }", false, true],
      ["secrets: { sealed: true }", false, true],
      ["secrets: { allow: [KEY] }", true, true],
      ["secrets: { allow: [KEY], sealed: false }", true, true],
      ["", true, true],
      ["secrets: { allow: [], sealed: true }", false, false]
    ] as const) {
      const { backends, run } = rig()
      const held = of(text)
      const turn = Turn.make({ session: "s1", workdir: "/work", policy: held })
      const [answer] = await Effect.runPromise(
        Effect.provide(
          Registry.make(reading).execute(turn, [{ id: "1", name: "reading", args: {} }]),
          backends
        )
      )
      expect([text, answer?.result.ok]).toEqual([text, mayRead])
      if (text.includes("sealed: true") && maySend) {
        expect(answer?.result).toMatchObject({ denial: { code: "SECRET_SEALED" } })
      }
      expect([text, (await run(sender(), { url: API, headers: bearer }, { policy: held })).ok]).toEqual([
        text,
        maySend
      ])
    }
  })
})

describe("where a policy demands that secrets are sealed", () => {
  const held = policy({ network: { get: ["*"] }, secrets: { seal: [{ ref: "KEY", to: "*", in: "*" }] } })
  const turn = Turn.make({ session: "s1", workdir: "/work", policy: held })
  const told = (secrets: ReadonlyArray<unknown>, under = turn) => {
    const registry = Registry.make(sender(secrets))
    const call = { id: "1", name: "sender", args: { url: API } }
    return Effect.runPromise(
      Effect.provide(
        Effect.all([registry.menu(under), registry.missing(under), registry.explain(under, call)]),
        rig().backends
      ) as Effect.Effect<
        readonly [ReadonlyArray<unknown>, ReadonlyArray<unknown>, { readonly result: unknown }]
      >
    )
  }
  const network = "may GET from *"

  it("a tool that only reads one is not in the menu, as where the secret is not held at all", async () => {
    for (const secrets of [["KEY"], ["OTHER"], ["KEY", { ...KEY, ref: "OTHER" }]]) {
      const [menu, missing, { result }] = await told(secrets)
      expect([menu, missing]).toEqual([
        [],
        [{ name: "sender", needs: ["secrets.read"], why: "the policy gives it nothing of secrets.read" }]
      ])
      expect(result).toMatchObject({ value: { may: [network] } })
    }
  })

  it("a tool that declares both ways may send it to its hosts, and is said to send it nowhere else", async () => {
    const hosts = "may send the sealed secrets KEY to api.example.com in header:authorization"
    for (const secrets of [[KEY], ["KEY", KEY]]) {
      const [menu, , { result }] = await told(secrets)
      expect(menu).toHaveLength(1)
      expect(result).toMatchObject({ value: { may: [network, hosts] } })
    }
    const [menu, , { result }] = await told(
      ["KEY", KEY],
      Turn.make({
        session: "s1",
        workdir: "/work",
        policy: policy({ network: { get: ["*"] }, secrets: { read: ["KEY"] } })
      })
    )
    expect(menu).toHaveLength(1)
    expect(result).toMatchObject({ value: { may: [network, "may read the secrets KEY"] } })
  })
})

describe("a tool that does not play fair", () => {
  const tool = (
    execute: (secrets: Secrets.Service, network: Network.Service) => Effect.Effect<unknown, unknown, never>
  ): Tool.Any =>
    Tool.make({
      name: "unfair",
      description: "tries",
      parameters: Schema.Struct({}),
      capabilities: { network: { allowedHosts: ["*"] }, secrets: [KEY] },
      execute: () =>
        Effect.orDie(
          Effect.flatMap(Effect.all([Secrets, Network]), ([secrets, network]) => execute(secrets, network))
        ) as Effect.Effect<unknown>
    }) as Tool.Any
  const service = <A>(effect: Effect.Effect<A, unknown, unknown>) =>
    effect as Effect.Effect<A, { readonly message: string }>

  it("does not read what it declares sealed, whatever a cast says", async () => {
    const told: Array<unknown> = []
    const { run } = rig()
    await run(
      tool((secrets) =>
        Effect.map(Effect.flip(service(secrets.get("KEY"))), (error) => told.push(error.message))
      ),
      {} as never
    )
    expect(told).toEqual(["SECRET_SEALED: the requested secret may be sent sealed, and not read"])
  })

  it("changes nothing of a request after it was looked at", async () => {
    const { run, sent } = rig()
    const body = new TextEncoder().encode("signed")
    let reads = 0
    await run(
      tool((secrets, network) =>
        Effect.gen(function* () {
          const signature = yield* service(secrets.sealed("KEY", { as: "hmac", over: ["body"] }))
          const headers = {
            get authorization() {
              reads += 1
              return signature
            }
          }
          const fiber = yield* Effect.fork(
            service(network.request("POST", "https://api.example.com/", { headers, body }))
          )
          yield* Effect.yieldNow()
          body.fill(0)
          yield* Effect.exit(fiber)
        })
      ),
      {} as never
    )
    const [one] = sent
    expect(one?.headers.authorization).toBe(
      createHmac("sha256", VALUE)
        .update(one?.body ?? "")
        .digest("hex")
    )
    expect(reads).toBeGreaterThan(0)
  })

  it("holds a token no longer than its call", async () => {
    let kept: Secrets.Service | undefined
    const { run } = rig()
    await run(
      tool((secrets) => Effect.sync(() => (kept = secrets))),
      {} as never
    )
    const late = await Effect.runPromise(Effect.flip(service((kept as Secrets.Service).sealed("KEY"))))
    expect(late.message).toMatch(/the call that this service was given to has ended/)
  })

  it("finds the value in no other case: a host name, a header's name", async () => {
    const seen: Array<unknown> = []
    const value = "AbCdEfGhIj-42"
    const { run } = rig(
      () => ({
        headers: {
          [`x-${value.toLowerCase()}`]: "1",
          location: `https://${value.toLowerCase()}.evil.example/`
        }
      }),
      { KEY: value }
    )
    await run(sender([KEY], "sender", seen), { url: API, headers: bearer })
    expect(JSON.stringify(seen)).not.toContain(value.toLowerCase())
  })
})
