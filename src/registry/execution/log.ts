/** Decisions in the log: who asked for what, and what came of it; never contents. */
import { Effect } from "effect"
import type { Decision } from "../../policy/lattice/Decision.js"

export const logDecision = (
  who: { readonly tool: string; readonly session: string; readonly revision: string },
  decision: Decision,
  asked: string
): Effect.Effect<void> => {
  if (decision.allowed) {
    const { capability, scope } = decision
    return Effect.annotateLogs(Effect.logDebug("allowed"), { ...who, capability, asked, scope })
  }
  const { capability, code, reason, remedy } = decision.denial
  return Effect.annotateLogs(Effect.logInfo("refused"), { ...who, capability, asked, code, reason, remedy })
}
