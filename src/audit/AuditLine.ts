/**
 * Entries as lines: JSON with its keys in one order, so that a log can be read by eye and compared. Nothing that some
 * program takes for the end of a line, or a terminal for an order, stands in one as it is.
 */
import { type AuditEntry, type Call, type Decision, type InLine, unpacked, VERSION } from "./AuditEntry.js"

/** As long as a line may be, in bytes: no writer makes a longer one, and no reader keeps one in memory. */
export const LONGEST = 4 * 1024 * 1024

/** Most texts: they stand between quotes as they are. */
const PLAIN = /^[ !#-[\]-~]*$/

/** Up to here, to look at each character costs less than to start an expression. */
const SHORT = 24

const SPACE = 0x20
const QUOTE = 0x22
const BACKSLASH = 0x5c
const DELETE = 0x7f

const isPlain = (text: string): boolean => {
  if (text.length > SHORT) return PLAIN.test(text)
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at)
    if (unit < SPACE || unit >= DELETE || unit === QUOTE || unit === BACKSLASH) return false
  }
  return true
}

/** Characters that JSON leaves as they are: controls, ends of lines for some, and those that turn the direction of text. */
const ODD = /[\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff]/g

const escaped = (character: string): string => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`

/** What stands between the quotes. */
export const within = (text: string): string =>
  isPlain(text) ? text : JSON.stringify(text).slice(1, -1).replace(ODD, escaped)

const quoted = (text: string): string => `"${within(text)}"`

const optional = (key: string, text: string | undefined): string =>
  text === undefined ? "" : `,"${key}":${quoted(text)}`

export type Who = Pick<Decision, "session" | "agent" | "personality" | "revision">

/** On whose behalf. */
export const whoOf = ({ agent, personality, revision, session }: Who): string =>
  `"session":${quoted(session)}${optional("agent", agent)}${optional("personality", personality)},"revision":${quoted(revision)}`

/** The first part of a line; `who` is `whoOf` somebody. */
export const begun = (type: Exclude<InLine["type"], "gap">, time: string, who: string): string =>
  `{"v":${VERSION},"time":${quoted(time)},"type":"${type}",${who}`

/** The id of a call, which follows where the line is of one. */
export const callOf = (id: string): string => `,"call":${quoted(id)}`

/** The part after that. */
export const toolOf = (tool: string, origin: string): string =>
  `,"tool":${quoted(tool)},"origin":${quoted(origin)}`

/** The last part of the line of a call, */
export const called = (code: Call["code"], ms: number): string => `,"code":"${code}","ms":${ms}}`

/** what stands in that of several before the first id, which is `within` quotes as all of them are, */
export const calledAll = (code: Call["code"]): string => `,"code":"${code}","calls":[["`

/** between two ids, */
export const calledNext = (ms: number): string => `",${ms}],["`

/** and what ends it; the last id has no next. */
export const calledLast = (line: string): string => `${line.slice(0, -',["'.length)}]}`

type Answer = Pick<Decision, "capability" | "asked" | "allowed"> & {
  readonly [K in "scope" | "code" | "reason" | "by"]?: string | undefined
}

/** The last part of the line of a decision. */
export const decided = ({ allowed, asked, by, capability, code, reason, scope }: Answer): string =>
  `,"capability":${quoted(capability)},"asked":${quoted(asked)},"allowed":${allowed}` +
  `${optional("scope", scope)}${optional("code", code)}${optional("reason", reason)}${optional("by", by)}}`

/** UTF-8 takes no more for a unit of UTF-16. */
const BYTES_A_UNIT = 3

/** Each text of a cut entry, in units: even escaped, all of them together are short enough. */
const CUT = 32 * 1024

const shortened = (entry: AuditEntry): AuditEntry =>
  // The same keys, and texts for texts.
  Object.fromEntries(
    Object.entries(entry).map(([key, value]: [string, unknown]) => [
      key,
      typeof value === "string" && value.length > CUT ? `${value.slice(0, CUT)}…` : value
    ])
  ) as AuditEntry

const isLong = (line: string): boolean =>
  line.length * BYTES_A_UNIT > LONGEST && new TextEncoder().encode(line).length > LONGEST

const isSame = (a: Who, b: Who): boolean =>
  a.session === b.session &&
  a.revision === b.revision &&
  a.agent === b.agent &&
  a.personality === b.personality

/** Entries that come together are mostly of one session, and of few tools. */
export class Encoder {
  #who: Who | undefined
  #whoText = ""
  #tool = ""
  #origin = ""
  #toolText = ""

  #start(entry: Decision | Call): string {
    if (this.#who === undefined || !isSame(this.#who, entry)) {
      this.#who = entry
      this.#whoText = whoOf(entry)
    }
    if (this.#tool !== entry.tool || this.#origin !== entry.origin || this.#toolText === "") {
      this.#tool = entry.tool
      this.#origin = entry.origin
      this.#toolText = toolOf(entry.tool, entry.origin)
    }
    return begun(entry.type, entry.time, this.#whoText) + callOf(entry.call) + this.#toolText
  }

  #object(entry: AuditEntry): string {
    if (entry.type === "gap") {
      return `{"v":${VERSION},"time":${quoted(entry.time)},"type":"gap","lost":${entry.lost},"why":${quoted(entry.why)}}`
    }
    return this.#start(entry) + (entry.type === "call" ? called(entry.code, entry.ms) : decided(entry))
  }

  /** Without the newline. One that no reader would take is cut: to refuse it would hold up all that follow. */
  line(entry: AuditEntry): string {
    const text = this.#object(entry)
    return isLong(text) ? this.#object(shortened(entry)) : text
  }

  /** All of them, each with its newline. */
  lines(entries: ReadonlyArray<AuditEntry>): string {
    let text = ""
    for (const entry of entries) text += `${this.line(entry)}\n`
    return text
  }
}

/** Lines that were made here, taken apart: each without its newline. */
export const apart = (lines: string): ReadonlyArray<string> =>
  lines === "" ? [] : lines.slice(0, -1).split("\n")

/** The entries in a line that was made here. */
const entriesIn = (line: string): ReadonlyArray<AuditEntry> => unpacked(JSON.parse(line) as InLine)

export const entriesOf = (lines: string): ReadonlyArray<AuditEntry> => apart(lines).flatMap(entriesIn)

/** Lines that were made here; those that no reader would take are cut. */
export const bounded = (lines: string): string =>
  lines.length * BYTES_A_UNIT <= LONGEST
    ? lines
    : apart(lines)
        .map((line) => (isLong(line) ? new Encoder().lines(entriesIn(line).map(shortened)) : `${line}\n`))
        .join("")
