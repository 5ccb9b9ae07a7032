/** What is wrong with a file, where, and what to write instead. */
import { type Either, Schema } from "effect"

/** Of any file, whatever it is about. */
export const fileCodes = [
  "FILE_TOO_LARGE",
  "YAML_INVALID",
  "KEY_UNKNOWN",
  "KEY_DUPLICATE",
  "KEY_MISSING",
  "VALUE_INVALID",
  "NAME_INVALID"
] as const

/** Of a grant, wherever it is written. */
export const grantCodes = [
  "GRANT_MALFORMED",
  "CAPABILITY_UNKNOWN",
  "SCOPE_KEY_UNKNOWN",
  "SCOPE_VALUE_INVALID",
  "PATH_INVALID"
] as const

/** Of a personality; a workspace names hosts too. */
export const personalityCodes = [
  "HOST_INVALID",
  "COMMAND_INVALID",
  "REF_INVALID",
  "TOOLSET_TWICE",
  "GRANT_MISPLACED"
] as const

export const ProblemCode = Schema.Literal(...fileCodes, ...grantCodes, ...personalityCodes)

export type ProblemCode = typeof ProblemCode.Type

/** Of a skill, beside those of any file. */
export const skillCodes = ["BODY_MISSING", "NAME_MISMATCH", "TOOL_INVALID", "FILE_UNREADABLE"] as const

/** Lines and columns count from one. */
export interface At {
  readonly line: number
  readonly column: number
}

export interface Problem extends At {
  readonly code: ProblemCode
  readonly detail: string
  readonly remedy: string
}

/** One sentence, with the place in front as editors read it. */
export const sentence = (file: string, { code, column, detail, line, remedy }: Problem): string =>
  `${code}: ${file}:${line}:${column} ${detail}; ${remedy}`

/** What a file says, or what is wrong with it. */
export type Reading<A> = Either.Either<A, Problem>
