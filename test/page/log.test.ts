/** The log in columns: nothing is lost on the way into the page, and its filters choose what a plain look would choose. */
import { describe, expect, it } from "@effect/vitest"
import { FastCheck as fc } from "effect"
import { binsOf } from "../../src/page/log/Bins.js"
import { decoded, encoded } from "../../src/page/log/EncodedLog.js"
import type { CallEntry, DecisionEntry, Entry } from "../../src/page/log/Entry.js"
import { type Filters, noFilters, readFilters, timeOf, writeFilters } from "../../src/page/log/Filters.js"
import { emptyLog, type Log, spanOf, textAt } from "../../src/page/log/Log.js"
import { select } from "../../src/page/log/Selection.js"
import { tallyOf } from "../../src/page/log/Tally.js"
import { writerTo } from "../../src/page/log/Writer.js"
import { showing, windowOf } from "../../src/page/view/rowWindow.js"

const START = Date.parse("2026-11-18T00:00:00.000Z")
const HOUR = 3_600_000

const text = fc.constantFrom("a", "b", "Bar", "toString", "__proto__", "ä ö", "</script>")

const who = fc.record(
  {
    session: fc.constantFrom("s1", "s2"),
    agent: fc.constantFrom("agents/a", "agents/b"),
    personality: fc.constantFrom("p", "agents/a"),
    revision: fc.constantFrom("r", "q"),
    call: fc.constantFrom("", "1", "2", "3"),
    tool: text,
    origin: fc.constantFrom("host", "mcp:a")
  },
  { requiredKeys: ["session", "revision", "call", "tool", "origin"] }
)

const decision = fc
  .record({
    who,
    capability: fc.constantFrom("network.get", "network.post", "files.read"),
    asked: text,
    allowed: fc.boolean(),
    more: fc.record({ scope: text, code: text, reason: text, by: text }, { requiredKeys: [] })
  })
  .map(
    ({ more, who, ...rest }): Omit<DecisionEntry, "time"> => ({ type: "decision", ...who, ...rest, ...more })
  )

const call = fc
  .record({ who, code: fc.constantFrom("ok", "timeout"), ms: fc.integer({ min: 0, max: 1000 }) })
  .map(({ who, ...rest }): Omit<CallEntry, "time"> => ({ type: "call", ...who, ...rest }))

const entries = fc
  .array(fc.tuple(fc.oneof(decision, decision, call), fc.integer({ min: 0, max: HOUR })), { maxLength: 40 })
  .map((all): ReadonlyArray<Entry> => {
    let time = START
    return all.map(([entry, later]) => {
      time += later
      return { ...entry, time: new Date(time).toISOString() }
    })
  })

const logOf = (all: Iterable<Entry>): Log => {
  const log = emptyLog()
  const write = writerTo(log)
  for (const entry of all) write(entry)
  return log
}

const optional = <K extends string>(key: K, value: string) => (value === "" ? {} : { [key]: value })

/** A decision as the columns have it. */
const decisionAt = (log: Log, row: number): Entry => {
  const { calls, decisions } = log
  const own = decisions.call[row] ?? 0
  const of = (column: ReadonlyArray<number>) => textAt(log, column, row)
  const ofCall = (column: ReadonlyArray<number>) => textAt(log, column, own)
  return {
    type: "decision",
    time: new Date(decisions.time[row] ?? 0).toISOString(),
    session: ofCall(calls.session),
    ...optional("agent", ofCall(calls.agent)),
    ...optional("personality", ofCall(calls.personality)),
    revision: ofCall(calls.revision),
    call: ofCall(calls.id),
    tool: ofCall(calls.tool),
    origin: ofCall(calls.origin),
    capability: of(decisions.capability),
    asked: of(decisions.asked),
    allowed: decisions.allowed[row] === 1,
    ...optional("scope", of(decisions.scope)),
    ...optional("code", of(decisions.code)),
    ...optional("reason", of(decisions.reason)),
    ...optional("by", of(decisions.by))
  }
}

const isDecision = (entry: Entry): entry is DecisionEntry => entry.type === "decision"

