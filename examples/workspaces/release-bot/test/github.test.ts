import { describe, expect, it } from "@effect/vitest"
import { Network, Secrets, Tool } from "bailiwick"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { Forge } from "../services/Forge.ts"
import { draftRelease } from "../tools/github.ts"

const address = "https://api.github.com/repos/acme/site/releases"
const forge = Layer.succeed(Forge, { releases: () => Effect.succeed(address) })

describe("draft_release", () => {
  it.effect("sends a draft with the token", () =>
    Effect.gen(function* () {
      const seen: Array<unknown> = []
      const network = Network.mock((url, { body, headers, method }) => {
        seen.push(method, url, headers.authorization, JSON.parse(new TextDecoder().decode(body)))
        return {
          json: { tag_name: "v1.0.0", html_url: "https://github.com/acme/site/releases/1", draft: true }
        }
      })
      const release = yield* Tool.run(draftRelease, { tag: "v1.0.0", notes: "New" }).pipe(
        Effect.provide([network, Secrets.mock({ GITHUB_TOKEN: "t-1" }), forge])
      )
      expect(release.draft).toBe(true)
      expect(seen).toEqual([
        "POST",
        address,
        "Bearer t-1",
        { tag_name: "v1.0.0", name: "v1.0.0", body: "New", draft: true }
      ])
    })
  )
})
