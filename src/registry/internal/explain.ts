/** Answers for a call without running it: the checks of a real call, and what its arguments will ask for. */
import { Effect, Either } from "effect"
import * as Authority from "../../policy/Authority.js"
import type { Decision } from "../../policy/Decision.js"
import { message } from "../../policy/Denial.js"
import * as Proof from "../../policy/Proof.js"
import * as Request from "../../policy/Request.js"
import type { Ask } from "../../tools/Ask.js"
import type * as Tool from "../../tools/Tool.js"
import type { Call, Result } from "../Call.js"
import { resolve } from "../scoped/Places.js"
import * as ToolResult from "../ToolResult.js"
import { admit, nothingToAsk, prepare } from "./admission.js"
import type { Session } from "./session.js"

/**
 * A decision that the call would meet.
 *
 * @since 0.1.0
 * @category models
 */
export interface Foreseen {
  readonly capability: string
  readonly asked: string
  readonly allowed: boolean
  readonly scope?: string
}

/**
 * @since 0.1.0
 * @category models
 */
export interface Explanation {
  readonly allowed: true
  /** What the call will ask for, as far as its arguments tell. */
  readonly decisions: ReadonlyArray<Foreseen>
  /** All that the tool may touch in this turn, in words. */
  readonly may: ReadonlyArray<string>
}

/**
 * @since 0.1.0
 * @category models
 */
export interface Explained extends Result<string, Explanation> {}

const requestOf = ({ turn }: Session, { capabilities }: Tool.Any, ask: Ask): Request.Made | undefined => {
  const path = (given: string | undefined) => resolve(given ?? turn.workdir, turn)
  switch (ask._tag) {
    case "Http":
      return Request.http(ask.method, ask.url)
    case "File":
      return Request.file(ask.action, path(ask.path))
    case "Exec":
      return Request.exec(ask.argv, path(ask.cwd))
    case "Shell":
      return Request.shell(path(ask.cwd))
    case "Secret":
      return Request.secret(ask.ref)
    case "Storage":
      return Request.storage(capabilities.storage?.scope ?? "")
    case "Attachment": {
      const attachment = turn.attachments.find(({ ref }) => ref === ask.ref)
      return attachment === undefined ? undefined : Request.attachment(attachment.type)
    }
  }
}

export const explainCall = (
  session: Session,
  tools: ReadonlyMap<string, Tool.Any>,
  call: Call
): Effect.Effect<Explained> =>
  Effect.map(prepare(session, tools, [call]) ?? Effect.succeed(nothingToAsk), (available): Explained => {
    const { id, name } = call
    const admission = admit(session, tools, available, call)
    if (admission._tag === "Refused") return { id, name, result: admission.result }
    const { args, planned } = admission
    const decisions: Array<Foreseen> = []
    const holder = session.holderOf(planned)
    const observe = (decision: Decision, asked: string) => {
      decisions.push({
        capability: decision.allowed ? decision.capability : decision.denial.capability,
        asked,
        allowed: decision.allowed,
        ...(decision.allowed ? { scope: decision.scope } : {})
      })
      holder.observe(decision, asked, id)
    }
    for (const ask of foreseen(planned.tool, args)) {
      const made = requestOf(session, planned.tool, ask)
      if (made === undefined) return { id, name, result: noAttachment(ask) }
      const asked = Proof.ask({ ...holder, observe }, made)
      if (Either.isLeft(asked)) return { id, name, result: refusedBy(asked.left) }
    }
    return {
      id,
      name,
      result: ToolResult.succeed({
        allowed: true,
        decisions,
        may: Authority.describe(planned.authority)
      })
    }
  })

const noAttachment = (ask: Ask): ToolResult.ToolResult<never> => {
  const ref = ask._tag === "Attachment" ? ask.ref : ""
  return ToolResult.fail("execution_failed", `ATTACHMENT_NOT_FOUND: No attachment with ref "${ref}"`)
}

const refusedBy = ({ denial }: Proof.Refusal): ToolResult.ToolResult<never> =>
  ToolResult.fail("execution_failed", message(denial), denial)

/** A tool that cannot say what it will ask for leaves it to the run. */
const foreseen = (tool: Tool.Any, args: unknown): ReadonlyArray<Ask> => {
  try {
    return tool.asks?.(args) ?? []
  } catch {
    return []
  }
}
