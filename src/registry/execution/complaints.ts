/** What whoever operates tools is told of calls that did not go well, in the log of the program. */
import { type Cause, Effect } from "effect"
import type * as ToolResult from "../ToolResult.js"
import { pretty } from "./outcome.js"
import type { Session } from "./Session.js"

export interface Defect {
  readonly id: string
  readonly tool: string
  readonly cause: Cause.Cause<unknown>
}

/** What tools broke with, for whoever operates them: with stack and paths, and without secrets. */
export const loggingDefects = (session: Session, defects: ReadonlyArray<Defect>): Effect.Effect<void> =>
  Effect.forEach(defects, ({ cause, id, tool }) => session.broke(tool, id, pretty(cause)), { discard: true })

/** Refusals of calls that did not start; those of services are logged where they are made. */
export const loggingRefusals = (
  session: Session,
  results: ReadonlyArray<ToolResult.ToolResult | undefined>
): Effect.Effect<void> =>
  Effect.forEach(
    results,
    (result) =>
      result?.ok === false && result.denial !== undefined
        ? session.logged(
            result.denial.tool ?? "",
            { allowed: false, denial: result.denial },
            result.denial.asked
          )
        : Effect.void,
    { discard: true }
  )