const one = (
  name: keyof Filters,
  ...values: ReadonlyArray<string | boolean>
): fc.Arbitrary<Partial<Filters>> => fc.constantFrom(...values).map((value) => ({ [name]: value }))

/** Few at once: many together leave nothing. */
const filters: fc.Arbitrary<Filters> = fc
  .array(
    fc.oneof(
      one("agent", "agents/a", "a", "p", "nobody"),
      one("tool", "a", "toString", "</script>"),
      one("capability", "network.get", "network", "net"),
      one("session", "s1", "s3"),
      one("denied", true),
      one("since", "2026-11-18T05:00:00.000Z", "3h"),
      one("until", "2026-11-18T09:00Z"),
      one("q", "a", "BAR", "b network", "ok", "</script>", "nothing at all")
    ),
    { maxLength: 3 }
  )
  .map((given) => Object.assign({}, noFilters, ...given))

const NOW = START + 12 * HOUR

/** Entry by entry, as anybody would. */
const isChosen = (filters: Filters, entry: DecisionEntry): boolean => {
  const time = Date.parse(entry.time)
  const all = Object.entries(entry)
    .filter(([key]) => !["type", "time", "revision", "allowed"].includes(key))
    .map(([, value]) => String(value).toLowerCase())
  const names = [entry.agent, entry.personality]
  const known = (id: string) => names.includes(id)
  return (
    (filters.agent === "" || known(filters.agent) || known(`agents/${filters.agent}`)) &&
    (filters.tool === "" || entry.tool === filters.tool) &&
    (filters.session === "" || entry.session === filters.session) &&
    (filters.capability === "" ||
      entry.capability === filters.capability ||
      entry.capability.startsWith(`${filters.capability}.`)) &&
    (!filters.denied || !entry.allowed) &&
    time >= (timeOf(filters.since, NOW) ?? time) &&
    time <= (timeOf(filters.until, NOW) ?? time) &&
    filters.q
      .toLowerCase()
      .split(" ")
      .every((word) => all.some((value) => value.includes(word)))
  )
}

describe("the columns", () => {
  it.prop("hold every decision whole, in its order", [entries], ([given]) => {
    const log = decoded(JSON.parse(JSON.stringify(encoded(logOf(given)))))
    const held = log.decisions.time.map((_, row) => decisionAt(log, row))
    expect(held).toEqual(given.filter(isDecision))
  })

  it.prop("hold a call once, with its end", [entries], ([given]) => {
    const log = logOf(given)
    const answered = log.calls.code.filter((code) => code !== 0).length
    expect(answered).toBe(given.filter(({ type }) => type === "call").length)
  })

  it.prop("give the same whether they are read or go on", [entries, fc.nat(40)], ([all, at]) => {
    const log = decoded(JSON.parse(JSON.stringify(encoded(logOf(all.slice(0, at))))))
    const write = writerTo(log)
    for (const entry of all.slice(at)) write(entry)
    expect(log).toEqual(logOf(all))
  })

  it("are of one log each, where several are read together", () => {
    const who = { session: "s", agent: "a", revision: "r", call: "1", tool: "t", origin: "host", time: "" }
    const log = emptyLog()
    const write = writerTo(log)
    const asked = { type: "decision", capability: "files.read", asked: "read /a", allowed: true } as const
    for (const from of ["one", "other"]) write({ ...who, ...asked }, from)
    for (const [from, code] of [
      ["one", "ok"],
      ["other", "timeout"]
    ] as const) {
      write({ ...who, type: "call", code, ms: 1 }, from)
    }
    expect(log.calls.code.map((_, row) => textAt(log, log.calls.code, row))).toEqual(["ok", "timeout"])
    expect(log.decisions.call).toEqual([0, 1])
  })

  it("count what was lost", () => {
    expect(logOf([{ type: "gap", time: "2026-11-18T00:00:00.000Z", lost: 7, why: "full" }]).lost).toBe(7)
  })
})

