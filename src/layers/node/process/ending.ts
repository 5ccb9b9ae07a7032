/** How a child is ended with all that it has started, be it held or not. */
import { setTimeout as pause } from "node:timers/promises"
import type { Inside } from "../sandbox/Inside.js"
import { type Child, type Reaper, signalGroup } from "./reaper.js"

export interface Ending {
  /** To the group. Not to a child that has ended, whose number may be another's by now. */
  readonly signal: (name: NodeJS.Signals) => void
  /** By force and without waiting. */
  readonly kill: () => void
  /** Politely, then by force. Answers when nobody is left. Who is `patient` lets a command begin that is about to. */
  readonly end: (isPatient: boolean) => Promise<void>
  /** Once the child itself has ended: whoever it leaves, if it may have left anybody. */
  readonly left: (signal: NodeJS.Signals | null) => Promise<void> | undefined
  /** Whoever holds its output after its end. */
  readonly abandon: () => Promise<void>
}

/** A child that only its group and its marks hold together. */
export const unheld = (reaper: Reaper, child: Child): Ending => ({
  signal: (name) => signalGroup(child, name),
  kill: () => signalGroup(child, "SIGKILL"),
  end: () => reaper.end(child),
  left: () => {
    signalGroup(child, "SIGKILL")
    return undefined
  },
  abandon: () => reaper.abandon(child)
})

const POLL_MILLIS = 2

/** How long somebody may take to be born. */
const BIRTH_MILLIS = 10_000

const until = async (isDone: () => boolean, millis: number): Promise<void> => {
  for (let waited = 0; !isDone() && waited < millis; waited += POLL_MILLIS) await pause(POLL_MILLIS)
}

/**
 * A child in a namespace of its own, whose first process takes the others along. Its number is waited for: who ends bwrap
 * before it tells the number leaves somebody behind whom nobody knows.
 */
export const held = (inside: Inside, { hasExited, pid }: Child, graceMillis: number): Ending => {
  const force = () => {
    inside.kill()
    if (!hasExited()) signalGroup({ pid }, "SIGKILL")
  }
  return {
    // What is sent before the command has begun waits for it: nobody else would hear it.
    signal: async (name) => {
      if (!inside.hasBegun) await until(() => hasExited() || inside.hasBegun, BIRTH_MILLIS)
      if (!hasExited()) inside.signal(name)
    },
    kill: force,
    end: async (isPatient) => {
      await until(() => hasExited() || inside.pid !== undefined, BIRTH_MILLIS)
      if (isPatient) await until(() => hasExited() || inside.hasBegun, BIRTH_MILLIS)
      if (!hasExited() && inside.hasBegun && inside.ask()) await until(hasExited, graceMillis)
      force()
      await until(hasExited, BIRTH_MILLIS)
      await inside.end()
    },
    left: (signal) =>
      inside.isAlive() || (signal !== null && inside.pid === undefined) ? inside.end() : undefined,
    abandon: () => inside.end()
  }
}
