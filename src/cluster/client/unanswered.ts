/** What is said of calls that no runner has answered, or not so that it could be read. */
import * as ToolResult from "../../registry/ToolResult.js"
import { ClusterError } from "../ClusterError.js"
import type { Unsealed } from "../wire/Sealing.js"

export const late = ToolResult.fail(
  "interrupted",
  "no runner has answered in time; whether the call took effect is not known"
)

export const tooLarge = ToolResult.fail(
  "input_invalid",
  "the calls of the turn are larger than what a cluster carries from one machine to another; send less at once"
)

export const stopped = ToolResult.fail("interrupted", "the call was interrupted")

export const away = ToolResult.fail(
  "interrupted",
  "the store of the cluster cannot be reached; whether the call took effect is not known"
)

export const broken = ToolResult.fail(
  "interrupted",
  "the cluster broke unexpectedly, which the log has in detail; whether the call took effect is not known"
)

export const crowded = ToolResult.fail(
  "not_available",
  "this client has too many turns under way, and no place came free in time. The call was not sent"
)

export const misread = ToolResult.fail(
  "execution_failed",
  "the answer of the cluster cannot be read: it was altered, or is of another version; whether the call took effect is not known"
)

export const unsent = ({ message }: ClusterError): ToolResult.ToolResult =>
  ToolResult.fail("not_available", `${message}. The call was not sent`)

export const refused = (reason: Unsealed | undefined): ToolResult.ToolResult =>
  ToolResult.fail(
    "not_available",
    new ClusterError({
      code: "MESSAGE_REFUSED",
      detail: `a runner refused the turn: the message is ${reason}`
    }).message
  )

export const secret = (found: string): ToolResult.ToolResult =>
  ToolResult.fail("input_invalid", `the call holds ${found}, and nothing of that kind is sent to a runner`)
