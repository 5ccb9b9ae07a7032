import { describe, expect, it } from "@effect/vitest"
import { Network } from "bailiwick"
import { TestNetwork } from "bailiwick/testing"
import { Chunk, Deferred, Effect, Either, FastCheck, Fiber, Redacted, Schema, Stream } from "effect"

const bytes = (text: string) => new TextEncoder().encode(text)

const URL = "https://a.example/"

/** A body that says when it is let go of. */
const watched = Effect.gen(function* () {
  const released = yield* Deferred.make<void>()
  const body = Stream.concat(Stream.make(bytes("one")), Stream.never).pipe(
    Stream.ensuring(Deferred.succeed(released, undefined))
  )
  return { body, released: Deferred.await(released) }
})

describe("an answer over a stream of parts", () => {
  it.effect("is let go of when it is left, closed or interrupted", () =>
    Effect.gen(function* () {
      const first = yield* Deferred.make<void>()
      const uses: ReadonlyArray<(opened: Network.Opened) => Effect.Effect<unknown, unknown>> = [
        ({ body }) => Stream.runDrain(Stream.take(body, 1)),
        ({ body, close }) => Stream.runForEach(body, () => close),
        ({ body }) =>
          Effect.gen(function* () {
            const reading = yield* Effect.fork(
              Stream.runForEach(body, () => Deferred.succeed(first, undefined))
            )
            yield* Deferred.await(first)
            yield* Fiber.interrupt(reading)
          })
      ]
      for (const use of uses) {
        const { body, released } = yield* watched
        yield* Effect.flatMap(Network.open("GET", URL), (opened) => Effect.either(use(opened))).pipe(
          Effect.provide(Network.mock(() => ({ body })))
        )
        yield* released
      }
    })
  )

  it.effect("fails a reader whose answer is closed under it", () =>
    Effect.gen(function* () {
      const first = yield* Deferred.make<void>()
      const { body } = yield* watched
      const opened = yield* Effect.provide(
        Network.open("GET", URL),
        Network.mock(() => ({ body }))
      )
      const reading = yield* Effect.fork(
        Stream.runForEach(opened.body, () => Deferred.succeed(first, undefined))
      )
      yield* Deferred.await(first)
      yield* opened.close
      expect((yield* Effect.flip(Fiber.join(reading))).message).toBe(
        "REQUEST_FAILED: the answer was closed before all of its body was read; read it before closing it"
      )
    })
  )

  it.effect("without a head is none", () =>
    Effect.gen(function* () {
      for (const parts of [Stream.empty, Stream.make(bytes("a"))]) {
        const error = yield* Effect.flip(
          Effect.provide(
            Network.open("GET", URL),
            Network.layer(() => ({ request: () => Effect.never, open: () => parts }))
          )
        )
        expect(error.message).toBe("REQUEST_FAILED: the network answered without a head; report it")
      }
    })
  )
})

describe("parts and requests as data", () => {
  it("come back as they were, and what was redacted stays so", () => {
    const { payload, success } = Network.operations.open
    const parts: ReadonlyArray<Network.Part> = [
      { status: 200, headers: { a: "b" }, setCookies: ["c=1", "d=2"], url: URL },
      bytes("body")
    ]
    for (const part of parts) {
      const sent: unknown = JSON.parse(JSON.stringify(Schema.encodeSync(success)(part)))
      expect(Schema.decodeUnknownSync(success)(sent)).toEqual(part)
    }
    const request = {
      method: "GET",
      url: URL,
      headers: { a: "b", authorization: Redacted.make("Bearer t0ken") },
      redirects: "none" as const
    }
    const sent: unknown = JSON.parse(JSON.stringify(Schema.encodeSync(payload)(request)))
    const got = Schema.decodeUnknownSync(payload)(sent)
    expect(got).toEqual(request)
    expect(JSON.stringify(got)).not.toContain("t0ken")
  })

  it("know answers of before, which name no cookies", () => {
    const decoded = Schema.decodeSync(Network.schemas.Response)({
      status: 200,
      headers: {},
      url: URL,
      body: ""
    })
    expect(decoded.setCookies).toEqual([])
  })

  it.effect("that are recorded do not show what is redacted", () =>
    Effect.gen(function* () {
      const seen: Array<string> = []
      const { calls, layer } = TestNetwork.recording((_, { headers }) => {
        seen.push(headers["x-key"] ?? "")
        return "ok"
      })
      const options = { headers: { "x-key": Redacted.make("hunter2") } }
      yield* Effect.provide(
        Effect.zip(Network.get(URL, options), Stream.runDrain(Network.stream(URL, options))),
        layer
      )
      expect(seen).toEqual(["hunter2", "hunter2"])
      const recorded = yield* calls
      expect(recorded.map(({ operation }) => operation)).toEqual(["request", "open"])
      expect(JSON.stringify(recorded)).not.toContain("hunter2")
    })
  )
})

describe("server-sent events", () => {
  const TYPE = { "content-type": "text/event-stream; charset=utf-8" }
  const read = (body: Stream.Stream<Uint8Array>, headers: Readonly<Record<string, string>> = TYPE) =>
    Effect.provide(
      Effect.map(Stream.runCollect(Network.events(URL)), Chunk.toReadonlyArray),
      Network.mock(() => ({ headers, body }))
    )

  it.effect("are the same however their bytes come, and however their lines end", () =>
    Effect.gen(function* () {
      const lines = [
        "\uFEFF: comment",
        "data: ä",
        "data:b",
        "",
        "event: x",
        "id: 1",
        "data",
        "",
        "data: lost"
      ]
      const expected = [
        { event: "message", data: "ä\nb", id: undefined },
        { event: "x", data: "", id: "1" }
      ]
      const cuts = FastCheck.array(FastCheck.integer({ min: 1, max: 9 }), { minLength: 1, maxLength: 9 })
      for (const end of ["\n", "\r", "\r\n"]) {
        const all = bytes(lines.join(end))
        for (const sizes of FastCheck.sample(cuts, 8)) {
          const chunks: Array<Uint8Array> = []
          for (let at = 0; at < all.length; at += chunks.at(-1)?.length ?? 1) {
            chunks.push(all.slice(at, at + (sizes[chunks.length % sizes.length] ?? 1)))
          }
          expect(yield* read(Stream.rechunk(Stream.fromIterable(chunks), 1))).toEqual(expected)
        }
      }
    })
  )

  it.effect("without end, and what is something else, are refused", () =>
    Effect.gen(function* () {
      const endless = Stream.repeatValue(bytes(`data: ${"a".repeat(64 * 1024)}`))
      const long = yield* Effect.either(read(endless))
      expect(Either.isLeft(long) && long.left.code).toBe("LIMIT_EXCEEDED")
      const page = yield* Effect.either(read(Stream.make(bytes("<p>")), { "content-type": "text/html" }))
      expect(Either.isLeft(page) && page.left.message).toBe(
        "DECODE_FAILED: the answer of https://a.example/ is not a stream of events; read it with stream"
      )
    })
  )
})
