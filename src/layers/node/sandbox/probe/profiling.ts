/** Whether `sandbox-exec` of macOS starts anything: `true`, under a profile as every child has one. */
import { type ChildProcess, spawn } from "node:child_process"
import { existsSync } from "node:fs"
import { Effect, Either } from "effect"
import type { Plan } from "../../../../policy/confinement/Plan.js"
import { withoutInherited } from "../Inherited.js"
import * as Seatbelt from "../seatbelt/Seatbelt.js"
import { type Unheld, unprofiled } from "./diagnosis.js"

const PATIENCE_MILLIS = 20_000

/** What it said, if it did not end well. */
const run = (file: string, args: ReadonlyArray<string>): Effect.Effect<string | undefined> =>
  Effect.async((resume) => {
    let child: ChildProcess
    try {
      child = withoutInherited(3, (rest) =>
        spawn(file, args, { cwd: "/", env: {}, stdio: ["ignore", "ignore", "pipe", ...rest] })
      )
    } catch (cause) {
      return resume(Effect.succeed(cause instanceof Error ? cause.message : ""))
    }
    let said = ""
    const kill = () => void child.kill("SIGKILL")
    const timer = setTimeout(kill, PATIENCE_MILLIS)
    const end = (trouble: string | undefined) => {
      clearTimeout(timer)
      resume(Effect.succeed(trouble))
    }
    child.stderr?.setEncoding("utf8").on("data", (text: string) => {
      said += text
    })
    child.once("error", ({ message }) => end(message))
    child.once("close", (code) => end(code === 0 ? undefined : said))
    return Effect.sync(kill)
  })

/** Why it cannot be used; nothing, if it can. */
export const profiling = (program: string, plan: Plan): Effect.Effect<Unheld | undefined> =>
  Effect.suspend(() => {
    if (!existsSync(program)) return Effect.succeed(unprofiled(program, undefined))
    const line = Either.flatMap(Seatbelt.profile(plan), (text) =>
      Seatbelt.commandLine(text, [plan.binary], program)
    )
    if (Either.isLeft(line)) return Effect.succeed(unprofiled(program, line.left.detail))
    const [file, ...args] = line.right
    return Effect.map(run(file, args), (said) => (said === undefined ? undefined : unprofiled(program, said)))
  })
