/** A call with what was decided for it. In the log its decisions stand before it, among those of other calls. */
import type { AuditEntry, Call, Decision, Gap } from "../../../../audit/AuditEntry.js"
import { whichLog } from "../../../../layers/node/audit/WhichLog.js"
import { type Filter, hasCall, hasDecision, isSince } from "./Filter.js"

export interface Work {
  readonly _tag: "Work"
  /** Absent for what belongs to no call, and for a call that has not ended, or was killed. */
  readonly call: Call | undefined
  /** Those that are asked for, in their order. */
  readonly decisions: ReadonlyArray<Decision>
  /** How many more there are of them. */
  readonly more: number
  readonly place: number
}

/** What stands in a list: a call and its decisions, or that entries are missing here. `place` is that of its last entry. */
export type Item = Work | { readonly _tag: "Missing"; readonly gap: Gap; readonly place: number }

/** A call that never ends is told of last, and is not newer for that. */
export const byPlace = (a: Item, b: Item): number => a.place - b.place

/** Calls that have not ended yet; beyond this, the oldest are taken for ended. */
const MOST_OPEN = 2000

/** Decisions of a call that are kept; more are counted. */
const MOST_DECISIONS = 200

interface Open {
  readonly decisions: Array<Decision>
  more: number
  place: number
}

/** Ids are the words of models, and come again: a call is one only with all that it belongs to. */
const keyOf = (entry: Decision | Call): string => {
  const { agent = "", call, origin, personality = "", revision, session, tool } = entry
  return JSON.stringify([whichLog(entry), session, agent, personality, call, tool, origin, revision])
}

const workOf = (call: Call | undefined, open: Open): Work => ({ _tag: "Work", call, ...open })

/** Hears of each entry that is asked for, once, whatever it is shown with. */
export interface Listener {
  readonly decision: (decision: Decision) => void
  readonly call: (call: Call) => void
  readonly gap: (gap: Gap) => void
}

export class Joining {
  private readonly open = new Map<string, Open>()
  private place = 0

  constructor(
    private readonly filter: Filter,
    private readonly listener: Listener
  ) {}

  /** What is complete now. */
  add(entry: AuditEntry): ReadonlyArray<Item> {
    this.place += 1
    switch (entry.type) {
      case "gap":
        if (!isSince(this.filter, entry)) return []
        this.listener.gap(entry)
        return [{ _tag: "Missing", gap: entry, place: this.place }]
      case "decision":
        return hasDecision(this.filter, entry) ? this.decision(entry) : []
      case "call":
        return this.call(entry)
    }
  }

  private decision(decision: Decision): ReadonlyArray<Item> {
    const { place } = this
    this.listener.decision(decision)
    if (decision.call === "") return [workOf(undefined, { decisions: [decision], more: 0, place })]
    const key = keyOf(decision)
    const known = this.open.get(key)
    if (known === undefined) this.open.set(key, { decisions: [decision], more: 0, place })
    else {
      known.place = place
      if (known.decisions.length < MOST_DECISIONS) known.decisions.push(decision)
      else known.more += 1
    }
    return this.open.size > MOST_OPEN ? this.oldest() : []
  }

  private oldest(): ReadonlyArray<Item> {
    for (const [key, open] of this.open) {
      this.open.delete(key)
      return [workOf(undefined, open)]
    }
    return []
  }

  /** An id may come again in a session: what was decided before goes to the call that ends first. */
  private call(call: Call): ReadonlyArray<Item> {
    const key = keyOf(call)
    const { place } = this
    const open = { ...(this.open.get(key) ?? { decisions: [], more: 0 }), place }
    if (!hasCall(this.filter, call, open.decisions.length)) return []
    this.open.delete(key)
    this.listener.call(call)
    return [workOf(call, open)]
  }

  /** What has no end in the log. */
  end(): ReadonlyArray<Item> {
    const left = [...this.open.values()].map((open) => workOf(undefined, open))
    this.open.clear()
    return left
  }
}
