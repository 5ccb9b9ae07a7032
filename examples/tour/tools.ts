/** Two tools of our own: what they touch stands in their declarations, and their types hold them to it. */
import { Network, Secrets, Storage, Tool } from "bailiwick"
import { Effect, Redacted, Schema } from "effect"

export const localWeather = Tool.make({
  name: "local_weather",
  description: "The weather, from a service on this machine",
  parameters: Schema.Struct({ port: Schema.Int, key: Schema.optional(Schema.String) }),
  success: Schema.String,
  capabilities: { network: { allowedHosts: ["127.0.0.1"] }, secrets: ["WEATHER_API_KEY"] },
  execute: ({ key = "WEATHER_API_KEY", port }) =>
    Effect.gen(function* () {
      const secret = yield* Secrets.get(key)
      return yield* Network.get(`http://127.0.0.1:${port}/`, {
        headers: { authorization: `Bearer ${Redacted.value(secret)}` }
      })
    })
})

export const remember = Tool.make({
  name: "remember",
  description: "Keeps a fact for every session of the personality",
  parameters: Schema.Struct({ fact: Schema.String }),
  capabilities: { storage: { scope: "personality", kind: "kv" } },
  execute: ({ fact }) => Storage.set("fact", fact)
})
