/**
 * A checked command as macOS will hold it: its plan as a profile, with a directory of its own and a proxy that knows it by a
 * token. It has never been run on macOS by those who wrote it.
 */
import * as fs from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Effect, Either, type Scope } from "effect"
import type { ProcessError } from "../../../capabilities/process/ProcessOperations.js"
import type { Limits } from "../../../policy/Sandbox.js"
import { type ChildLimits, settle } from "../sandbox/ChildLimits.js"
import type { ChildNetwork } from "../sandbox/ChildNetwork.js"
import * as Seatbelt from "../sandbox/seatbelt/Seatbelt.js"
import type { Survey } from "../sandbox/survey/Survey.js"
import type { Sweeper } from "../sandbox/sweep/Sweep.js"
import type { CheckedCommand } from "./checkedCommand.js"
import type { Directory } from "./directory.js"
import { withNotes } from "./ended.js"
import { planOf } from "./held.js"
import { nameOf } from "./launch.js"
import { limitNotes } from "./limitNotes.js"
import type { Prepared, Restore } from "./prepared.js"
import * as refusals from "./refusals.js"

interface Holding {
  /** The absolute path of `sandbox-exec`. */
  readonly program: string
  readonly network: ChildNetwork
  readonly survey: Survey
  readonly sweeper: Sweeper
  readonly command: CheckedCommand
  readonly directory: Directory
}

/** By its real path, as the system compares it; gone with the child. */
const scratch: Effect.Effect<string, never, Scope.Scope> = Effect.acquireRelease(
  Effect.sync(() => fs.mkdtempSync(join(fs.realpathSync(tmpdir()), "bailiwick-"))),
  (path) => Effect.sync(() => fs.rmSync(path, { recursive: true, force: true }))
)

/** Sizes of files are counted in blocks of this many bytes. */
const BLOCK = 512

/** A shell sets the limits, and becomes the command. */
const limited = (
  { fileBytes, openFiles }: ChildLimits,
  argv: ReadonlyArray<string>
): ReadonlyArray<string> => [
  "/bin/sh",
  "-c",
  `ulimit -c 0; ulimit -n ${openFiles}; ulimit -f ${Math.max(1, Math.floor(fileBytes / BLOCK))}; exec "$@"`,
  "sh",
  ...argv
]

/** What this system has no way to bound. */
const unbounded = ["processes", "memoryBytes", "tmpBytes"] as const satisfies ReadonlyArray<keyof Limits>

export const heldByProfile = (
  { command, directory, network, program, survey, sweeper }: Holding,
  restore: Restore
): Effect.Effect<Prepared, ProcessError, Scope.Scope> =>
  Effect.gen(function* () {
    const name = nameOf(command)
    const { limits: written } = command.proof.held.sandbox
    if (unbounded.some((limit) => written[limit] !== undefined)) return yield* refusals.notBounded
    const planned = yield* restore(planOf(survey.plan, command, directory))
    const { plan } = planned
    const notes: Array<string> = []
    const tmp = yield* scratch
    const { proof } = command
    const note = (text: string) => void notes.push(text)
    const here = plan.reaches
      ? yield* restore(network.openHere({ proof, plan, limits: written, note }))
      : undefined
    const limits = settle(written)
    const line = Either.flatMap(
      Seatbelt.profile(plan, { tmp, ...(here === undefined ? {} : { proxyPort: here.port }) }),
      (text) => Seatbelt.commandLine(program, text, limited(limits, [command.path, ...command.argv.slice(1)]))
    )
    if (Either.isLeft(line)) return yield* refusals.notSaid(name, line.left.detail)
    const [file, ...args] = line.right
    const sweep = sweeper.begin(planned)
    return {
      launch: {
        name,
        file,
        argv0: file,
        args,
        at: directory.at,
        env: { ...command.env, HOME: tmp, TMPDIR: tmp, ...command.given, ...here?.environment },
        hold: undefined,
        verdict: (ended, said) =>
          Either.right(withNotes(ended, [...notes, ...limitNotes(ended, said, limits, undefined)]))
      },
      limits: written,
      open: undefined,
      swept: sweep.finish(proof)
    }
  })
