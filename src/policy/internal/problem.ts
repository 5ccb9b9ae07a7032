/** What is wrong with a file, where, and what to write instead. */
import { Schema } from "effect"

export const ProblemCode = Schema.Literal(
  "FILE_TOO_LARGE",
  "YAML_INVALID",
  "KEY_UNKNOWN",
  "KEY_DUPLICATE",
  "KEY_MISSING",
  "VALUE_INVALID",
  "PATH_INVALID",
  "HOST_INVALID",
  "COMMAND_INVALID",
  "REF_INVALID",
  "NAME_INVALID",
  "TOOLSET_TWICE",
  "GRANT_MALFORMED",
  "GRANT_MISPLACED",
  "CAPABILITY_UNKNOWN",
  "SCOPE_KEY_UNKNOWN",
  "SCOPE_VALUE_INVALID"
)

export type ProblemCode = typeof ProblemCode.Type

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
