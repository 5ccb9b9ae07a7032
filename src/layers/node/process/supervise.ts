/** A child as an Effect: it waits for its slot, and ends by itself, at its deadline, or when nobody waits any more. */
import { Clock, Context, DefaultServices, Duration, Effect, Either, Exit, FiberId, type Scope } from "effect"
import type { ProcessError } from "../../../capabilities/process/ProcessOperations.js"
import type { Limits } from "../../../policy/Sandbox.js"
import { type Ended, withNotes } from "./ended.js"
import type { Checked, Machine, Wanted } from "./machine.js"
import type { Sink } from "./output.js"
import type { Prepared, Restore } from "./prepared.js"
import * as refusals from "./refusals.js"
import { type Running, start } from "./running.js"
import { spokenWith } from "./speech.js"

const systemClock = Context.get(DefaultServices.liveServices, Clock.Clock)

/**
 * A deadline by Effect's clock: a bare timer where that is the system's, which costs far less than a fiber. It rings
 * once, unless it is switched off before.
 */
const alarm = (millis: number, ring: () => void): Effect.Effect<() => void> =>
  Effect.clockWith((clock) => {
    if (millis === Number.POSITIVE_INFINITY) return Effect.succeed(() => {})
    if (clock === systemClock) {
      const timer = setTimeout(ring, millis)
      return Effect.succeed(() => clearTimeout(timer))
    }
    const waiting = Effect.zipRight(clock.sleep(Duration.millis(millis)), Effect.sync(ring))
    return Effect.map(
      Effect.forkDaemon(Effect.interruptible(waiting)),
      (fiber) => () => fiber.unsafeInterruptAsFork(FiberId.none)
    )
  })

type Outcome = Either.Either<Ended, ProcessError>

interface Job {
  readonly machine: Machine
  readonly wanted: Wanted
  readonly sink: Sink
  readonly millis: number
  readonly begun: (running: Running) => void
}

/** The sooner of what the call asks for and what the policy gives. */
const millisIn = (millis: number, { seconds }: Limits): number =>
  seconds === undefined ? millis : Math.min(millis, seconds * 1000)

/** Only the wait for its end is interruptible: what is started is always either awaited or stopped. */
const supervised = (
  { begun, machine, millis: asked, sink, wanted }: Job,
  { directory, mark }: Checked,
  { closed, launch, limits, open, swept }: Prepared,
  restore: Restore
): Effect.Effect<Ended, ProcessError, Scope.Scope> => {
  const millis = wanted.proof.lasts ? asked : millisIn(asked, limits)
  let outcome: Outcome | undefined
  const heard: Array<(outcome: Outcome) => void> = []
  const running = start({
    launch,
    mark,
    graceMillis: machine.settings.graceMillis,
    stdin: wanted.surroundings.stdin,
    isFed: wanted.input?.stdin !== undefined || wanted.isSpokenTo === true,
    sink,
    reaper: machine.reaper,
    done: (given) => {
      launch.hold?.ended()
      closed?.()
      outcome = given
      for (const one of heard) one(given)
    }
  })
  launch.hold?.started()
  directory.close()
  machine.running.add(running)
  begun(running)
  const end = Effect.async<Ended, ProcessError>((resume) => {
    if (outcome === undefined) heard.push(resume)
    else resume(outcome)
  })
  const expire = () => {
    if (!running.hasExited()) running.stop(refusals.timedOut(launch.name, millis))
  }
  // Who ends while it is made ready is not waited for.
  const whole =
    open === undefined
      ? end
      : Effect.raceFirst(Effect.zipRight(Effect.interruptible(open(running)), Effect.never), end)
  const ended = Effect.flatMap(alarm(millis, expire), (switchOff) =>
    Effect.onExit(restore(whole), (exit) => {
      switchOff()
      machine.running.delete(running)
      return Exit.isSuccess(exit)
        ? Effect.void
        : Effect.zipRight(
            Effect.promise(() => running.stop(refusals.closed)),
            swept
          )
    })
  )
  return Effect.flatMap(ended, (how) => Effect.map(swept, (notes) => withNotes(how, notes)))
}

const launched = (job: Job, restore: Restore): Effect.Effect<Ended, ProcessError> => {
  const checked = job.machine.check(job.wanted)
  if (Either.isLeft(checked)) return Effect.fail(checked.left)
  const { command, directory } = checked.right
  return job.machine.fence.prepare(command, directory, restore).pipe(
    Effect.onError(() => Effect.sync(directory.close)),
    Effect.flatMap((prepared) => supervised(job, checked.right, prepared, restore)),
    Effect.scoped
  )
}

/** A slot is a tool's in a session: one session does not hold up another. */
const keyOf = ({ proof }: Wanted): string => `${proof.session}\u0000${proof.tool}`

export const run = (
  machine: Machine,
  wanted: Wanted,
  sink: Sink,
  begun: (running: Running) => void = () => {}
): Effect.Effect<Ended, ProcessError> => {
  const millis = machine.millisOf(wanted)
  if (Either.isLeft(millis)) return Effect.fail(millis.left)
  const job = { machine, wanted, sink, millis: millis.right }
  const key = keyOf(wanted)
  return spokenWith(wanted.input, begun, (begun) =>
    Effect.uninterruptibleMask((restore) =>
      Effect.zipRight(
        restore(machine.slots.take(key)),
        Effect.ensuring(
          Effect.suspend(() => launched({ ...job, begun }, restore)),
          Effect.sync(() => machine.slots.give(key))
        )
      )
    )
  )
}
