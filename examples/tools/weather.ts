/** Looks up a forecast with an API key: one host, one secret. */
import { Network, Secrets, Tool } from "bailiwick"
import { Effect, Redacted, Schema } from "effect"

const Forecast = Schema.Struct({ celsius: Schema.Number, sky: Schema.String })

export const fetchWeather = Tool.make({
  name: "fetch_weather",
  description: "The forecast for a point on the map",
  parameters: Schema.Struct({
    lat: Schema.Number.annotations({ description: "Latitude in degrees" }),
    lon: Schema.Number.annotations({ description: "Longitude in degrees" })
  }),
  success: Forecast,
  readOnly: true,
  outputIsUntrusted: true,
  deadline: "10 seconds",
  capabilities: {
    network: { allowedHosts: ["api.weather.gov"] },
    secrets: ["WEATHER_API_KEY"]
  },
  execute: ({ lat, lon }) =>
    Effect.gen(function* () {
      const key = yield* Secrets.get("WEATHER_API_KEY")
      return yield* Network.json(`https://api.weather.gov/points/${lat},${lon}`, Forecast, {
        headers: { authorization: `Bearer ${Redacted.value(key)}` }
      })
    })
})
