/** Threat: a client that knows nothing of policies goes where one does not let it. */
import { FetchHttpClient } from "@effect/platform"
import { describe, expect, it } from "@effect/vitest"
import { Effect, Either } from "effect"
import { scoped } from "../../../src/capabilities/network/ScopedNetwork.js"
import * as PlatformNetwork from "../../../src/layers/platform/PlatformNetwork.js"
import { holder } from "../../../src/policy/gate/Asking.js"
import { reach } from "./fixture.js"

describe("PlatformNetwork", () => {
  const fetched: Array<{ readonly url: string; readonly init: RequestInit | undefined }> = []
  /** Nothing goes anywhere: what would have gone is kept. */
  const fetch = (async (url, init) => {
    fetched.push({ url: String(url), init })
    return new Response("ok")
  }) as typeof globalThis.fetch
  const made = PlatformNetwork.make().pipe(
    Effect.provide(FetchHttpClient.layer),
    Effect.map((backend) => scoped(holder({ authority: reach(["*"]), tool: "t" }), backend))
  )
  const ask = (url: string) =>
    Effect.flatMap(made, ({ request }) => Effect.either(request({ method: "GET", url, headers: {} }))).pipe(
      Effect.provideService(FetchHttpClient.Fetch, fetch)
    )

  it.effect("asks the policy about addresses that are not public, however they are spelt", () =>
    Effect.gen(function* () {
      for (const host of [
        "127.0.0.1",
        "0x7f.1",
        "2130706433",
        "10.0.0.5",
        "[::1]",
        "[::ffff:10.0.0.1]",
        "169.254.169.254",
        "100.100.100.200",
        "[fd00:ec2::254]",
        "0.0.0.0",
        "localhost",
        "a.localhost",
        "localhost."
      ]) {
        const answer = yield* ask(`http://${host}/`)
        expect([host, Either.isLeft(answer) && answer.left.code]).toEqual([
          host,
          expect.stringMatching(/^(?:ADDRESS|HOST)_NOT_ALLOWED$/)
        ])
      }
      const port = yield* ask("http://a.example:25/")
      expect(Either.isLeft(port) && port.left.code).toBe("ADDRESS_NOT_ALLOWED")
      expect(fetched).toEqual([])
    })
  )

  it.effect("sends nothing of the page that it runs in, and has redirects come back", () =>
    Effect.gen(function* () {
      const answer = yield* Effect.withSpan(ask("https://a.example/x"), "outer")
      expect(Either.isRight(answer)).toBe(true)
      const [{ init, url }] = fetched.splice(0) as [(typeof fetched)[number]]
      expect(url).toBe("https://a.example/x")
      expect(init).toMatchObject({ redirect: "manual", credentials: "omit", referrerPolicy: "no-referrer" })
      expect(Object.keys(Object(init?.headers)).sort()).toEqual(["accept", "accept-encoding", "user-agent"])
    })
  )

  it.effect("refuses a redirect where the platform hides where it leads", () =>
    Effect.gen(function* () {
      const opaque = (async () => ({ ...Response.error(), status: 0, headers: new Headers() })) as never
      const answer = yield* Effect.provideService(
        Effect.flatMap(made, ({ request }) =>
          Effect.either(request({ method: "GET", url: "https://a.example/", headers: {} }))
        ),
        FetchHttpClient.Fetch,
        opaque
      )
      expect(Either.isLeft(answer) && answer.left.message).toBe(
        "REQUEST_FAILED: a.example:443 redirects, and this platform does not say where to; request where it leads"
      )
    })
  )
})
