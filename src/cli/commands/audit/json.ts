/** The log as one JSON document. It is printed while the log is read: decisions first, and the calls in a second reading. */
import type { AuditEntry, Call, Decision, Gap } from "../../../audit/AuditEntry.js"
import type { Remark } from "../../../layers/node/audit/AuditFiles.js"
import { asJson } from "../../report/SafeJson.js"
import { type Asked, type Findings, survey } from "./Asked.js"
import { hasDecision } from "./core/Filter.js"
import { Newest } from "./core/Newest.js"
import type { Most, Summary } from "./core/Summary.js"
import { readLog } from "./Log.js"
import { Printed } from "./printed.js"

/** An entry without what tells its kind and version, which stand for the place it has in the document. */
const bare = <A extends AuditEntry>({ type: _type, v: _v, ...rest }: A): Omit<A, "type" | "v"> => rest

/** The elements of a list, a line each, however many. */
class Elements {
  private isFirst = true

  constructor(private readonly printed: Printed) {}

  add(value: unknown): void {
    this.printed.add(`${this.isFirst ? "" : ","}\n    ${asJson(value)}`)
    this.isFirst = false
  }

  end(): void {
    this.printed.add(this.isFirst ? "]" : "\n  ]")
  }
}

interface Sink<A> {
  readonly add: (one: A) => void
  readonly end: () => void
}

const sinkOf = <A extends AuditEntry>(printed: Printed, most: number | undefined): Sink<A> => {
  const elements = new Elements(printed)
  if (most === undefined) return { add: (one) => elements.add(bare(one)), end: () => elements.end() }
  const newest = new Newest<A>(most)
  return {
    add: (one) => newest.add(one),
    end: () => {
      for (const one of newest.items) elements.add(bare(one))
      elements.end()
    }
  }
}

const mostOf = ({ names }: Most) => names

const summaryDocument = (summary: Summary, leftOut: ReadonlyArray<Remark>) => {
  const { from, most, results, to, ...counts } = summary
  return {
    ...counts,
    results: Object.fromEntries(results),
    ...(from === undefined ? {} : { from, to }),
    hosts: mostOf(most.hosts),
    paths: mostOf(most.paths),
    commands: mostOf(most.commands),
    leftOut
  }
}

const MOST_GAPS = 1000

/** Answers with what was found; a `limit` holds for decisions and for calls. */
export const printJson = async (asked: Asked, limit: number | undefined): Promise<Findings> => {
  const { around, filter, log } = asked
  const printed = new Printed(around.print)
  printed.add('{\n  "entries": [')
  const decisions = sinkOf<Decision>(printed, limit)
  let read = 0
  const remarks: Array<Remark> = []
  const remark = (one: Remark): void => void remarks.push(one)
  await readLog(log, around, { since: filter.since, remark }, async (entries) => {
    for (const entry of entries) {
      read += 1
      if (entry.type === "decision" && hasDecision(filter, entry)) decisions.add(entry)
    }
    await printed.some()
  })
  decisions.end()
  printed.add(',\n  "calls": [')
  const calls = sinkOf<Call>(printed, limit)
  const gaps = new Newest<Gap>(MOST_GAPS)
  // What was written meanwhile has no decisions above.
  const found = await survey(
    asked,
    async (items) => {
      for (const item of items) {
        if (item._tag === "Missing") gaps.add(item.gap)
        else if (item.call !== undefined) calls.add(item.call)
      }
      await printed.some()
    },
    { most: read }
  )
  calls.end()
  printed.add(`,\n  "gaps": ${asJson(gaps.items.map(bare))}`)
  printed.add(`,\n  "summary": ${asJson(summaryDocument(found.summing.summary(), remarks))}\n}\n`)
  await printed.rest()
  return found
}
