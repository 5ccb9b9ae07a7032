/** What a log says in a few lines, counted entry by entry. */
import type { Call, Decision, Gap } from "../../../../audit/AuditEntry.js"
import { type Subjects, subjectOf } from "./subject.js"
import { type Counted, Tally } from "./Tally.js"
import type { Listener } from "./Work.js"

export interface Most {
  readonly names: ReadonlyArray<Counted>
  /** How many names there are beside these. */
  readonly more: number
  /** Whether each came up just as often, or at least as often. */
  readonly isExact: boolean
}

export interface Summary {
  readonly calls: number
  /** How many calls had which result. */
  readonly results: ReadonlyMap<string, number>
  readonly decisions: number
  readonly refused: number
  /** ISO 8601; absent where nothing has a time. */
  readonly from: string | undefined
  readonly to: string | undefined
  /** How often entries are missing, and how many. */
  readonly gaps: number
  readonly lost: number
  readonly most: Readonly<Record<Subjects, Most>>
}

const MOST = 5

export class Summing implements Listener {
  private calls = 0
  private readonly results = new Map<string, number>()
  private decisions = 0
  private refused = 0
  private from = Number.POSITIVE_INFINITY
  private to = Number.NEGATIVE_INFINITY
  private gaps = 0
  private lost = 0
  private readonly tallies: Readonly<Record<Subjects, Tally>> = {
    hosts: new Tally(),
    paths: new Tally(),
    commands: new Tally()
  }

  private at(time: string): void {
    const at = Date.parse(time)
    if (Number.isNaN(at)) return
    if (at < this.from) this.from = at
    if (at > this.to) this.to = at
  }

  decision(decision: Decision): void {
    this.at(decision.time)
    this.decisions += 1
    if (!decision.allowed) this.refused += 1
    const subject = subjectOf(decision)
    if (subject !== undefined) this.tallies[subject.kind].add(subject.name, decision.allowed)
  }

  call({ code, time }: Call): void {
    this.at(time)
    this.calls += 1
    this.results.set(code, (this.results.get(code) ?? 0) + 1)
  }

  gap({ lost }: Gap): void {
    this.gaps += 1
    this.lost += lost
  }

  private most(subjects: Subjects): Most {
    const tally = this.tallies[subjects]
    const names = tally.top(MOST)
    return { names, more: tally.size - names.length, isExact: tally.isExact }
  }

  summary(): Summary {
    const { calls, decisions, gaps, lost, refused } = this
    const hasTime = this.to >= this.from
    return {
      calls,
      results: new Map(
        [...this.results].sort(([a, first], [b, second]) => second - first || (a < b ? -1 : 1))
      ),
      decisions,
      refused,
      from: hasTime ? new Date(this.from).toISOString() : undefined,
      to: hasTime ? new Date(this.to).toISOString() : undefined,
      gaps,
      lost,
      most: { hosts: this.most("hosts"), paths: this.most("paths"), commands: this.most("commands") }
    }
  }
}
