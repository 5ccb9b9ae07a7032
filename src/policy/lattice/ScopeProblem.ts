import { type At, type Problem, ProblemCode } from "../text/Problem.js"
import type { ScopeInvalid } from "./ScopeInvalid.js"

const codes: ReadonlyArray<string> = ProblemCode.literals

const isCode = (code: string): code is ProblemCode => codes.includes(code)

/** What a pattern says is wrong with it, at its place in the file. The sentence carries its remedy after a semicolon. */
export const scopeProblem =
  ({ column, line }: At) =>
  ({ code, detail }: ScopeInvalid): Problem => {
    const cut = detail.lastIndexOf("; ")
    return {
      code: isCode(code) ? code : "VALUE_INVALID",
      line,
      column,
      detail: cut < 0 ? detail : detail.slice(0, cut),
      remedy: cut < 0 ? "write another entry" : detail.slice(cut + 2)
    }
  }
