/** The entries that a page shows, and those that say what was used: of all, whoever is asked about. */
import type { AuditEntry } from "../../../../audit/AuditEntry.js"
import { type Filter, isSince } from "../core/Filter.js"
import { Joining } from "../core/Work.js"
import { Feed } from "./Feed.js"

/** More makes a page that browsers are slow with. */
export const MOST = 300_000

export class Collected {
  readonly all = new Feed(MOST)
  readonly shown: Feed
  private readonly joining: Joining | undefined
  private found: Array<AuditEntry> = []
  private first = Number.POSITIVE_INFINITY
  private last = Number.NEGATIVE_INFINITY
  private skipped = 0
  constructor(private readonly filter: Filter) {
    const { since, ...others } = filter
    const isFiltered = Object.values(others).some((value) => value !== undefined && value !== false)
    const keep = (entry: AuditEntry): void => void this.found.push(entry)
    this.joining = isFiltered ? new Joining(filter, { decision: keep, call: keep, gap: keep }) : undefined
    this.shown = isFiltered ? new Feed(MOST) : this.all
  }

  /** Whether it is of when is asked for. Who reads whole files finds more in them. */
  isSince(entry: AuditEntry): boolean {
    return isSince(this.filter, entry)
  }

  add(found: ReadonlyArray<AuditEntry>): void {
    const entries = this.filter.since === undefined ? found : found.filter((entry) => this.isSince(entry))
    for (const { time } of entries) {
      const at = Date.parse(time)
      // What is no time says nothing of when.
      if (at < this.first) this.first = at
      if (at > this.last) this.last = at
    }
    this.all.add(entries)
    if (this.joining === undefined) return
    for (const entry of entries) this.joining.add(entry)
    this.shown.add(this.found)
    this.found = []
  }

  /** So many are older than all that is added, and are not. */
  skip(count: number): void {
    this.skipped += count
  }

  get covers(): readonly [from: number, to: number] | undefined {
    return this.first <= this.last ? [this.first, this.last] : undefined
  }

  get notes(): ReadonlyArray<string> {
    const left = this.all.left + this.skipped
    return left === 0
      ? []
      : [
          `This page has the newest ${MOST.toLocaleString("en")} entries; ${left.toLocaleString("en")} older ${left === 1 ? "one is" : "ones are"} left out. Choose some with --since or --agent.`
        ]
  }
}
