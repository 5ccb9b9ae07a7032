/** From the variables that GitHub Actions sets. The token is none of them: tools read it as a secret. */
import * as Config from "effect/Config"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { Forge } from "./Forge.ts"

const settings = Config.all({
  api: Config.withDefault(Config.nonEmptyString("GITHUB_API_URL"), "https://api.github.com"),
  repository: Config.withDefault(Config.nonEmptyString("GITHUB_REPOSITORY"), "acme/site")
})

export const layer = Layer.effect(
  Forge,
  Effect.map(settings, ({ api, repository }) => ({
    releases: () => Effect.succeed(`${api}/repos/${repository}/releases`)
  }))
)
