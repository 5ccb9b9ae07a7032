/** A process of its own that has calls executed, and prints the id of each once it has its result. */
import { writeSync } from "node:fs"
import { Personality, Registry, Tool, Turn } from "bailiwick"
import { Audit } from "bailiwick/node"
import { Effect, Schema } from "effect"

const Job = Schema.parseJson(
  Schema.Struct({
    name: Schema.String,
    times: Schema.Number,
    atOnce: Schema.Number,
    fileBytes: Schema.optional(Schema.Number),
    fsync: Schema.optional(Schema.Boolean),
    onFailure: Schema.optional(Schema.Literal("closed", "open"))
  })
)

const [directory = "", given = ""] = process.argv.slice(2)

// A limit on the size of files is told by a signal, which would end the process.
process.on("SIGXFSZ", () => {})

const echo = Tool.make({
  name: "echo",
  description: "answers",
  parameters: Schema.Struct({ text: Schema.String }),
  capabilities: {},
  execute: ({ text }) => Effect.succeed(text)
})

const idle = new Int32Array(new SharedArrayBuffer(4))

/** A pipe that is full takes nothing of a line; who reads it may be slow. */
const say = (line: string): void => {
  for (;;) {
    try {
      writeSync(1, line)
      return
    } catch (error) {
      if (!(error instanceof Error && "code" in error && error.code === "EAGAIN")) throw error
      Atomics.wait(idle, 0, 0, 1)
    }
  }
}

const { name, times, atOnce, ...options } = Schema.decodeSync(Job)(given)
const registry = Registry.make(echo)
const clerk = Personality.parseSync({ config: { file: "config.yaml", text: "id: clerk" } }, { workdir: "/" })

await Effect.gen(function* () {
  const turn = Turn.make({ session: name, policy: Personality.policy(clerk), workdir: "/" })
  for (let round = 0; round < times; round++) {
    const calls = Array.from({ length: atOnce }, (_, index) => ({
      id: `${name}/${round}/${index}`,
      name: "echo",
      args: { text: "x" }
    }))
    for (const { id, result } of yield* registry.execute(turn, calls)) {
      // Written before the next step: who reads it has the result, also if the process is killed now.
      say(`${result.ok ? id : `${id} ${result.error}`}\n`)
    }
  }
}).pipe(Effect.provide(Audit.layer({ directory, ...options })), Effect.runPromise)
