import { describe, expect, it } from "@effect/vitest"
import { Network, Secrets, Tool } from "bailiwick"
import { Effect } from "effect"
import { fetchWeather } from "./weather.js"

const key = Secrets.mock({ WEATHER_API_KEY: "k-123" })

describe("fetch_weather", () => {
  it.effect("asks for the point, with the key in a header", () =>
    Effect.gen(function* () {
      const seen: Array<string> = []
      const network = Network.mock((url, { headers }) => {
        seen.push(url, headers.authorization ?? "")
        return { json: { celsius: 12, sky: "rain" } }
      })
      const forecast = yield* Tool.run(fetchWeather, { lat: 1, lon: 2 }).pipe(Effect.provide([network, key]))
      expect(forecast).toEqual({ celsius: 12, sky: "rain" })
      expect(seen).toEqual(["https://api.weather.gov/points/1,2", "Bearer k-123"])
    })
  )

  it.effect("says what is wrong with an answer of another shape", () =>
    Effect.gen(function* () {
      const network = Network.mock(() => ({ json: { celsius: "warm" } }))
      const error = yield* Effect.flip(
        Tool.run(fetchWeather, { lat: 1, lon: 2 }).pipe(Effect.provide([network, key]))
      )
      expect(error.code).toBe("DECODE_FAILED")
    })
  )

  it.effect("fails, typed, when the key is missing", () =>
    Effect.gen(function* () {
      const error = yield* Effect.flip(
        Tool.run(fetchWeather, { lat: 1, lon: 2 }).pipe(
          Effect.provide([Network.mock(() => ""), Secrets.mock({})])
        )
      )
      expect(error._tag).toBe("SecretsError")
    })
  )
})
