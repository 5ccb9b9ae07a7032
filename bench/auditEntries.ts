/** A log as a busy machine leaves it: so many days up to now, with so many entries each. */
import { closeSync, mkdirSync, openSync, writeSync } from "node:fs"
import { join } from "node:path"
import type { AuditEntry } from "bailiwick"
import { Encoder } from "../src/audit/AuditLine.js"

const DAY = 24 * 60 * 60 * 1000
const BATCH = 2000

const TOOLS = ["read_file", "run_command", "web_fetch", "kv_get"]

const entryAt = (millis: number, index: number): AuditEntry.AuditEntry => {
  const call = index >> 1
  const who = {
    v: 1 as const,
    time: new Date(millis).toISOString(),
    session: `session-${call >> 6}`,
    agent: `agent-${(call >> 6) % 10}`,
    revision: "3f2a9c0d4e5b6a71",
    call: String(call),
    tool: TOOLS[call % TOOLS.length] ?? "",
    origin: "host"
  }
  if (index % 2 === 1) return { ...who, type: "call", code: "ok", ms: (call % 97) / 7 }
  const decision = {
    ...who,
    type: "decision" as const,
    capability: "files.read",
    asked: `read /work/src/file-${call % 1000}.ts`
  }
  return call % 50 === 0
    ? { ...decision, allowed: false, code: "PATH_NOT_REACHABLE", reason: "scope_violation" }
    : { ...decision, allowed: true, scope: "fs.read{in=/work}", by: "/work/records/agents/agent.md:12" }
}

export const generate = (directory: string, days: number, entries: number): void => {
  mkdirSync(directory, { recursive: true, mode: 0o700 })
  const encoder = new Encoder()
  const now = Date.now()
  const today = Math.floor(now / DAY)
  for (let day = today - days + 1; day <= today; day++) {
    const from = day * DAY
    const until = Math.min(from + DAY, now)
    const file = openSync(join(directory, `${new Date(from).toISOString().slice(0, 10)}.jsonl`), "a", 0o600)
    for (let index = 0; index < entries; index += BATCH) {
      let text = ""
      for (let one = index; one < index + BATCH; one++) {
        text += `${encoder.line(entryAt(from + ((until - from) * one) / entries, one))}\n`
      }
      writeSync(file, text)
    }
    closeSync(file)
  }
}
