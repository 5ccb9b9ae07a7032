/** Threat: a text that ends a line, begins an entry, or gives orders to a terminal. */
import { expect, it } from "@effect/vitest"
import { AuditEntry } from "bailiwick"
import { Arbitrary, FastCheck as fc, Schema } from "effect"
import { Encoder, LONGEST } from "../../../src/audit/AuditLine.js"
import { entriesIn, isInLine } from "../../../src/layers/node/audit/EntriesIn.js"
import { timeIn } from "../../../src/layers/node/audit/timeIn.js"
import { seed, times } from "../../deep.js"
import { callAt } from "./entries.js"

const text = fc.oneof(
  fc.string({ unit: "binary" }),
  fc.string({ unit: fc.constantFrom('"', "\\", "\n", "{", '{"v":', "\u2028", "\ud83d", "\u009b", "x") })
)

const entries = Arbitrary.make(AuditEntry.AuditEntry).chain((entry) =>
  fc
    .record({ asked: text, call: text, why: text, ms: fc.double({ noNaN: true, noDefaultInfinity: true }) })
    .map(
      (odd): AuditEntry.AuditEntry =>
        entry.type === "gap"
          ? { ...entry, why: odd.why }
          : entry.type === "call"
            ? { ...entry, call: odd.call, ms: odd.ms === 0 ? 0 : odd.ms }
            : { ...entry, call: odd.call, asked: odd.asked }
    )
)

const settings = { numRuns: times(500), seed }

it("a line is one line of plain JSON that is its entry, and shows nothing odd as it is", () => {
  const encoder = new Encoder()
  fc.assert(
    fc.property(entries, (entry) => {
      const line = encoder.line(entry)
      expect(JSON.parse(line)).toEqual(entry)
      expect(entriesIn(line)).toEqual({ entries: [entry] })
      // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
      expect(line).not.toMatch(/[\u0000-\u001f\u007f-\u009f\u2028-\u202e\u2066-\u2069]/)
      expect(Buffer.from(line).toString()).toBe(line)
      expect(line.lastIndexOf('{"v":')).toBe(0)
    }),
    settings
  )
})

const shared = Arbitrary.make(AuditEntry.Calls).chain((calls) =>
  fc
    .array(fc.tuple(text, fc.double({ noNaN: true, noDefaultInfinity: true, min: 1 })), { maxLength: 20 })
    .map((all): AuditEntry.Calls => ({ ...calls, calls: all }))
)

it("calls that share a line are read one by one, as if each had its own", () => {
  const encoder = new Encoder()
  fc.assert(
    fc.property(shared, (calls) => {
      const { entries } = entriesIn(JSON.stringify(calls))
      expect(entries).toEqual(AuditEntry.unpacked(calls))
      expect(entries.map((entry) => entry.type === "call" && [entry.call, entry.ms])).toEqual(calls.calls)
      expect(entries.flatMap((entry) => entriesIn(encoder.line(entry)).entries)).toEqual(entries)
    }),
    settings
  )
})

it("more calls than may share a line are no line of a log", () => {
  const [one] = fc.sample(shared, { numRuns: 1, seed: 1 })
  const of = (length: number) =>
    entriesIn(JSON.stringify({ ...one, calls: Array.from({ length }, (_, index) => [String(index), 1]) }))
  expect(of(AuditEntry.SHARING).entries.length).toBe(AuditEntry.SHARING)
  expect(of(AuditEntry.SHARING + 1)).toEqual({ entries: [], remark: "foreign" })
})

it("the keys of a line stand in one order, in which it can be compared", () => {
  const { agent, call, code, ms, origin, revision, session, time, tool, type, v } = callAt(0, "1")
  const shuffled = { ms, tool, code, v, call, type, origin, agent, time, session, revision } as const
  const [line, other] = [
    new Encoder().line(callAt(0, "1")),
    new Encoder().line({ ...shuffled, agent: "ada" })
  ]
  expect(other).toBe(line)
  expect(line).toBe(
    '{"v":1,"time":"1970-01-01T00:00:00.000Z","type":"call","session":"s","agent":"ada","revision":"r1","call":"1","tool":"read_file","origin":"builtin","code":"ok","ms":3}'
  )
  expect(timeIn(Buffer.from(line))).toBe("1970-01-01T00:00:00.000Z")
})

it("an entry that is longer than any line may be is cut, and is still one", () => {
  const huge = "\u{1f600}\u0001".repeat(LONGEST)
  const line = new Encoder().line({ ...callAt(0, huge), tool: huge })
  expect(Buffer.byteLength(line)).toBeLessThan(LONGEST)
  const [entry] = entriesIn(line).entries
  expect(entry?.type === "call" && entry.tool.startsWith("\u{1f600}\u0001\u{1f600}")).toBe(true)
})

it("what a line may hold is what the schema says, and nothing else", () => {
  const is = Schema.is(AuditEntry.InLine)
  const broken = fc
    .tuple(
      fc.oneof(entries, shared),
      fc.constantFrom("v", "time", "type", "agent", "code", "ms", "lost", "allowed", "reason", "by", "calls")
    )
    .chain(([entry, key]) =>
      fc
        .oneof(
          fc.constantFrom(1, 2, "ok", "HOST_NOT_ALLOWED", "call", "calls", "gap", true, null, 1.5, {}),
          fc.constantFrom([], [["1", 1]], [["1"]], [[1, "1"]], [["1", 1, 1]], ["1", 1], [null], {
            length: 0
          }),
          fc.string()
        )
        .map((value): unknown => ({ ...entry, [key]: value }))
    )
  fc.assert(
    fc.property(fc.oneof(entries, shared, broken, fc.jsonValue()), (value) => {
      expect(isInLine(value)).toBe(is(value))
    }),
    settings
  )
})

it("what strangers write into a line besides its entry is left out", () => {
  const [entry] = entriesIn(
    `{"x":1,"__proto__":{"allowed":true},${JSON.stringify(callAt(0, "1")).slice(1)}`
  ).entries
  expect(JSON.stringify(entry)).toBe(JSON.stringify(Schema.decodeSync(AuditEntry.AuditEntry)(callAt(0, "1"))))
})
