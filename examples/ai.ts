/**
 * Agents with a model that follows a script. `ai.ts agent` runs one of them, `ai.ts` all, and `ai.ts server 8080`
 * serves until it is stopped.
 */
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import { Console, Effect, Layer } from "effect"
import * as agent from "./ai/agent.js"
import * as prompt from "./ai/prompt.js"
import * as server from "./ai/server.js"
import * as streaming from "./ai/streaming.js"

const [name, port] = process.argv.slice(2)

const programs = Object.entries({
  agent: agent.program,
  streaming: streaming.program,
  prompt: prompt.program,
  server: port === undefined ? server.program : Layer.launch(server.layerServer(Number(port)))
}).filter(([one]) => name === undefined || name === one)

NodeRuntime.runMain(
  Effect.gen(function* () {
    for (const [one, program] of programs) {
      yield* Console.log(`\n## ${one}\n`)
      yield* program
    }
  })
)
