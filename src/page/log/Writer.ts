/** Puts entries into the columns of a log, oldest first. */
import type { CallEntry, DecisionEntry, Entry } from "./Entry.js"
import { type Log, NONE } from "./Log.js"

/** By what no text of the page holds. */
const joined = (...texts: ReadonlyArray<string>): string => texts.join("\u0000")

/** Ids are the words of models, and come again: a call is one only with all that it belongs to. */
const keyOf = (entry: DecisionEntry | CallEntry, from: string): string => {
  const { agent = "", call, origin, personality = "", revision, session, tool } = entry
  return joined(from, session, call, tool, origin, agent, personality, revision)
}

/** What has no time that can be read stands at the beginning of all. */
const millis = (time: string): number => {
  const found = Date.parse(time)
  return Number.isNaN(found) ? 0 : found
}

/** Adds one entry to the log; of several logs, with which it is of. Decisions come before the answer of their call. */
export const writerTo = (log: Log): ((entry: Entry, from?: string) => void) => {
  const { calls, decisions, strings } = log
  const places = new Map(strings.map((text, at) => [text, at]))
  /** The rows of calls that are not answered. */
  const open = new Map<string, number>()
  for (const [row, code] of calls.code.entries()) {
    if (code !== NONE || calls.id[row] === NONE) continue
    const { agent, id, origin, personality, revision, session, tool } = calls
    const columns = [session, id, tool, origin, agent, personality, revision]
    open.set(joined("", ...columns.map((column) => strings[column[row] ?? NONE] ?? "")), row)
  }

  const place = (text = ""): number => {
    const known = places.get(text)
    if (known !== undefined) return known
    places.set(text, strings.length)
    return strings.push(text) - 1
  }

  const beginCall = (entry: DecisionEntry | CallEntry): number => {
    calls.id.push(place(entry.call))
    calls.session.push(place(entry.session))
    calls.agent.push(place(entry.agent))
    calls.personality.push(place(entry.personality))
    calls.revision.push(place(entry.revision))
    calls.tool.push(place(entry.tool))
    calls.origin.push(place(entry.origin))
    calls.code.push(NONE)
    calls.ms.push(0)
    calls.refused.push(0)
    return calls.time.push(millis(entry.time)) - 1
  }

  /** What belongs to no call is alone. */
  const callOf = (entry: DecisionEntry, from: string): number => {
    if (entry.call === "") return beginCall(entry)
    const key = keyOf(entry, from)
    const row = open.get(key) ?? beginCall(entry)
    open.set(key, row)
    return row
  }

  const decide = (entry: DecisionEntry, from: string): void => {
    const call = callOf(entry, from)
    decisions.time.push(millis(entry.time))
    decisions.call.push(call)
    decisions.capability.push(place(entry.capability))
    decisions.asked.push(place(entry.asked))
    decisions.allowed.push(entry.allowed ? 1 : 0)
    decisions.scope.push(place(entry.scope))
    decisions.code.push(place(entry.code))
    decisions.reason.push(place(entry.reason))
    decisions.by.push(place(entry.by))
    if (!entry.allowed) calls.refused[call] = (calls.refused[call] ?? 0) + 1
  }

  const answer = (entry: CallEntry, from: string): void => {
    const key = keyOf(entry, from)
    const row = open.get(key) ?? beginCall(entry)
    open.delete(key)
    calls.time[row] = millis(entry.time)
    calls.code[row] = place(entry.code)
    calls.ms[row] = Math.round(entry.ms * 10) / 10
  }

  return (entry, from = "") => {
    if (entry.type === "decision") decide(entry, from)
    else if (entry.type === "call") answer(entry, from)
    else log.lost += entry.lost
  }
}
