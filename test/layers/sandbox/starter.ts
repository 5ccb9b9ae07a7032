/**
 * A process of its own that is killed at some moment. It starts held children without end, many at once, each with somebody who
 * leaves its session; some are interrupted at some moment of their own.
 */
import { Effect, Fiber, Random, Schema } from "effect"
import { scoped } from "../../../src/capabilities/process/ScopedProcess.js"
import * as NodeProcess from "../../../src/layers/node/process/NodeProcess.js"
import { holder } from "../../../src/policy/gate/Asking.js"
import * as Authority from "../../../src/policy/lattice/Authority.js"

const [root = "", sleep = "", atOnce = "4"] = process.argv.slice(2)

const authority = Schema.decodeSync(Authority.FromJson)({
  process: { exec: [{ argv: "*", in: `${root}/` }] },
  files: { read: [`${root}/`], write: [`${root}/`], delete: [`${root}/`] }
})

const script = `trap '' TERM; setsid ${sleep} & (${sleep} &); ${sleep}`

const turn = Effect.async<void>((resume) => {
  setImmediate(() => resume(Effect.void))
})

const program = Effect.gen(function* () {
  const backend = yield* NodeProcess.make({
    grace: "10 millis",
    children: Number(atOnce),
    childrenPerTool: Number(atOnce),
    sandbox: { quarantine: `${root}/../quarantine` }
  })
  const operations = scoped(holder({ authority }), { workdir: root }, backend)
  const one = Effect.gen(function* () {
    const fiber = yield* Effect.fork(operations.spawn({ binary: "sh", args: ["-c", script] }))
    yield* Effect.repeatN(turn, yield* Random.nextIntBetween(0, 400))
    yield* Fiber.interrupt(fiber)
  })
  process.stdout.write("begun\n")
  yield* Effect.all(
    Array.from({ length: Number(atOnce) }, () => Effect.forever(one)),
    { concurrency: "unbounded" }
  )
})

await Effect.runPromise(Effect.scoped(program))
