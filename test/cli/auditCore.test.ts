/** The laws of what is counted, chosen and joined, whatever a log holds. */
import { FastCheck as fc } from "effect"
import { describe, expect, it } from "vitest"
import type { AuditEntry } from "../../src/audit/AuditEntry.js"
import { type Filter, hasDecision, isOf } from "../../src/cli/commands/audit/core/Filter.js"
import { Newest } from "../../src/cli/commands/audit/core/Newest.js"
import { rowsOf } from "../../src/cli/commands/audit/core/Rows.js"
import { Tally } from "../../src/cli/commands/audit/core/Tally.js"
import { byPlace, type Item, Joining } from "../../src/cli/commands/audit/core/Work.js"
import { sinceOf, startOf } from "../../src/cli/Since.js"
import { times } from "../deep.js"
import { at, call, decision, gap, refusal } from "./auditLog.js"

const few = (...names: ReadonlyArray<string>) => fc.constantFrom(...names)

const entry: fc.Arbitrary<AuditEntry> = fc
  .record({
    kind: few("decision", "refusal", "call", "gap"),
    session: few("s1", "s2"),
    agent: few("agents/a", "b", ""),
    id: few("", "1", "2"),
    tool: few("web_fetch", "read_file"),
    capability: few("network.get", "network.post", "files.read", "network"),
    seconds: fc.nat(20)
  })
  .map(({ agent, capability, id, kind, seconds, session, tool }) => {
    const who = { session, call: id, tool, time: at(seconds), agent: agent === "" ? undefined : agent }
    if (kind === "gap") return gap({ time: at(seconds) })
    if (kind === "call") return call(who)
    return kind === "refusal" ? refusal({ ...who, capability }) : decision({ ...who, capability })
  })

const filter: fc.Arbitrary<Filter> = fc.record(
  {
    agent: few("a", "agents/a", "agents/b", "c"),
    tool: few("web_fetch", "other"),
    session: few("s1", "s2"),
    capability: few("network", "network.get", "files"),
    denied: fc.boolean(),
    since: fc.nat(20).map((seconds) => Date.parse(at(seconds)))
  },
  { requiredKeys: [] }
)

/** All of a log at once, with what was heard on the way. */
const joined = (chosen: Filter, entries: ReadonlyArray<AuditEntry>) => {
  const heard: Array<AuditEntry> = []
  const hear = (one: AuditEntry): void => void heard.push(one)
  const joining = new Joining(chosen, { decision: hear, call: hear, gap: hear })
  const items: ReadonlyArray<Item> = [...entries.flatMap((one) => joining.add(one)), ...joining.end()]
  return { heard, items }
}

const all = { numRuns: times(300) }

describe("joining", () => {
  it("tells of each decision that is chosen once, and shows it with one call at most", () => {
    fc.assert(
      fc.property(fc.array(entry, { maxLength: 40 }), filter, (entries, chosen) => {
        const { heard, items } = joined(chosen, entries)
        const wanted = entries.filter((one) => one.type === "decision" && hasDecision(chosen, one))
        const shown = items.flatMap((item) => (item._tag === "Work" ? item.decisions : []))
        expect(new Set(heard.filter(({ type }) => type === "decision"))).toEqual(new Set(wanted))
        expect(shown).toHaveLength(wanted.length)
        expect(new Set(shown)).toEqual(new Set(wanted))
      }),
      all
    )
  })

  it("shows a call with decisions of its own alone, that stand before it, and each that is chosen", () => {
    fc.assert(
      fc.property(fc.array(entry, { maxLength: 40 }), filter, (entries, chosen) => {
        const { items } = joined(chosen, entries)
        for (const item of items) {
          if (item._tag === "Missing" || item.call === undefined) continue
          const { call: of, decisions } = item
          expect(isOf(chosen, of)).toBe(true)
          for (const one of decisions) {
            const whose = ({ agent, call, session, tool }: typeof one | typeof of) => [
              session,
              agent,
              call,
              tool
            ]
            expect(whose(one)).toEqual(whose(of))
            expect(entries.indexOf(one)).toBeLessThan(entries.indexOf(of))
          }
        }
        const calls = items.flatMap((item) => (item._tag === "Work" && item.call ? [item.call] : []))
        const isPlain = chosen.denied !== true && chosen.capability === undefined
        const expected = entries.filter((one) => one.type === "call" && isOf(chosen, one))
        if (isPlain) expect(new Set(calls)).toEqual(new Set(expected))
        else expect(calls.every((one) => expected.includes(one))).toBe(true)
      }),
      all
    )
  })

  it("has every decision in its rows, as often as it was taken", () => {
    fc.assert(
      fc.property(fc.array(entry, { maxLength: 40 }), (entries) => {
        const rows = joined({}, entries).items.flatMap((item) => rowsOf(item, Number.POSITIVE_INFINITY))
        const times = rows.map((shown) => (shown._tag === "Row" ? (shown.row.decided?.times ?? 0) : 0))
        const decisions = entries.filter(({ type }) => type === "decision").length
        expect(times.reduce((sum, one) => sum + one, 0)).toBe(decisions)
      }),
      all
    )
  })

  it("leaves no refusal out of a call, however few decisions are shown", () => {
    fc.assert(
      fc.property(fc.array(entry, { maxLength: 40 }), fc.nat(4), (entries, most) => {
        const rows = joined({}, entries).items.flatMap((item) => rowsOf(item, most))
        const refused = rows.flatMap((shown) =>
          shown._tag === "Row" && shown.row.decided?.allowed === false ? [shown.row.decided.times] : []
        )
        const expected = entries.filter((one) => one.type === "decision" && !one.allowed).length
        expect(refused.reduce((sum, one) => sum + one, 0)).toBe(expected)
      }),
      all
    )
  })
})

