/** The threat: an answer that was worked out for one agent and is handed to another. */
import { describe, expect, it } from "@effect/vitest"
import { Effect, Schema } from "effect"
import * as Authority from "../../src/policy/lattice/Authority.js"
import * as Policy from "../../src/policy/Policy.js"
import * as Registry from "../../src/registry/Registry.js"
import * as Turn from "../../src/registry/Turn.js"
import * as Tool from "../../src/tools/Tool.js"

describe("an answer that is kept", () => {
  it.effect("is not given to another agent, though its policy were called by the same revision", () =>
    Effect.gen(function* () {
      let runs = 0
      const counted = Tool.make({
        name: "counted",
        description: "Says how often it ran",
        parameters: Schema.Struct({}),
        success: Schema.Number,
        cache: true,
        capabilities: {},
        execute: () => Effect.sync(() => ++runs)
      })
      const registry = Registry.make(counted)
      const made = (agent: string) => Policy.make({ agent, authority: Authority.nothing })
      const { revision } = made("agents/a")
      const call = (agent: string) =>
        registry.execute(Turn.make({ session: "s", workdir: "/w", policy: { ...made(agent), revision } }), [
          { id: "1", name: "counted", args: {} }
        ])
      const answers = [yield* call("agents/a"), yield* call("agents/a"), yield* call("agents/b")]
      expect(answers.map(([first]) => first?.result)).toEqual([
        { ok: true, value: 1 },
        { ok: true, value: 1 },
        { ok: true, value: 2 }
      ])
    })
  )
})
