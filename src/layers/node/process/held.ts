/** A checked command as the kernel will hold it: its plan, made anew for each start, and what carries the plan out. */
import { Effect, Either } from "effect"
import type { ProcessError } from "../../../capabilities/process/ProcessOperations.js"
import type { Plan } from "../../../policy/confinement/Plan.js"
import * as Bwrap from "../sandbox/Bwrap.js"
import type { Cgroups } from "../sandbox/Cgroups.js"
import { type ChildLimits, settle } from "../sandbox/ChildLimits.js"
import { type ChildNetwork, quiet } from "../sandbox/ChildNetwork.js"
import type { Planned, Survey } from "../sandbox/survey/Survey.js"
import { type Ready, type Sweep, type Sweeper, Unjournaled } from "../sandbox/sweep/Sweep.js"
import type { CheckedCommand } from "./checkedCommand.js"
import type { Directory } from "./directory.js"
import { type Ended, withNotes } from "./ended.js"
import { type Launch, nameOf } from "./launch.js"
import { limitNotes } from "./limitNotes.js"
import type { Prepared, Restore } from "./prepared.js"
import { MARKER } from "./processTable.js"
import * as refusals from "./refusals.js"

interface Holding {
  readonly programs: Bwrap.Programs
  /** Groups that limit a whole tree, where they may be made. */
  readonly cgroups: Cgroups | undefined
  readonly network: ChildNetwork
  readonly survey: Survey
  readonly sweeper: Sweeper
  readonly command: CheckedCommand
  readonly directory: Directory
}

/** How often a plan is made anew, where what it is about changes while it is carried out. */
const ATTEMPTS = 3

const isRoot = process.getuid?.() === 0

/** What the child is to see, as of now. */
export const planOf = (
  make: Survey["plan"],
  { path, proof }: CheckedCommand,
  directory: Directory
): Effect.Effect<Planned> => {
  const { authority, floor } = proof.held
  return make({ authority, floor, request: proof.request, cwd: directory.path, binary: path })
}

/** As prlimit says it, which is the last that runs before the command. */
const isUnexecuted = ({ exitCode }: Ended, said: string): boolean =>
  (exitCode === 126 || exitCode === 127) && said.startsWith("prlimit: failed to execute ")

/** Its own end: one that was never executed has none, and says so as it would if nothing held it. */
const verdictOf =
  (name: string, { inside }: Bwrap.Wrapped, notes: (ended: Ended, said: string) => ReadonlyArray<string>) =>
  (ended: Ended, said: string): Either.Either<Ended, ProcessError> => {
    if (ended.signal === null && !inside.hasEnded) return Either.left(refusals.notSetUp(name))
    if (isUnexecuted(ended, said)) return Either.left(refusals.notExecuted(name, said))
    return Either.right(withNotes(ended, notes(ended, said)))
  }

