/** What a command would see and what would bound it, by the same steps as for one that is started. */
import { Either } from "effect"
import type { ProcessBackend } from "../../../capabilities/process/ProcessBackend.js"
import type { ProcessError } from "../../../capabilities/process/ProcessOperations.js"
import type { Proof } from "../../../policy/gate/Proof.js"
import type { Scoped } from "../../../policy/lattice/Request.js"
import { settle } from "../sandbox/ChildLimits.js"
import * as ChildNetwork from "../sandbox/ChildNetwork.js"
import { planOf } from "./held.js"
import type { Machine } from "./machine.js"

export const seenBy = (
  machine: Machine,
  proof: Proof<Scoped>,
  binary: ProcessBackend.Pinned
): Either.Either<ProcessBackend.Seen, ProcessError> => {
  const script = proof.request.verb === "eval" ? { script: "" } : {}
  return Either.map(
    machine.check({ proof, binary, surroundings: {}, ...script }),
    ({ command, directory }) => {
      try {
        const plan = planOf(command, directory)
        const { limits } = proof.held.sandbox
        const longest = machine.settings.longestMillis / 1000
        const { connections, networkBytes } = { ...ChildNetwork.defaults, ...limits }
        return {
          plan,
          limits: {
            ...settle(limits),
            seconds: Math.min(limits.seconds ?? longest, longest),
            ...(plan.reaches ? { connections, networkBytes } : {})
          }
        }
      } finally {
        directory.close()
      }
    }
  )
}
