/**
 * A process of its own that starts held children. With `forever` they are started one after the other, several at once, until
 * it is killed; with `once` there is one, and what its result says is answered as JSON.
 */
import { Effect, Logger, Schema } from "effect"
import { scoped } from "../../../src/capabilities/process/ScopedProcess.js"
import * as NodeProcess from "../../../src/layers/node/process/NodeProcess.js"
import { holder } from "../../../src/policy/gate/Asking.js"
import * as Authority from "../../../src/policy/lattice/Authority.js"

const [how = "", root = "", quarantine = "", script = "", atOnce = "1"] = process.argv.slice(2)

const authority = Schema.decodeSync(Authority.FromJson)({
  process: { exec: [{ argv: "*", in: `${root}/` }] },
  files: { read: [`${root}/`], write: [`${root}/`], delete: [`${root}/`] }
})

const heard: Array<string> = []
const logged: Array<string> = []

const program = Effect.gen(function* () {
  const backend = yield* NodeProcess.make({
    children: Number(atOnce),
    childrenPerTool: Number(atOnce),
    sandbox: { quarantine }
  })
  const observed = holder({
    authority,
    observe: (decision) => {
      if (!decision.allowed) heard.push(`${decision.denial.code} ${decision.denial.asked}`)
    }
  })
  const operations = scoped(observed, { workdir: root }, backend)
  const one = Effect.either(operations.spawn({ binary: "sh", args: ["-c", script] }))
  if (how === "forever") {
    process.stdout.write("begun\n")
    yield* Effect.all(
      Array.from({ length: Number(atOnce) }, () => Effect.forever(one)),
      { concurrency: "unbounded" }
    )
  }
  const result = yield* one
  const notes = result._tag === "Right" ? (result.right.notes ?? []) : [result.left.message]
  process.stdout.write(JSON.stringify({ notes, heard, logged }))
})

const log = Logger.make(({ message }) => void logged.push(String(message)))

await Effect.runPromise(Effect.provide(Effect.scoped(program), Logger.replace(Logger.defaultLogger, log)))
