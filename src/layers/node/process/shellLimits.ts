/** Limits as a shell sets them, where nothing else can. It is the last that runs before the command. */
import { execFile } from "node:child_process"
import { Effect } from "effect"
import type { ProcessError } from "../../../capabilities/process/ProcessOperations.js"
import type { Limits } from "../../../policy/Sandbox.js"
import { type ChildLimits, settle } from "../sandbox/ChildLimits.js"
import type { Ended } from "./ended.js"
import * as refusals from "./refusals.js"

/** What of the limits a shell can set. */
export type ShellLimits = Pick<ChildLimits, "openFiles" | "fileBytes"> & {
  readonly processes?: number
  /** How many of the same user run already: the system counts all of them together. */
  readonly others?: number
}

const SAID = "bailiwick: a limit could not be set"

/** Who is held to less already is held. */
const LIMIT = `limit() { ulimit "$1" "$2" 2>/dev/null || [ "$(ulimit -H "$1")" -le "$2" ] 2>/dev/null || { echo '${SAID}' >&2; exit 126; }; }`

/** Some shells count blocks of 512 bytes, and some of 1024. Less than what is written is within it. */
const BLOCK = 1024

const scriptOf = ({ fileBytes, openFiles, others = 0, processes }: ShellLimits): string =>
  [
    LIMIT,
    "limit -c 0",
    `limit -n ${openFiles}`,
    `limit -f ${Math.floor(fileBytes / BLOCK)}`,
    // Shells do not agree on its letter.
    ...(processes === undefined
      ? []
      : [
          `if ulimit -u >/dev/null 2>&1; then limit -u ${processes + others}; else limit -p ${processes + others}; fi`
        ]),
    'exec "$@"'
  ].join("\n")

/** A command, as what sets its limits first. */
export const limited = (limits: ShellLimits, argv: ReadonlyArray<string>): ReadonlyArray<string> => [
  "/bin/sh",
  "-c",
  scriptOf(limits),
  "sh",
  ...argv
]

export const isUnlimited = ({ exitCode }: Ended, said: string): boolean =>
  exitCode === 126 && said.startsWith(SAID)

const running = (user: number, name: string): Effect.Effect<number, ProcessError> =>
  Effect.async((resume) => {
    const child = execFile("/bin/ps", ["-U", String(user), "-o", "pid="], { env: {} }, (error, stdout) =>
      resume(
        error === null
          ? Effect.succeed(stdout.trim().split("\n").length)
          : Effect.fail(refusals.limitsNotSet(name))
      )
    )
    return Effect.sync(() => void child.kill("SIGKILL"))
  })

/** Processes are limited where the policy says how many: there is no number that suits all who share their user. */
export const shellLimits = (written: Limits, name: string): Effect.Effect<ShellLimits, ProcessError> => {
  const { fileBytes, openFiles, processes } = settle(written)
  if (written.processes === undefined) return Effect.succeed({ fileBytes, openFiles })
  const user = process.getuid?.() ?? 0
  if (user === 0) return Effect.fail(refusals.rootHasNoLimit)
  return Effect.map(running(user, name), (others) => ({ fileBytes, openFiles, processes, others }))
}
