/** A child that serves: what it writes is heard as it comes, and what it is told goes straight to its pipe. */
import type { Effect } from "effect"
import type { ProcessBackend } from "../../../capabilities/process/ProcessBackend.js"
import type { ProcessError } from "../../../capabilities/process/ProcessOperations.js"
import type { Machine, Wanted } from "./machine.js"
import type { Sink } from "./output.js"
import { run } from "./supervise.js"

export const serve = (
  machine: Machine,
  wanted: Wanted,
  ears: ProcessBackend.Ears
): Effect.Effect<ProcessBackend.Ended, ProcessError> => {
  const sink: Sink = {
    write: (channel, chunk) => (channel === "Stdout" ? ears.stdout(chunk) : ears.stderr(chunk))
  }
  return run(machine, { ...wanted, isSpokenTo: true }, sink, ({ speaks, tell, untold }) =>
    ears.begun({ write: tell, unread: untold, speaks })
  )
}
