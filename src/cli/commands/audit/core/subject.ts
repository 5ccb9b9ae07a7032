/** The host, the path or the command that a decision was about, as its line names it. */
import { isPassing } from "../../../../audit/Asked.js"
import type { Decision } from "../../../../audit/AuditEntry.js"

export type Subjects = "hosts" | "paths" | "commands"

export interface Subject {
  readonly kind: Subjects
  readonly name: string
}

/** A word that would not stand alone is a string of JSON. */
const unquoted = (word: string): string => {
  if (!word.startsWith('"')) return word
  try {
    return String(JSON.parse(word))
  } catch {
    return word
  }
}

const HOST = /^(?:[A-Z]+ https?:\/\/|connect )([^\s/?#]+)/
const PATH = /^(?:read|write|delete) (.+)$/s
const COMMAND = /^exec ("(?:[^"\\]|\\.)*"|\S+)/s

const named = (kind: Subjects, [, name]: ReadonlyArray<string>): Subject | undefined =>
  name === undefined ? undefined : { kind, name: unquoted(name) }

/** Every script of a shell is one: its text is not in the log. */
const SHELL: Subject = { kind: "commands", name: "(shell)" }

/** Nothing where it was about something else, or the line is not one of ours. */
export const subjectOf = ({
  asked,
  capability
}: Pick<Decision, "asked" | "capability">): Subject | undefined => {
  if (isPassing({ asked })) return undefined
  const facet = capability.split(".", 1)[0]
  switch (facet) {
    case "network":
    case "private":
      return named("hosts", HOST.exec(asked) ?? [])
    case "files":
      return named("paths", PATH.exec(asked) ?? [])
    case "process":
      return capability === "process.eval" ? SHELL : named("commands", COMMAND.exec(asked) ?? [])
    default:
      return undefined
  }
}
