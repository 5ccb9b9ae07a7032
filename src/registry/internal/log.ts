/** Decisions in the log: who asked for what, and what came of it; never contents. */
import { Effect } from "effect"
import type { Decision } from "../../policy/Decision.js"
import * as Request from "../../policy/Request.js"

export const logDecision = (
  who: { readonly tool: string; readonly session: string; readonly revision: string },
  decision: Decision,
  request: Request.Request
): Effect.Effect<void> => {
  const asked = { ...who, capability: request.capability, asked: Request.summary(request) }
  if (decision.allowed) {
    return Effect.annotateLogs(Effect.logDebug("allowed"), { ...asked, scope: decision.scope })
  }
  const { code, reason, remedy } = decision.denial
  return Effect.annotateLogs(Effect.logInfo("refused"), { ...asked, code, reason, remedy })
}
