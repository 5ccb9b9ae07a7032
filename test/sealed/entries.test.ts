/** What is threatened: a way to the network that does not know of sealed secrets, or a question that is answered otherwise than the call. */

import { HttpClient, HttpClientRequest } from "@effect/platform"
import { describe, expect, it } from "@effect/vitest"
import { Ask, Builtin, Network, Registry, Secrets, Tool, Turn } from "bailiwick"
import { layerHttpClientFor } from "bailiwick/platform"
import { Effect, FastCheck as fc, Logger, Redacted, Schema, Stream } from "effect"
import { seed, times } from "../deep.js"
import { KEY, policy, rig, sender, VALUE } from "./rig.js"

const quiet = Logger.remove(Logger.defaultLogger)

const held = policy({ network: { get: ["*"] }, secrets: { seal: [{ ref: "KEY", to: "*", in: "*" }] } })

const run = (tool: Tool.Any, args: unknown, world: ReturnType<typeof rig>) => {
  const turn = Turn.make({ session: "s1", workdir: "/work", policy: held })
  return Effect.runPromise(
    Effect.map(
      (
        Registry.make(tool).execute(turn, [{ id: "1", name: tool.name, args }]) as Effect.Effect<
          ReadonlyArray<{
            readonly result: { readonly ok: boolean; readonly error?: string; readonly value?: unknown }
          }>
        >
      ).pipe(Effect.provide(world.backends), Effect.provide(quiet)),
      ([first]) => ({ error: "", ...first?.result, events: turn.transcript.events })
    )
  )
}

describe("the client of @effect/platform", () => {
  it("puts a sealed secret in place, also in a header that is redacted, and does not show it", async () => {
    const seen: Array<unknown> = []
    const tool = Tool.make({
      name: "client",
      description: "uses a library",
      parameters: Schema.Struct({ url: Schema.String }),
      capabilities: { network: { allowedHosts: ["api.example.com"] }, secrets: [KEY] },
      execute: ({ url }) =>
        Effect.gen(function* () {
          const token = yield* Secrets.sealed("KEY")
          const client = yield* HttpClient.HttpClient
          const request = HttpClientRequest.get(url).pipe(HttpClientRequest.bearerToken(Redacted.make(token)))
          const answer = yield* client.execute(request)
          const text = yield* answer.text
          seen.push(answer.headers, text)
          return text
        }).pipe(Effect.scoped, Effect.provide(layerHttpClientFor("api.example.com")), Effect.orDie)
    })
    const world = rig(({ headers }) => ({
      json: headers,
      headers: { "x-echo": headers.authorization ?? "" }
    }))
    const { ok } = await run(tool as Tool.Any, { url: "https://api.example.com/x" }, world)
    expect(ok).toBe(true)
    expect(world.sent[0]?.headers.authorization).toBe(`Bearer ${VALUE}`)
    expect(JSON.stringify(seen)).not.toContain(VALUE)
    expect(JSON.stringify(seen)).toContain("[redacted]")
  })
})

describe("events of a server", () => {
  it("come as they are sent, without the secret", async () => {
    const tool = Tool.make({
      name: "listening",
      description: "listens",
      parameters: Schema.Struct({}),
      capabilities: { network: { allowedHosts: ["api.example.com"] }, secrets: [KEY] },
      execute: () =>
        Effect.gen(function* () {
          const token = yield* Secrets.sealed("KEY")
          const events = Network.events("https://api.example.com/events", {
            headers: { authorization: token }
          })
          return (yield* Stream.runCollect(Stream.map(events, ({ data }) => data))).pipe((all) => [...all])
        })
    })
    const world = rig(() => ({
      headers: { "content-type": "text/event-stream" },
      body: Stream.fromIterable(
        ["data: s\n\n", `data: ${VALUE.slice(0, 5)}`, `${VALUE.slice(5)}\n\n`, "data: end\n\n"].map((text) =>
          new TextEncoder().encode(text)
        )
      )
    }))
    expect((await run(tool as Tool.Any, {}, world)).value).toEqual(["s", "*".repeat(VALUE.length), "end"])
  })
})

describe("web_fetch", () => {
  it("sends no token that a model was told of", async () => {
    const world = rig()
    const token = `bw_sealed_${"0".repeat(40)}`
    for (const args of [
      { url: "https://api.example.com/", headers: { authorization: `Bearer ${token}` } },
      { url: `https://api.example.com/?k=${token}` }
    ]) {
      const { error } = await run(Builtin.webFetch as Tool.Any, args, world)
      expect(error).toMatch(/^SEAL_REFUSED: /)
    }
    expect(world.sent).toEqual([])
  })
})

