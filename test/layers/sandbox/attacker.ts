/**
 * A process of its own, which a test starts as one user or another. It runs commands of a tool, held, and prints what came of
 * each. What the commands try is harmless where nothing holds them: they open and do not write, and count what they start.
 */
import { Effect, Either, Schema } from "effect"
import { scoped } from "../../../src/capabilities/process/ScopedProcess.js"
import * as NodeProcess from "../../../src/layers/node/process/NodeProcess.js"
import { holder } from "../../../src/policy/gate/Asking.js"
import * as Authority from "../../../src/policy/lattice/Authority.js"
import { type Attack, Attacks, type Outcome } from "./attacks.js"

const [given = ""] = process.argv.slice(2)

const { attacks, quarantine, root } = Schema.decodeSync(Schema.parseJson(Attacks))(given)

const authority = Schema.decodeSync(Authority.FromJson)({
  process: { exec: [{ argv: "*", in: `${root}/` }] },
  files: { read: [`${root}/`], write: [`${root}/`], delete: [`${root}/`] }
})

const run = (
  { limits, script }: Attack,
  backend: Effect.Effect.Success<ReturnType<typeof NodeProcess.make>>
) => {
  const own = holder({ authority, sandbox: { mode: "required", limits: limits ?? {} } })
  const command = { binary: "sh", args: ["-c", script] }
  return Effect.map(
    Effect.either(scoped(own, { workdir: root }, backend).spawn(command)),
    Either.match({
      onLeft: ({ message }): Outcome => ({ exitCode: -1, stdout: "", stderr: message, notes: [] }),
      onRight: ({ exitCode, notes = [], stderr, stdout }): Outcome => ({ exitCode, stdout, stderr, notes })
    })
  )
}

const program = Effect.gen(function* () {
  const backend = yield* NodeProcess.make({ sandbox: { quarantine } })
  return yield* Effect.forEach(attacks, (attack) => run(attack, backend), { concurrency: 4 })
})

console.log(JSON.stringify(await Effect.runPromise(Effect.scoped(program))))
