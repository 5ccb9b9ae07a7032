/** The first tool of a workspace, and its test: JavaScript, so that every Node runs it. */

export const index = `export { fetchWeather } from "./fetch_weather.js"
`

export const tool = `import { Network, Tool } from "bailiwick"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"

const Point = Schema.Struct({ properties: Schema.Struct({ forecast: Schema.String }) })

const Periods = Schema.Array(Schema.Struct({ name: Schema.String, detailedForecast: Schema.String }))

const Forecast = Schema.Struct({ properties: Schema.Struct({ periods: Periods }) })

export const fetchWeather = Tool.make({
  name: "fetch_weather",
  description: "The forecast for a point in the United States",
  parameters: Schema.Struct({ lat: Schema.Number, lon: Schema.Number }),
  success: Periods,
  readOnly: true,
  outputIsUntrusted: true,
  capabilities: { network: { allowedHosts: ["api.weather.gov"] } },
  execute: ({ lat, lon }) =>
    Effect.gen(function* () {
      const point = yield* Network.json(\`https://api.weather.gov/points/\${lat},\${lon}\`, Point)
      const forecast = yield* Network.json(point.properties.forecast, Forecast)
      return forecast.properties.periods
    })
})
`

export const test = `import assert from "node:assert/strict"
import { test } from "node:test"
import { Network, Tool } from "bailiwick"
import * as Effect from "effect/Effect"
import { fetchWeather } from "../tools/fetch_weather.js"

const FORECAST = "https://api.weather.gov/gridpoints/SEW/124,67/forecast"

/** Answers as the service would; a test needs no network. */
const service = Network.mock((url) =>
  JSON.stringify({
    properties:
      url === FORECAST
        ? { periods: [{ name: "Tonight", detailedForecast: "Rain, mainly before midnight." }] }
        : { forecast: FORECAST }
  })
)

test("fetch_weather gives the periods of the forecast", async () => {
  const periods = await Effect.runPromise(
    Tool.run(fetchWeather, { lat: 47.6, lon: -122.3 }).pipe(Effect.provide(service))
  )
  assert.deepEqual(periods, [{ name: "Tonight", detailedForecast: "Rain, mainly before midnight." }])
})
`
