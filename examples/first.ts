/** A first tool: what it declares, what the model sees of it, and one call against mock layers. */
import { runMain } from "@effect/platform-node/NodeRuntime"
import { Network, Secrets, Tool } from "bailiwick"
import { Console, Effect } from "effect"
import { fetchWeather } from "./tools/weather.js"

const program = Effect.gen(function* () {
  yield* Console.log(`${fetchWeather.name} touches, and nothing else:`)
  for (const line of Tool.surface(fetchWeather)) yield* Console.log(`  ${line}`)

  yield* Console.log("\nThe model is shown these parameters:")
  yield* Console.log(JSON.stringify(Tool.jsonSchema(fetchWeather), null, 2))

  const forecast = yield* Tool.run(fetchWeather, { lat: 47.6, lon: -122.3 })
  yield* Console.log(`\nOne call, against mock layers: ${forecast.celsius} °C, ${forecast.sky}`)
}).pipe(
  Effect.provide(Network.mock(() => ({ json: { celsius: 12, sky: "light rain" } }))),
  Effect.provide(Secrets.mock({ WEATHER_API_KEY: "only-a-mock" }))
)

runMain(program)