const wrapped = (
  { cgroups, command, network, programs, sweeper }: Holding,
  planned: Planned,
  ready: Ready,
  limits: ChildLimits
): Prepared => {
  const { plan } = planned
  const name = nameOf(command)
  const { limits: written } = command.proof.held.sandbox
  const group = cgroups?.(limits)
  const notes: Array<string> = isRoot && group === undefined ? [refusals.UNLIMITED] : []
  const isReaching = plan.reaches && network.unavailable === undefined
  if (plan.reaches && network.unavailable !== undefined) notes.push(network.unavailable)
  const { settings, variables } = isReaching ? surroundingsOf(network, plan) : nothing
  // Its home and its scratch space are inside, and nothing leads around its proxy. What a tool says itself stays.
  const {
    [MARKER]: _mark,
    HOME: _home,
    TMPDIR: _tmp,
    NO_PROXY: _around,
    no_proxy: _past,
    ...env
  } = command.env
  const waits = isReaching || group !== undefined
  let hold: Bwrap.Wrapped
  try {
    hold = Bwrap.wrap(programs, {
      plan,
      found: command.found,
      argv: command.argv,
      env: { ...(isReaching ? quiet : {}), ...env, ...command.given, ...variables },
      settings,
      limits,
      isGrouped: group !== undefined,
      waits
    })
  } catch (error) {
    group?.remove()
    throw error
  }
  let sweep: Sweep
  try {
    sweep = sweeper.begin(planned, ready)
  } catch (error) {
    hold.started()
    hold.ended()
    group?.remove()
    throw error
  }
  const launch: Launch = {
    name,
    file: hold.file,
    argv0: hold.file,
    args: hold.args,
    at: "/",
    env: hold.env,
    hold,
    verdict: verdictOf(name, hold, (ended, said) => [
      ...notes,
      ...limitNotes(ended, said, limits, group?.met)
    ])
  }
  const grouped = (pid: number) =>
    Effect.try({ try: () => group?.add(pid), catch: () => refusals.notLimited(name) })
  const reached = (pid: number) =>
    isReaching
      ? network.open({
          pid,
          namespace: hold.inside.namespace,
          proof: command.proof,
          plan,
          limits: written,
          note: (text) => notes.push(text)
        })
      : Effect.void
  const opened = (pid: number) => Effect.zipRight(grouped(pid), reached(pid))
  return {
    launch,
    limits: written,
    open: waits
      ? ({ born, release }) =>
          Effect.flatMap(
            Effect.promise(() => born),
            (pid) => (pid === undefined ? Effect.void : Effect.zipRight(opened(pid), Effect.sync(release)))
          )
      : undefined,
    closed: () => group?.remove(),
    swept: sweep.finish(command.proof)
  }
}

const nothing = { settings: [], variables: {} }

/** What a child with hosts finds in its `/etc`, and in its environment. */
const surroundingsOf = (network: ChildNetwork, plan: Plan) => {
  const hosts = { path: "hosts", text: network.hostsOf(plan) }
  const variables = network.environmentOf(plan)
  if (network.trust === undefined) return { settings: [hosts], variables }
  const { path, text } = Bwrap.bundle()
  return {
    settings: [hosts, { path, text: `${text}${network.trust.text}` }],
    variables: { ...variables, ...network.trust.environmentOf(`/etc/${path}`) }
  }
}

/** What was left behind by children of programs that were killed is cleared up before anybody looks at what is there. */
export const readyOf = (
  sweeper: Sweeper,
  name: string,
  restore: Restore
): Effect.Effect<Ready, ProcessError> =>
  Effect.mapError(restore(sweeper.ready), ({ code, directory }) =>
    refusals.notJournaled(name, directory, code)
  )

/** Opens what the child is made of: from here on somebody must start it. */
export const held = (holding: Holding, restore: Restore): Effect.Effect<Prepared, ProcessError> => {
  const { cgroups, command, directory, survey, sweeper } = holding
  const name = nameOf(command)
  const { limits } = command.proof.held.sandbox
  if (isRoot && cgroups === undefined && limits.processes !== undefined) {
    return Effect.fail(refusals.rootHasNoLimit)
  }
  const attempt = (left: number): Effect.Effect<Prepared, ProcessError> =>
    Effect.gen(function* () {
      const ready = yield* readyOf(sweeper, name, restore)
      const planned = yield* restore(planOf(survey.plan, command, directory))
      try {
        return wrapped(holding, planned, ready, settle(limits))
      } catch (error) {
        if (error instanceof Unjournaled) {
          return yield* refusals.notJournaled(name, error.directory, error.code)
        }
        if (error instanceof Bwrap.TooMany) return yield* refusals.tooManyParts(name)
        if (!(error instanceof Bwrap.Changed)) return yield* refusals.notStarted(name, error)
        return yield* left === 1 ? refusals.changed(name) : attempt(left - 1)
      }
    })
  return attempt(ATTEMPTS)
}
