/** What a command asks of a log: which entries, how many of them, and what is heard of on the way. */
import type { AuditEntry } from "../../../audit/AuditEntry.js"
import type { Remark } from "../../../layers/node/audit/AuditFiles.js"
import { sentenceOf } from "../../../layers/node/audit/AuditFiles.js"
import type { AuditCommand } from "../../Arguments.js"
import { startOf } from "../../Since.js"
import type { Surroundings } from "../../Surroundings.js"
import type { Filter } from "./core/Filter.js"
import { Names } from "./core/Names.js"
import { Summing } from "./core/Summary.js"
import { type Item, Joining } from "./core/Work.js"
import { type Log, readLog } from "./Log.js"

export const filterOf = (command: AuditCommand, now: number): Filter => ({
  agent: command.agent,
  personality: command.personality,
  tool: command.tool,
  capability: command.capability,
  session: command.session,
  denied: command.denied,
  since: command.since === undefined ? undefined : startOf(command.since, now)
})

/** What was found in one reading. */
export class Findings {
  readonly summing = new Summing()
  readonly names = new Names()
  readonly remarks: Array<Remark> = []
  /** How many entries were read, whether asked for or not. */
  read = 0

  see(entry: AuditEntry): void {
    this.read += 1
    this.names.add(entry)
  }

  get warnings(): ReadonlyArray<string> {
    return this.remarks.map(sentenceOf)
  }
}

export interface Asked {
  readonly log: Log
  readonly filter: Filter
  readonly around: Surroundings
}

/** Reads the log once, and hands over what is asked for, some at a time. */
export const survey = async (
  { around, filter, log }: Asked,
  each: (items: ReadonlyArray<Item>) => void | Promise<void>,
  { most }: { readonly most?: number } = {}
): Promise<Findings> => {
  const found = new Findings()
  const joining = new Joining(filter, found.summing)
  const remark = (one: Remark): void => void found.remarks.push(one)
  await readLog(
    log,
    around,
    { since: filter.since, most, remark, isQuiet: most === undefined },
    (entries) => {
      const items: Array<Item> = []
      for (const entry of entries) {
        found.see(entry)
        items.push(...joining.add(entry))
      }
      return each(items)
    }
  )
  await each(joining.end())
  return found
}
