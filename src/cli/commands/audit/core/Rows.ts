/** What is shown of the log, row by row, before anybody knows how wide a line is. */
import type { Call, Decision } from "../../../../audit/AuditEntry.js"
import { shortAgent } from "./Filter.js"
import type { Item, Work } from "./Work.js"

/** What was decided; `times` in a row. */
export interface Decided {
  readonly capability: string
  readonly asked: string
  readonly allowed: boolean
  /** The line that allowed it, or the code that refused it. */
  readonly why: string
  readonly times: number
}

export interface Row {
  readonly time: string
  readonly who: string
  readonly tool: string
  /** The code of the result; of a decision without a call, nothing. */
  readonly result: string
  /** In milliseconds. */
  readonly ms: number | undefined
  readonly decided: Decided | undefined
  /** Whether it is the first of its call. */
  readonly isFirst: boolean
}

export type Shown =
  | { readonly _tag: "Row"; readonly row: Row }
  /** A sentence in the place of rows. */
  | { readonly _tag: "Note"; readonly isWarning: boolean; readonly text: string }

const whoOf = ({ agent, personality }: Pick<Decision, "agent" | "personality">): string =>
  [agent === undefined ? undefined : shortAgent(agent), personality]
    .filter((name) => name !== undefined)
    .join("+")

const decidedOf = ({ allowed, asked, by, capability, code, reason, scope }: Decision): Decided => ({
  capability,
  asked,
  allowed,
  why: (allowed ? (by ?? scope) : (code ?? reason)) ?? "",
  times: 1
})

const isSame = (a: Decided, b: Decided): boolean =>
  a.capability === b.capability && a.asked === b.asked && a.allowed === b.allowed && a.why === b.why

/** What was decided again and again stands once. */
const collapsed = (decisions: ReadonlyArray<Decision>): ReadonlyArray<Decided> => {
  const all: Array<Decided> = []
  for (const decision of decisions) {
    const next = decidedOf(decision)
    const last = all.at(-1)
    if (last !== undefined && isSame(last, next)) all[all.length - 1] = { ...last, times: last.times + 1 }
    else all.push(next)
  }
  return all
}

const NO_END = "no end yet"

const resultOf = (call: Call | undefined, decision: Decision | undefined): string =>
  call?.code ?? (decision?.call === "" ? "" : NO_END)

/** Refusals are all shown, whatever else is left out of a call. */
const chosen = (all: ReadonlyArray<Decided>, most: number): ReadonlyArray<Decided> => {
  if (all.length <= most) return all
  const refused = all.filter(({ allowed }) => !allowed).length
  let room = Math.max(0, most - refused)
  return all.filter(({ allowed }) => !allowed || room-- > 0)
}

const sum = (all: ReadonlyArray<Decided>): number => all.reduce((total, { times }) => total + times, 0)

const rowsOfWork = ({ call, decisions, more }: Work, most: number): ReadonlyArray<Shown> => {
  const subject = call ?? decisions[0]
  if (subject === undefined) return []
  const all = collapsed(decisions)
  const shown = chosen(all, most)
  const common = {
    time: subject.time,
    who: whoOf(subject),
    tool: subject.tool,
    result: resultOf(call, decisions[0]),
    ms: call?.ms
  }
  const rows: ReadonlyArray<Decided | undefined> = shown.length === 0 ? [undefined] : shown
  const left = sum(all) - sum(shown) + more
  return [
    ...rows.map((decided, at): Shown => ({ _tag: "Row", row: { ...common, decided, isFirst: at === 0 } })),
    ...(left === 0
      ? []
      : [{ _tag: "Note", isWarning: false, text: `and ${left} more decisions of this call` } as const])
  ]
}

/** Of a call at most so many decisions, and its refusals. */
export const rowsOf = (item: Item, most: number): ReadonlyArray<Shown> => {
  if (item._tag === "Work") return rowsOfWork(item, most)
  const { lost, time, why } = item.gap
  const text = `${time}: ${lost} ${lost === 1 ? "entry is" : "entries are"} missing here: ${why}`
  return [{ _tag: "Note", isWarning: true, text }]
}
