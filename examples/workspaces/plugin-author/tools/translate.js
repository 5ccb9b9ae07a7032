import { Network, Secrets, Storage, Tool } from "bailiwick"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"

const DAY = 86_400

const Answer = Schema.Struct({ text: Schema.String })

export const translate = Tool.exact({
  name: "acme_translate",
  description: "Translates a text; what was translated today is not asked for again",
  parameters: Schema.Struct({ text: Schema.NonEmptyString, to: Schema.Literal("de", "en", "fr") }),
  success: Schema.String,
  outputIsUntrusted: true,
  capabilities: {
    network: { allowedHosts: ["translate.acme.example"] },
    secrets: ["acme/key"],
    storage: { scope: "tool-private", kind: "kv", ttlSecondsDefault: DAY }
  },
  execute: ({ text, to }) =>
    Effect.gen(function* () {
      const key = `${to}/${text}`
      const known = yield* Storage.get(key)
      if (Option.isSome(known)) return known.value
      const secret = yield* Secrets.get("acme/key")
      const answer = yield* Network.json("https://translate.acme.example/v1", Answer, {
        method: "POST",
        headers: { authorization: `Bearer ${Redacted.value(secret)}` },
        body: JSON.stringify({ text, to })
      })
      yield* Storage.set(key, answer.text)
      return answer.text
    })
})
