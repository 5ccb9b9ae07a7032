/** A result in the form of `@effect/ai`: typed for the program, and encoded for the model. */
import type * as ToolResult from "../../registry/ToolResult.js"
import { dataOf, shown } from "../ModelText.js"

export interface Answer {
  readonly isFailure: boolean
  readonly result: unknown
  readonly encodedResult: unknown
}

/** The program sees a failure with its denial, and the model without. */
export const answerOf = (result: ToolResult.ToolResult): Answer => {
  if (!result.ok) return { isFailure: true, result, encodedResult: shown(result) }
  const value = dataOf(result.value)
  const encodedResult = result.truncated === true ? { value, truncated: true } : value
  return { isFailure: false, result: result.value, encodedResult }
}
