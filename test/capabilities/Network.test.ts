import { describe, expect, it } from "@effect/vitest"
import { Chunk, Effect, Schema, Stream } from "effect"
import { Network } from "../../src/capabilities/network/Network.js"
import { NetworkError } from "../../src/capabilities/network/NetworkOperations.js"

const text = (bytes: Uint8Array | undefined) => new TextDecoder().decode(bytes)

describe("Network", () => {
  it.effect("answers with text, bytes, JSON and chunks", () =>
    Effect.gen(function* () {
      expect(yield* Network.get("https://a.com/")).toBe('{"n":1}')
      expect(text(yield* Network.bytes("https://a.com/"))).toBe('{"n":1}')
      expect(yield* Network.json("https://a.com/", Schema.Struct({ n: Schema.Number }))).toEqual({ n: 1 })
      const chunks = yield* Stream.runCollect(Network.stream("https://a.com/"))
      expect(Chunk.toReadonlyArray(chunks).map(text).join("")).toBe('{"n":1}')
    }).pipe(Effect.provide(Network.mock(() => ({ json: { n: 1 } }))))
  )

  it.effect("sends method, headers and body", () => {
    const seen: Array<Network.Request> = []
    return Effect.gen(function* () {
      yield* Network.request("PATCH", "https://a.com/1", { headers: { "x-a": "b" }, body: "raw" })
      yield* Network.post("https://a.com/2", "hello")
      yield* Network.put("https://a.com/3", new Uint8Array([104, 105]))
      yield* Network.delete("https://a.com/4")
      yield* Network.post("https://a.com/5", undefined, { json: { a: 1 } })
      yield* Network.json("https://a.com/6", Schema.Unknown, { method: "POST", json: [] })
      expect(
        seen.map(({ method, url, body }) => [method, url, body === undefined ? null : text(body)])
      ).toEqual([
        ["PATCH", "https://a.com/1", "raw"],
        ["POST", "https://a.com/2", "hello"],
        ["PUT", "https://a.com/3", "hi"],
        ["DELETE", "https://a.com/4", null],
        ["POST", "https://a.com/5", '{"a":1}'],
        ["POST", "https://a.com/6", "[]"]
      ])
      expect(seen[0]?.headers).toEqual({ "x-a": "b" })
      expect(seen[4]?.headers).toEqual({ "content-type": "application/json" })
    }).pipe(
      Effect.provide(
        Network.mock((_, request) => {
          seen.push(request)
          return "null"
        })
      )
    )
  })

  it.effect("keeps a content type that is already there", () =>
    Effect.gen(function* () {
      const headers = { "Content-Type": "application/ld+json" }
      yield* Network.post("https://a.com/", undefined, { json: 1, headers })
    }).pipe(
      Effect.provide(
        Network.mock((_, request) => {
          expect(request.headers).toEqual({ "Content-Type": "application/ld+json" })
          return ""
        })
      )
    )
  )

  it.effect("fails on a status outside the two hundreds, without the query", () =>
    Effect.gen(function* () {
      const failures = yield* Effect.all([
        Effect.flip(Network.get("https://a.com/x?key=hidden#f")),
        Effect.flip(Network.json("https://a.com/x?key=hidden", Schema.Unknown)),
        Effect.flip(Network.bytes("https://a.com/x?key=hidden")),
        Effect.flip(Stream.runDrain(Network.stream("https://a.com/x?key=hidden")))
      ])
      for (const failure of failures) {
        expect(failure.message).toBe("STATUS_NOT_OK: GET https://a.com/x answered with status 404")
      }
      expect((yield* Network.request("GET", "https://a.com/x")).status).toBe(404)
    }).pipe(Effect.provide(Network.mock(() => ({ status: 404, text: "no" }))))
  )

  it.effect("fails when JSON does not decode", () =>
    Effect.gen(function* () {
      const schema = Schema.Struct({ n: Schema.Number })
      const wrong = yield* Effect.flip(Network.json("https://a.com/wrong", schema))
      expect(wrong.code).toBe("DECODE_FAILED")
      const broken = yield* Effect.flip(Network.json("https://a.com/broken", schema))
      expect(broken.code).toBe("DECODE_FAILED")
    }).pipe(Effect.provide(Network.mock((url) => (url.endsWith("wrong") ? '{"n":"1"}' : "{"))))
  )

  it.effect("fails when the json option cannot be written", () =>
    Effect.gen(function* () {
      const cycle: { self?: unknown } = {}
      cycle.self = cycle
      const failure = yield* Effect.flip(Network.post("https://a.com/", undefined, { json: cycle }))
      expect(failure.message).toBe("REQUEST_FAILED: the json option cannot be written as JSON")
    }).pipe(Effect.provide(Network.mock(() => "")))
  )

  it.effect("passes on what a mock fails with", () =>
    Effect.gen(function* () {
      const failure = yield* Effect.flip(Network.get("https://a.com/"))
      expect(failure.message).toBe("HOST_NOT_ALLOWED: a.com is not in the declared allowedHosts")
    }).pipe(
      Effect.provide(
        Network.mock(() =>
          Effect.fail(
            new NetworkError({
              code: "HOST_NOT_ALLOWED",
              detail: "a.com is not in the declared allowedHosts"
            })
          )
        )
      )
    )
  )

  it.effect("dies by name where a partial service has no method", () =>
    Effect.gen(function* () {
      expect(yield* Network.get("https://a.com/")).toBe("https://a.com/")
      const exit = yield* Effect.exit(Network.post("https://a.com/"))
      expect(String(exit)).toContain(
        "Network.post was called, but the layerTest in use does not implement it"
      )
      const stream = yield* Effect.exit(Stream.runDrain(Network.stream("https://a.com/")))
      expect(String(stream)).toContain("Network.stream was called")
    }).pipe(Effect.provide(Network.layerTest({ get: (url) => Effect.succeed(url) })))
  )
})
