/**
 * A checked command as `sandbox-exec` of macOS will hold it: the same plan as elsewhere, written as a profile. There is no
 * namespace: its home is a directory of this machine, and its proxy knows it by a token. Nobody has run this on macOS.
 */
import { readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { Effect, Either, type Scope } from "effect"
import type { ProcessError } from "../../../capabilities/process/ProcessOperations.js"
import type { Plan } from "../../../policy/confinement/Plan.js"
import type { Limits } from "../../../policy/Sandbox.js"
import { type ChildNetwork, quiet } from "../sandbox/ChildNetwork.js"
import * as Seatbelt from "../sandbox/seatbelt/Seatbelt.js"
import type { Survey } from "../sandbox/survey/Survey.js"
import { type Sweeper, Unjournaled } from "../sandbox/sweep/Sweep.js"
import type { CheckedCommand } from "./checkedCommand.js"
import type { Directory } from "./directory.js"
import { type Ended, withNotes } from "./ended.js"
import { planOf, readyOf } from "./held.js"
import { nameOf } from "./launch.js"
import { limitNotes } from "./limitNotes.js"
import { ownDirectory } from "./ownDirectory.js"
import type { Prepared, Restore } from "./prepared.js"
import * as refusals from "./refusals.js"
import { isUnlimited, limited, type ShellLimits, shellLimits } from "./shellLimits.js"

interface Profiling {
  readonly program: string
  readonly network: ChildNetwork
  readonly survey: Survey
  readonly sweeper: Sweeper
  readonly command: CheckedCommand
  readonly directory: Directory
}

/** What the policy limits, and nothing here does. */
const unbounded = ({ memoryBytes, tmpBytes }: Limits): ReadonlyArray<string> => [
  ...(memoryBytes === undefined ? [] : [refusals.notBounded("its memory")]),
  ...(tmpBytes === undefined ? [] : [refusals.notBounded("the size of its temporary directory")])
]

/** As the system says that it takes no such profile: codes of their own, behind its own name. */
const isNotSetUp = ({ exitCode }: Ended, said: string): boolean =>
  exitCode >= 64 && exitCode <= 78 && said.startsWith("sandbox-exec: ")

const verdictOf =
  (name: string, limits: ShellLimits, notes: ReadonlyArray<string>) =>
  (ended: Ended, said: string): Either.Either<Ended, ProcessError> => {
    if (isNotSetUp(ended, said)) return Either.left(refusals.notSetUp(name))
    if (isUnlimited(ended, said)) return Either.left(refusals.limitsNotSet(name))
    return Either.right(withNotes(ended, [...notes, ...limitNotes(ended, said, limits)]))
  }

/** It is found by a link, which must be walked through. */
const withWay = (plan: Plan, { found, path }: CheckedCommand): Plan =>
  found === path ? plan : { ...plan, links: [...plan.links, [found, path]] }

/** Where macOS has the authorities that programs trust, and where Debian has them. */
const BUNDLES = ["/etc/ssl/cert.pem", "/etc/ssl/certs/ca-certificates.crt"]

const authorities = (): string => {
  for (const path of BUNDLES) {
    try {
      return readFileSync(path, "utf8")
    } catch {
      // The next one.
    }
  }
  return ""
}

const trusting = ({ trust }: ChildNetwork, own: string): Readonly<Record<string, string>> => {
  if (trust === undefined) return {}
  const path = join(own, "authorities.pem")
  writeFileSync(path, `${authorities()}${trust.text}`)
  return trust.environmentOf(path)
}

/** What is opened for it is closed with the scope, after its end. */
export const profiled = (
  { command, directory, network, program, survey, sweeper }: Profiling,
  restore: Restore
): Effect.Effect<Prepared, ProcessError, Scope.Scope> =>
  Effect.gen(function* () {
    const { argv, env, found, given, proof } = command
    const { limits: written } = proof.held.sandbox
    const name = nameOf(command)
    const limits = yield* restore(shellLimits(written, name))
    const ready = yield* readyOf(sweeper, name, restore)
    const planned = yield* restore(planOf(survey.plan, command, directory))
    const plan = withWay(planned.plan, command)
    const notes = [...unbounded(written)]
    const own = yield* Effect.mapError(ownDirectory, () => refusals.noOwnDirectory(name))
    const here = plan.reaches
      ? yield* Effect.interruptible(
          network.openHere({ proof, plan, limits: written, note: (text) => notes.push(text) })
        )
      : undefined
    const line = yield* Seatbelt.profile(plan, { tmp: own, proxyPort: here?.port }).pipe(
      Either.flatMap((text) =>
        Seatbelt.commandLine(text, limited(limits, [found, ...argv.slice(1)]), program)
      ),
      Either.mapLeft(({ detail }) => refusals.noProfile(name, detail))
    )
    const variables = yield* Effect.try({
      try: () => (here === undefined ? {} : { ...here.environment, ...trusting(network, own) }),
      catch: () => refusals.noOwnDirectory(name)
    })
    const [file, ...args] = line
    const sweep = yield* Effect.try({
      try: () => sweeper.begin(planned, ready),
      catch: (error) =>
        error instanceof Unjournaled
          ? refusals.notJournaled(name, error.directory, error.code)
          : refusals.notStarted(name, error)
    })
    return {
      launch: {
        name,
        file,
        argv0: file,
        args,
        at: directory.at,
        env: {
          ...(here === undefined ? {} : quiet),
          ...env,
          HOME: own,
          TMPDIR: own,
          ...given,
          ...variables
        },
        hold: undefined,
        verdict: verdictOf(name, limits, notes)
      },
      limits: written,
      open: undefined,
      swept: sweep.finish(proof)
    }
  })
