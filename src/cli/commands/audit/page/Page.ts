/** The audit log and the workspace as one page that needs nothing else. */
import type { AuditEntry } from "../../../../audit/AuditEntry.js"
import { whichLog } from "../../../../layers/node/audit/WhichLog.js"
import { encoded } from "../../../../page/log/EncodedLog.js"
import { emptyLog } from "../../../../page/log/Log.js"
import { writerTo } from "../../../../page/log/Writer.js"
import type * as Page from "../../../../page/PageData.js"
import { columns } from "./Holders.js"
import { inPage } from "./InPage.js"
import { type Filled, filled } from "./Template.js"

export interface PageInput {
  /** What was looked at: the folder of a workspace, or the names of files. */
  readonly about: string
  /** Oldest first. */
  readonly entries: Iterable<AuditEntry>
  /** Nothing where there is no workspace. */
  readonly workspace?:
    | {
        readonly root: string
        readonly subjects: ReadonlyArray<Page.Subject>
        readonly tools: ReadonlyArray<Page.Tool>
      }
    | undefined
  /** In milliseconds. */
  readonly generated: number
  readonly notes?: ReadonlyArray<string> | undefined
  /** The times of the first and the last entry of the whole log, where the page has only some of it. */
  readonly covers?: Page.PageData["covers"]
  readonly live?: Page.PageData["live"]
}

const dataOf = ({
  about,
  covers,
  entries,
  generated,
  live,
  notes = [],
  workspace
}: PageInput): Page.PageData => {
  const shown = inPage(workspace?.root)
  const log = emptyLog()
  const write = writerTo(log)
  for (const entry of entries) write(shown(entry), whichLog(entry))
  return {
    ...shown({ about, notes, subjects: workspace?.subjects, tools: workspace?.tools }),
    generated,
    covers,
    live,
    capabilities: columns,
    log: encoded(log)
  }
}

export const filledPage = (input: PageInput, template?: string): Promise<Filled> =>
  filled(dataOf(input), { isServed: input.live !== undefined, template })

export const pageOf = async (input: PageInput, template?: string): Promise<string> =>
  (await filledPage(input, template)).html
