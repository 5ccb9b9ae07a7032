/** The decisions and calls that filters leave. */
import { type Filters, timeOf } from "./Filters.js"
import type { Log } from "./Log.js"

export interface Selection {
  /** Rows of decisions, the latest first. */
  readonly decisions: ReadonlyArray<number>
  /** For each call one or nought: whether the filters leave it, whatever its time. */
  readonly calls: Uint8Array
}

/** The list of texts in lower case, made once for each text. */
const lowered = new WeakMap<Log, Array<string>>()

const lowerCase = (log: Log): ReadonlyArray<string> => {
  const all = lowered.get(log) ?? []
  for (let at = all.length; at < log.strings.length; at++) all.push((log.strings[at] ?? "").toLowerCase())
  lowered.set(log, all)
  return all
}

/** For each text, which of the words it holds, as bits. */
const holding = (log: Log, words: ReadonlyArray<string>): Int32Array => {
  const strings = lowerCase(log)
  const found = new Int32Array(strings.length)
  for (const [bit, word] of words.entries()) {
    for (let at = 0; at < strings.length; at++) {
      if (strings[at]?.includes(word) === true) found[at] = (found[at] ?? 0) | (1 << bit)
    }
  }
  return found
}

/** As many as there are bits. */
const MOST_WORDS = 30

const wordsOf = (q: string): ReadonlyArray<string> =>
  [...new Set(q.toLowerCase().split(/\s+/))].filter((word) => word !== "").slice(0, MOST_WORDS)

/** The place of a text; one that nothing has where no entry has it, and nothing where it is not asked for. */
const placeOf = ({ strings }: Log, text: string): number | undefined =>
  text === "" ? undefined : strings.indexOf(text)

/** With or without the folder that all agents are in. */
const agentPlaces = (log: Log, id: string): ReadonlySet<number | undefined> | undefined =>
  id === "" ? undefined : new Set([placeOf(log, id), placeOf(log, `agents/${id}`)])

/** One capability, or all of a facet: `network` has `network.get` in it. */
const capabilityPlaces = ({ strings }: Log, name: string): ReadonlySet<number> | undefined =>
  name === ""
    ? undefined
    : new Set(strings.flatMap((text, at) => (text === name || text.startsWith(`${name}.`) ? [at] : [])))

export const select = (log: Log, filters: Filters, now: number): Selection => {
  const { calls, decisions } = log
  const agents = agentPlaces(log, filters.agent)
  const [tool, session] = [filters.tool, filters.session].map((text) => placeOf(log, text))
  const capability = capabilityPlaces(log, filters.capability)
  const words = wordsOf(filters.q)
  const all = 2 ** words.length - 1
  const bits = holding(log, words)
  const bitsAt = (column: ReadonlyArray<number>, row: number): number => bits[column[row] ?? 0] ?? 0

  const count = calls.time.length
  const isLeft = new Uint8Array(count)
  const ofCall = new Int32Array(count)
  const marked = new Uint8Array(count)
  const needsDecision = filters.denied || capability !== undefined
  for (let row = 0; row < count; row++) {
    if (agents !== undefined && !agents.has(calls.agent[row]) && !agents.has(calls.personality[row])) continue
    if (tool !== undefined && calls.tool[row] !== tool) continue
    if (session !== undefined && calls.session[row] !== session) continue
    isLeft[row] = 1
    if (all > 0) {
      ofCall[row] =
        bitsAt(calls.agent, row) |
        bitsAt(calls.personality, row) |
        bitsAt(calls.tool, row) |
        bitsAt(calls.origin, row) |
        bitsAt(calls.session, row) |
        bitsAt(calls.id, row)
    }
    if (!needsDecision && ofCall[row] === all) marked[row] = 1
  }

  const since = timeOf(filters.since, now) ?? Number.NEGATIVE_INFINITY
  const until = timeOf(filters.until, now) ?? Number.POSITIVE_INFINITY
  const found: Array<number> = []
  for (let row = decisions.time.length - 1; row >= 0; row--) {
    const call = decisions.call[row] ?? 0
    if (isLeft[call] === 0) continue
    if (filters.denied && decisions.allowed[row] === 1) continue
    if (capability !== undefined && !capability.has(decisions.capability[row] ?? 0)) continue
    if (all > 0) {
      const bitsHere =
        (ofCall[call] ?? 0) |
        bitsAt(decisions.capability, row) |
        bitsAt(decisions.asked, row) |
        bitsAt(decisions.scope, row) |
        bitsAt(decisions.code, row) |
        bitsAt(decisions.reason, row) |
        bitsAt(decisions.by, row)
      if (bitsHere !== all) continue
    }
    marked[call] = 1
    const time = decisions.time[row] ?? 0
    if (time >= since && time <= until) found.push(row)
  }
  return { decisions: found, calls: marked }
}
