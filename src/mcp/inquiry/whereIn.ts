/** Where something is not as it must be: its place, and nothing of what stands there. */
import { ParseResult } from "effect"

export const whereIn = (error: ParseResult.ParseError): string => {
  const [issue] = ParseResult.ArrayFormatter.formatErrorSync(error)
  const path = (issue?.path ?? []).map(String).join(".")
  return path === "" ? "it is not of the form that it must have" : `'${path}' is not as it must be`
}
