/** Tools that do next to nothing, for the bench of isolated tools. */
import { Network, Tool } from "bailiwick"
import { Effect, Schema } from "effect"

export const noop = Tool.make({
  name: "noop",
  description: "Gives back a number",
  parameters: Schema.Struct({ n: Schema.Number }),
  capabilities: {},
  execute: ({ n }) => Effect.succeed(n)
})

export const body = Tool.make({
  name: "body",
  description: "How long an answer is",
  parameters: Schema.Struct({ port: Schema.Int }),
  capabilities: { network: { allowedHosts: ["127.0.0.1"] } },
  execute: ({ port }) => Effect.map(Network.bytes(`http://127.0.0.1:${port}/`), ({ length }) => length)
})