describe("a filter", () => {
  it("chooses no more when more is asked for", () => {
    fc.assert(
      fc.property(fc.array(entry, { maxLength: 20 }), filter, filter, (entries, one, other) => {
        const both = { ...one, ...other }
        for (const found of entries) {
          if (found.type !== "decision" || !hasDecision(both, found)) continue
          expect(hasDecision(other, found)).toBe(true)
        }
      }),
      all
    )
  })
})

describe("the newest", () => {
  it("are the last so many, and the rest is counted", () => {
    fc.assert(
      fc.property(fc.array(fc.nat(), { maxLength: 60 }), fc.nat(12), (numbers, most) => {
        const newest = new Newest<number>(most)
        for (const one of numbers) newest.add(one)
        expect(newest.items).toEqual(most === 0 ? [] : numbers.slice(-most))
        expect(newest.left).toBe(Math.max(0, numbers.length - most))
      }),
      all
    )
  })
})

describe("the newest of what ends late", () => {
  it("are those that the log has last: what never ended takes the place of nothing newer", () => {
    fc.assert(
      fc.property(fc.array(entry, { maxLength: 60 }), fc.integer({ min: 1, max: 6 }), (entries, most) => {
        const { items } = joined({}, entries)
        const newest = new Newest<Item>(most, byPlace)
        for (const one of items) newest.add(one)
        const lastOf = (item: Item): number =>
          item._tag === "Missing"
            ? entries.indexOf(item.gap)
            : Math.max(
                ...[...item.decisions, ...(item.call ? [item.call] : [])].map((one) => entries.indexOf(one))
              )
        const places = items.map(lastOf).sort((a, b) => a - b)
        expect(newest.items.map(lastOf)).toEqual(places.slice(-most))
      }),
      all
    )
  })
})

describe("a tally", () => {
  it("counts few names exactly", () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(few("a", "b", "c", "d"), fc.boolean()), { maxLength: 50 }), (asked) => {
        const tally = new Tally()
        for (const [name, allowed] of asked) tally.add(name, allowed)
        for (const { asked: often, name, refused } of tally.top(10)) {
          expect(often).toBe(asked.filter(([one]) => one === name).length)
          expect(refused).toBe(asked.filter(([one, allowed]) => one === name && !allowed).length)
        }
        expect(tally.isExact).toBe(true)
        const counts = tally.top(10).map(({ asked: often }) => often)
        expect(counts).toEqual(counts.toSorted((a, b) => b - a))
      }),
      all
    )
  })

  it("keeps what comes often among names without end, and never counts too much", () => {
    const tally = new Tally()
    for (let n = 0; n < 100_000; n++) {
      tally.add(`name${n}`, true)
      if (n % 10 === 0) tally.add("often", n % 20 === 0)
    }
    const [first] = tally.top(1)
    expect(first).toEqual({ name: "often", asked: 10_000, refused: 5000 })
    expect(tally.isExact).toBe(false)
    expect(tally.size).toBeLessThanOrEqual(20_000)
  })
})

describe("since", () => {
  it("a time is read as the log writes it, and how long ago is taken from now", () => {
    fc.assert(
      fc.property(
        fc.date({ min: new Date(0), max: new Date("9999-12-31"), noInvalidDate: true }),
        fc.nat(100_000),
        (date, n) => {
          expect(startOf(sinceOf(date.toISOString()), 0)).toBe(date.getTime())
          expect(startOf(sinceOf(date.toISOString().slice(0, 10)), 0)).toBe(
            Date.parse(date.toISOString().slice(0, 10))
          )
          const now = Date.parse(at(0))
          expect(startOf(sinceOf(`${n}s`), now)).toBe(now - n * 1000)
          expect(startOf(sinceOf(`${n}m`), now)).toBe(Math.max(0, now - n * 60_000))
          expect(startOf(sinceOf(`${n}d`), now)).toBe(Math.max(0, now - n * 86_400_000))
        }
      ),
      all
    )
  })
})
