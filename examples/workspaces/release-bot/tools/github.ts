/** Releases on GitHub. Which server it is, the policy says: ours may be an Enterprise Server. */
import { Network, Secrets, Tool } from "bailiwick"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import { Forge } from "../services/Forge.ts"
import { TagName } from "./git.ts"

const Release = Schema.Struct({ tag_name: Schema.String, html_url: Schema.String, draft: Schema.Boolean })

const releases = Effect.flatMap(Forge, (forge) => forge.releases())

const headers = Effect.map(Secrets.get("GITHUB_TOKEN"), (token) => ({
  accept: "application/vnd.github+json",
  authorization: `Bearer ${Redacted.value(token)}`,
  "x-github-api-version": "2022-11-28"
}))

export const listReleases = Tool.make({
  name: "list_releases",
  description: "The latest releases on GitHub, drafts among them",
  parameters: Schema.Struct({}),
  success: Schema.Array(Release),
  readOnly: true,
  outputIsUntrusted: true,
  capabilities: { network: { allowedHosts: ["*"] }, secrets: ["GITHUB_TOKEN"] },
  services: [Forge],
  execute: () =>
    Effect.gen(function* () {
      const url = `${yield* releases}?per_page=20`
      return yield* Network.json(url, Schema.Array(Release), { headers: yield* headers })
    })
})

export const draftRelease = Tool.make({
  name: "draft_release",
  description: "Puts a draft of a release on GitHub, which a person publishes",
  parameters: Schema.Struct({ tag: TagName, notes: Schema.NonEmptyString }),
  success: Release,
  outputIsUntrusted: true,
  capabilities: { network: { allowedHosts: ["*"] }, secrets: ["GITHUB_TOKEN"] },
  services: [Forge],
  execute: ({ notes, tag }) =>
    Effect.gen(function* () {
      return yield* Network.json(yield* releases, Release, {
        method: "POST",
        headers: { ...(yield* headers), "content-type": "application/json" },
        body: JSON.stringify({ tag_name: tag, name: tag, body: notes, draft: true })
      })
    })
})
