/** Two tools of one name that describe themselves alike. */
import { Tool } from "bailiwick"
import { Effect, Schema } from "effect"

const saying = (words: string) =>
  Tool.make({
    name: "same",
    description: "Says which it is",
    parameters: Schema.Struct({}),
    capabilities: {},
    execute: () => Effect.succeed(words)
  })

export const one = saying("one")

export const other = saying("other")