describe("the filters", () => {
  it.prop(
    "choose what a look at each entry would choose, the latest first",
    [entries, filters],
    ([given, chosen]) => {
      const log = logOf(given)
      const found = select(log, chosen, NOW).decisions.map((row) => decisionAt(log, row))
      expect(found).toEqual(
        given
          .filter(isDecision)
          .filter((entry) => isChosen(chosen, entry))
          .reverse()
      )
    }
  )

  it.prop("come back from the address as they were written", [filters], ([given]) => {
    expect(readFilters(new URLSearchParams(String(writeFilters(given))))).toEqual(given)
  })

  it.prop("are made of any address", [fc.string({ unit: "binary" })], ([hash]) => {
    const read = readFilters(new URLSearchParams(hash))
    expect(readFilters(writeFilters(read))).toEqual(read)
    expect(/\p{Cc}|\p{Cf}/u.test(JSON.stringify(read))).toBe(false)
  })

  it("take no time that is none", () => {
    const read = readFilters(
      new URLSearchParams("since=javascript:1&until=2026-99-99&denied=yes&q=%00%E2%80%AEa")
    )
    expect(read).toEqual({ ...noFilters, q: "a" })
  })
})

describe("the stretches of the timeline", () => {
  const all = new Uint8Array(1000).fill(1)

  it.prop("hold each call once", [entries, fc.integer({ min: 2, max: 200 })], ([given, most]) => {
    const log = logOf(given)
    const span = spanOf(log)
    if (span === undefined) return
    const bins = binsOf(log, all, span, { most, offset: 2 * HOUR })
    const counted = [...bins.ok, ...bins.failed, ...bins.refused].reduce((sum, one) => sum + one, 0)
    expect(counted).toBe(log.calls.time.length)
    expect(bins.count).toBeLessThanOrEqual(most)
    expect(bins.refused.reduce((sum, one) => sum + one, 0)).toBe(
      log.calls.refused.filter((one) => one > 0).length
    )
  })
})

describe("the counts", () => {
  it("are of calls, and not of what was decided for none", () => {
    const who = { session: "s", agent: "agents/a", revision: "r", tool: "t", origin: "host" }
    const time = "2026-11-18T00:00:00.000Z"
    const asked = {
      ...who,
      time,
      type: "decision",
      capability: "files.read",
      asked: "read /a",
      allowed: true
    } as const
    const unnamed = { ...who, time, type: "call", call: "", code: "ok", ms: 1 } as const
    const loose = { ...asked, call: "" }
    const tally = tallyOf(logOf([loose, { ...asked, call: "1" }, unnamed, loose]))
    expect([tally.calls, tally.allowed, tally.tools.get("t")?.calls]).toEqual([2, 3, 2])
    expect([...tally.who.values()].map(({ calls }) => calls)).toEqual([2])
  })

  it.prop("are those of the entries", [entries], ([given]) => {
    const tally = tallyOf(logOf(given))
    const decisions = given.filter(isDecision)
    expect(tally.allowed).toBe(decisions.filter(({ allowed }) => allowed).length)
    expect(tally.refused).toBe(decisions.filter(({ allowed }) => !allowed).length)
    for (const { id, kind, uses } of tally.who.values()) {
      for (const [capability, { allowed, refused }] of uses) {
        const own = decisions.filter((one) => one[kind] === id && one.capability === capability)
        expect([allowed, refused]).toEqual([
          own.filter((one) => one.allowed).length,
          own.filter((one) => !one.allowed).length
        ])
      }
    }
  })
})

describe("a long list", () => {
  it.prop(
    "draws every row that is seen, and few others",
    [fc.nat(200_000), fc.nat(8_000_000), fc.integer({ min: 100, max: 900 }), fc.constantFrom(38, 82)],
    ([count, top, height, row]) => {
      const { end, first } = windowOf(top, height, row, count)
      for (let at = Math.floor(top / row); at * row < top + height && at < count; at++) {
        expect(at >= first && at < end).toBe(true)
      }
      expect(end - first).toBeLessThanOrEqual(height / row + 20)
    }
  )

  it.prop(
    "is scrolled just so far that a row is seen whole",
    [fc.nat(1000), fc.nat(40_000), fc.integer({ min: 100, max: 900 })],
    ([row, top, height]) => {
      const there = showing(row, top, height, 38)
      expect(row * 38 >= there && (row + 1) * 38 <= there + height).toBe(true)
      expect(showing(row, there, height, 38)).toBe(there)
    }
  )
})
