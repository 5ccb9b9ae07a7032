/** Which log an entry was read from, where several are read together: ids of calls mean something in their own log alone. */
import { basename, dirname } from "node:path"
import type { AuditEntry } from "../../../audit/AuditEntry.js"
import { nameIn } from "./names.js"

const logs = new WeakMap<AuditEntry, string>()

/** Empty where there is only one. */
export const whichLog = (entry: AuditEntry): string => logs.get(entry) ?? ""

/** The files of one directory are one log, as far as they are called as its writers call them. */
const logOf = (file: string): string => (nameIn(basename(file)) === undefined ? file : dirname(file))

export const remember = (file: string, entries: ReadonlyArray<AuditEntry>): void => {
  const log = logOf(file)
  for (const entry of entries) logs.set(entry, log)
}
