/** Who and what occurs in a log, so that a name that does not can be told from one that is misspelt. */
import type { AuditEntry } from "../../../../audit/AuditEntry.js"
import { closest } from "../../../../policy/text/Closest.js"
import { quote } from "../../../../policy/text/Quote.js"
import { type Filter, shortAgent } from "./Filter.js"

const MOST = 10_000
const LONGEST = 200

const kinds = ["agent", "personality", "tool", "session"] as const

type Kind = (typeof kinds)[number]

const add = (names: Set<string>, name: string | undefined): void => {
  if (name !== undefined && name.length <= LONGEST && names.size < MOST) names.add(name)
}

const isSame: Readonly<Record<Kind, (name: string, wanted: string) => boolean>> = {
  agent: (name, wanted) => shortAgent(name) === shortAgent(wanted),
  personality: (name, wanted) => name === wanted,
  tool: (name, wanted) => name === wanted,
  session: (name, wanted) => name === wanted
}

export class Names {
  private readonly known: Readonly<Record<Kind, Set<string>>> = {
    agent: new Set(),
    personality: new Set(),
    tool: new Set(),
    session: new Set()
  }

  /** Of an empty log nobody is misspelt. */
  private isSeen = false

  add(entry: AuditEntry): void {
    if (entry.type === "gap") return
    this.isSeen = true
    for (const kind of kinds) add(this.known[kind], entry[kind])
  }

  private sentence(kind: Kind, wanted: string): string | undefined {
    const names = this.known[kind]
    if (!this.isSeen) return undefined
    if (names.size >= MOST || [...names].some((name) => isSame[kind](name, wanted))) return undefined
    const near =
      closest(wanted, names) ??
      (kind === "agent" ? closest(`agents/${shortAgent(wanted)}`, names) : undefined)
    const meant = near === undefined ? "" : `; did you mean ${quote(near)}?`
    return `there is nothing of the ${kind} ${quote(wanted)} in what was read${meant}`
  }

  /** What the filter names and no entry has. */
  absent(filter: Filter): ReadonlyArray<string> {
    return kinds.flatMap((kind) => {
      const wanted = filter[kind]
      return wanted === undefined ? [] : (this.sentence(kind, wanted) ?? [])
    })
  }
}
