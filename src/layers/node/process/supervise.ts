/** A child as an Effect: it waits for its slot, and ends by itself, at its deadline, or when nobody waits any more. */
import { Clock, Context, DefaultServices, Duration, Effect, Either, Exit, FiberId } from "effect"
import type { ProcessError } from "../../../capabilities/process/ProcessOperations.js"
import type { CheckedCommand } from "./CheckedCommand.js"
import type { Checked, Machine, Wanted } from "./machine.js"
import type { Sink } from "./output.js"
import * as refusals from "./refusals.js"
import { type Ended, type Running, start } from "./running.js"
import { spokenWith } from "./speech.js"

const systemClock = Context.get(DefaultServices.liveServices, Clock.Clock)

/**
 * A deadline by Effect's clock: a bare timer where that is the system's, which costs far less than a fiber. It rings
 * once, unless it is switched off before.
 */
const alarm = (millis: number, ring: () => void): Effect.Effect<() => void> =>
  Effect.clockWith((clock) => {
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

type Restore = <A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>

interface Job {
  readonly machine: Machine
  readonly wanted: Wanted
  readonly sink: Sink
  readonly millis: number
  readonly begun: (running: Running) => void
}

/** Only the wait for its end is interruptible: what is started is always either awaited or stopped. */
const supervised = (
  { begun, machine, millis, sink, wanted }: Job,
  { directory, mark }: Checked,
  command: CheckedCommand,
  restore: Restore
): Effect.Effect<Ended, ProcessError> => {
  let outcome: Outcome | undefined
  let heard: (outcome: Outcome) => void = () => {}
  const running = start({
    command,
    at: command.cwd === directory.path ? directory.at : command.cwd,
    mark,
    stdin: wanted.surroundings.stdin,
    isFed: wanted.input?.stdin !== undefined,
    sink,
    reaper: machine.reaper,
    done: (given) => {
      outcome = given
      heard(given)
    }
  })
  directory.close()
  machine.running.add(running)
  begun(running)
  const end = Effect.async<Ended, ProcessError>((resume) => {
    if (outcome === undefined) heard = resume
    else resume(outcome)
  })
  const expire = () => {
    const name = wanted.script === undefined ? wanted.binary.name : "sh"
    if (!running.hasExited()) running.stop(refusals.timedOut(name, millis))
  }
  return Effect.flatMap(alarm(millis, expire), (switchOff) =>
    Effect.onExit(restore(end), (exit) => {
      switchOff()
      machine.running.delete(running)
      return Exit.isSuccess(exit) ? Effect.void : Effect.promise(() => running.stop(refusals.closed))
    })
  )
}

const launched = (job: Job, restore: Restore): Effect.Effect<Ended, ProcessError> => {
  const { launch } = job.machine.settings
  const checked = job.machine.check(job.wanted)
  if (Either.isLeft(checked)) return Effect.fail(checked.left)
  const { command, directory } = checked.right
  if (launch === undefined) return supervised(job, checked.right, command, restore)
  return Effect.scoped(
    restore(launch(command)).pipe(
      Effect.onError(() => Effect.sync(directory.close)),
      Effect.flatMap((wrapped) => supervised(job, checked.right, wrapped, restore))
    )
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
  const millis = machine.millisOf(wanted.surroundings)
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
