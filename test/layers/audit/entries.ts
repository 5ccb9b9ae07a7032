/** Entries to write and to look for. */
import type { AuditEntry } from "bailiwick"

const at = (millis: number): string => new Date(millis).toISOString()

export const callAt = (millis: number, call: string): AuditEntry.Call => ({
  v: 1,
  time: at(millis),
  type: "call",
  session: "s",
  agent: "ada",
  revision: "r1",
  call,
  tool: "read_file",
  origin: "builtin",
  code: "ok",
  ms: 3
})

/** Calls that share a line. */
export const callsAt = (millis: number, ids: ReadonlyArray<string>): AuditEntry.Calls => {
  const { call: _, ms, ...shared } = callAt(millis, "")
  return { ...shared, type: "calls", calls: ids.map((id) => [id, ms]) }
}
