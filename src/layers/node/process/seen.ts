/** What a command would see and what would bound it, by the same steps as for one that is started. */
import { Effect } from "effect"
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
): Effect.Effect<ProcessBackend.Seen, ProcessError> => {
  const script = proof.request.verb === "eval" ? { script: "" } : {}
  return Effect.acquireUseRelease(
    Effect.suspend(() => machine.check({ proof, binary, surroundings: {}, ...script })),
    ({ command, directory }) =>
      Effect.map(planOf(machine.fence.survey.foresee, command, directory), ({ plan }) => {
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
      }),
    ({ directory }) => Effect.sync(directory.close)
  )
}
