/** Whether `sandbox-exec` holds children here. It is no guess: `true` is run under a profile, as every child is. */
import { execFile } from "node:child_process"
import { existsSync, realpathSync } from "node:fs"
import { tmpdir } from "node:os"
import { Effect, Either } from "effect"
import * as Seatbelt from "../seatbelt/Seatbelt.js"
import type { Unheld } from "./diagnosis.js"

const PATIENCE_MILLIS = 20_000

const LONGEST = 200

/** Of a child that may use the directory for what is written in passing, and nothing else. */
const profile = (): Either.Either<string, Seatbelt.Refused> =>
  Seatbelt.profile(
    { mounts: [], covers: [], links: [], cwd: "/", binary: TRUE, reaches: false, doors: [], leftOut: [] },
    { tmp: realpathSync(tmpdir()) }
  )

const TRUE = "/usr/bin/true"

/** Nothing, if it does. */
export const probeProfiles = (program: string): Effect.Effect<Unheld | undefined> =>
  Effect.suspend(() => {
    if (!existsSync(program)) {
      return Effect.succeed({
        kind: "not_installed" as const,
        why: `${program} is not there`,
        remedy: "it comes with macOS: restore it"
      })
    }
    const line = Either.flatMap(profile(), (text) => Seatbelt.commandLine(program, text, [TRUE]))
    if (Either.isLeft(line)) return Effect.succeed(failing(program, line.left.detail))
    const [file, ...args] = line.right
    return Effect.async<Unheld | undefined>((resume) => {
      const child = execFile(file, args, { env: {}, timeout: PATIENCE_MILLIS }, (error, _stdout, stderr) =>
        resume(Effect.succeed(error === null ? undefined : failing(program, stderr)))
      )
      return Effect.sync(() => child.kill("SIGKILL"))
    })
  })

const failing = (program: string, said: string): Unheld => {
  const line = (said.trim().split("\n").at(-1) ?? "").slice(0, LONGEST)
  return {
    kind: "forbidden",
    why: `${program} does not start here${line === "" ? "" : ` and says '${line}'`}`,
    remedy: "run this program outside of another sandbox"
  }
}