describe("what is asked beforehand", () => {
  const asking = (secrets: ReadonlyArray<unknown>) =>
    Tool.make({
      name: "asking",
      description: "says what it will ask",
      parameters: Schema.Struct({ url: Schema.String }),
      capabilities: { network: { allowedHosts: ["*"] }, secrets: secrets as readonly [typeof KEY] },
      asks: ({ url }) => [Ask.sealed("KEY", url)],
      execute: () => Secrets.sealed("KEY")
    }) as Tool.Any

  const explain = async (tool: Tool.Any, url: string) => {
    const turn = Turn.make({ session: "s1", workdir: "/work", policy: held })
    const first = await Effect.runPromise(
      (
        Registry.make(tool).explain(turn, {
          id: "1",
          name: tool.name,
          args: { url }
        }) as Effect.Effect<unknown>
      ).pipe(Effect.provide(rig().backends), Effect.provide(quiet))
    )
    return JSON.stringify(first)
  }

  it("is answered as the call is", async () => {
    expect(await explain(asking([KEY]), "https://api.example.com/")).toContain(
      "seal KEY to api.example.com:443 in header:authorization"
    )
    expect(await explain(asking([KEY]), "https://evil.example/")).toContain("SEAL_REFUSED")
    expect(await explain(asking(["KEY"]), "https://api.example.com/")).toContain("SECRET_NOT_DECLARED")
    expect(Tool.surface(asking([KEY])).join("\n")).toContain(
      "KEY, sealed, to api.example.com in header:authorization"
    )
  })
})

describe("the log", () => {
  it("has each use by its ref, its host and its place, and never the token", async () => {
    const world = rig()
    const { events } = await run(
      sender(),
      { url: "https://api.example.com/x", headers: { authorization: "@" } },
      world
    )
    expect(events.map(({ allowed, asked, capability }) => `${allowed} ${capability} ${asked}`)).toEqual([
      "true network.get GET https://api.example.com/x",
      "true secrets.seal seal KEY to api.example.com:443 in header:authorization"
    ])
    const inPath = await run(
      sender([{ ...KEY, in: ["path"] }]),
      { url: "https://api.example.com/x/@/y" },
      world
    )
    expect(inPath.events.map(({ asked }) => asked)).toEqual([
      "GET https://api.example.com/x/[sealed]/y",
      "seal KEY to api.example.com:443 in path"
    ])
    const refused = await run(
      sender(),
      { url: "https://evil.example/", headers: { authorization: "@" } },
      world
    )
    expect(JSON.stringify(refused.events)).not.toMatch(/bw_sealed_/)
    expect(refused.events.at(-1)).toMatchObject({
      allowed: false,
      capability: "secrets.seal",
      code: "SEAL_REFUSED"
    })
  })
})

describe("whatever a tool sends", () => {
  const PLACES = ["header:authorization", "header:x-key", "query:k", "query:other", "path", "body"] as const
  const spot = fc.constantFrom(...PLACES)
  const request = fc.record({
    scheme: fc.constantFrom("https", "https", "https", "http"),
    host: fc.constantFrom("api.example.com", "b.example.org", "evil.example", "api.example.com.evil.example"),
    port: fc.constantFrom("", ":8443"),
    at: fc.uniqueArray(spot, { maxLength: 3 }),
    hosts: fc.uniqueArray(fc.constantFrom("api.example.com", "b.example.org:8443", "*.example.org"), {
      minLength: 1
    }),
    places: fc.uniqueArray(fc.constantFrom(...PLACES, "header", "query"), { minLength: 1 }),
    value: fc.constantFrom(VALUE, 'quo"te&amp;\\', "plain-value-1", "unicode-\u00e9\u00ff")
  })

  it("the value goes to declared hosts in declared places over https, and the token nowhere", async () => {
    await fc.assert(
      fc.asyncProperty(request, async ({ at, host, hosts, places, port, scheme, value }) => {
        const { run: send, sent } = rig(() => "ok", { KEY: value })
        const has = (place: (typeof PLACES)[number]) => (at.includes(place) ? "@" : "none")
        const { ok } = await send(sender([{ ref: "KEY", hosts, in: places }]), {
          method: "POST",
          url: `${scheme}://${host}${port}/p/${has("path")}?k=${has("query:k")}&other=${has("query:other")}`,
          headers: {
            authorization: has("header:authorization"),
            "x-key": has("header:x-key"),
            "content-type": "application/json"
          },
          body: JSON.stringify({ k: has("body") })
        })
        const isHost =
          (host === "api.example.com" && hosts.includes("api.example.com")) ||
          (host === "b.example.org" &&
            (hosts.includes("*.example.org") || (port === ":8443" && hosts.includes("b.example.org:8443"))))
        const isPlace = (place: string) =>
          places.some((one) => one === place || one === place.slice(0, place.indexOf(":")))
        const wanted = at.length === 0 || (scheme === "https" && isHost && at.every(isPlace))
        expect(ok).toBe(wanted)
        expect(sent).toHaveLength(wanted ? 1 : 0)
        const [one] = sent
        if (one === undefined) return
        expect(JSON.stringify(one)).not.toContain("bw_sealed_")
        const url = new URL(one.url)
        const found: Record<(typeof PLACES)[number], string | null | undefined> = {
          "header:authorization": one.headers.authorization,
          "header:x-key": one.headers["x-key"],
          "query:k": url.searchParams.get("k"),
          "query:other": url.searchParams.get("other"),
          path: decodeURIComponent(url.pathname.split("/")[2] ?? ""),
          body: JSON.parse(one.body).k
        }
        for (const place of PLACES)
          expect([place, found[place]]).toEqual([place, at.includes(place) ? value : "none"])
      }),
      { numRuns: times(300), seed }
    )
  })
})
