/** A module that waits while it is loaded: there is no snapshot of it. */
import { Tool } from "bailiwick"
import { Effect, Schema } from "effect"

const greeting = await Promise.resolve("hello")

export const greet = Tool.make({
  name: "greet",
  description: "Greets",
  parameters: Schema.Struct({}),
  capabilities: {},
  execute: () => Effect.succeed(greeting)
})
