/**
 * What the page shows, as the command line puts it into the file. All of it is text of others: the page shows it as text,
 * and nothing else.
 */
import type { EncodedLog } from "./log/EncodedLog.js"

export type Risk = "low" | "medium" | "high"

/** A column of the matrix. */
export interface Capability {
  readonly name: string
  /** What it lets an agent do, as a verb phrase. */
  readonly effect: string
  readonly risk: Risk
}

/** One entry of what somebody holds, and where it is written. */
export interface Grant {
  readonly written: string
  readonly file: string
  readonly line: number
  readonly risk: Risk
  /** Names of capabilities. */
  readonly capabilities: ReadonlyArray<string>
  /** Whether nothing in the log needed it. */
  readonly isUnused: boolean
  /** Why it may have been used all the same. */
  readonly doubt?: string | undefined
  /** Why it gives nothing, where it gives nothing. */
  readonly inert?: string | undefined
}

/** An agent or a personality. */
export interface Subject {
  readonly kind: "agent" | "personality"
  readonly id: string
  readonly title?: string | undefined
  readonly file: string
  readonly grants: ReadonlyArray<Grant>
  /** Capabilities that are left to what tools declare. */
  readonly asDeclared: ReadonlyArray<string>
}

export interface Tool {
  readonly name: string
  readonly origin: string
  /** What it declares, a line for each category. */
  readonly surface: ReadonlyArray<string>
  /** The most that any of it puts at stake; nothing where it touches nothing. */
  readonly risk?: Risk | undefined
}

export interface PageData {
  /** What was looked at: the folder of a workspace, or the names of files. */
  readonly about: string
  /** When it was looked at, in milliseconds. */
  readonly generated: number
  /** The times between which what was never used was not; without them, those of the log. */
  readonly covers?: readonly [from: number, to: number] | undefined
  /** Where the page is served and follows the log: the number of the last entry that it has. */
  readonly live?: { readonly after: number } | undefined
  /** What the reader of the log has to say: lines that were left out, entries that were lost. */
  readonly notes: ReadonlyArray<string>
  readonly capabilities: ReadonlyArray<Capability>
  /** Nothing where there is no workspace to look at. */
  readonly subjects?: ReadonlyArray<Subject> | undefined
  readonly tools?: ReadonlyArray<Tool> | undefined
  readonly log: EncodedLog
}
