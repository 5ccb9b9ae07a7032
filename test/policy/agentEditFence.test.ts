/**
 * Shorthands that are written out, and what goes with them. What is threatened: an edit that has nothing to do with it
 * takes a fence away, so that the agent reaches further once the workspace's root is another; or takes a line out of
 * the record and says nothing.
 */
import { Either, FastCheck as fc } from "effect"
import { describe, expect, it } from "vitest"
import * as AgentRecord from "../../src/policy/agent/AgentRecord.js"
import * as AgentEdit from "../../src/policy/agent/edit/AgentEdit.js"
import * as Authority from "../../src/policy/lattice/Authority.js"
import { times } from "../deep.js"
import { dissolve, file, grant, HOME, parse, replace, revoke, right, spec, verdict } from "./agents.js"
import * as drawn from "./grants.js"

const sourceOf = (text: string): AgentRecord.Text => ({ file: "a.md", id: "agents/a", text })

const RUNS = { numRuns: times(60) }

const workspaces = [undefined, "/", "/w", "/w/a", "/x", "~", "~/p"]

describe("a sandbox that is written out", () => {
  const text = file("sandbox: /w\ncapabilities:\n  - fs.read: { in: / }\n")

  it("leaves no entry wider than it was: the workspace's root may go away", () => {
    const { text: after } = right(grant(text, ["records.create"], { sandbox: "/w" }))
    expect(after).toContain("- fs.read: { in: /w }")
    for (const sandbox of [undefined, "/", "/w"]) {
      expect(verdict(parse(after, { sandbox }), "read /etc/passwd")).toBe("scope_violation")
      expect(verdict(parse(after, { sandbox }), "read /w/x")).toBe("allowed")
    }
  })

  it.each([
    ["dissolve", () => dissolve(text, { sandbox: "/w" })],
    ["revoke", () => revoke(text, "proc.exec", { sandbox: "/w" })],
    ["grant", () => grant(text, ["net.get{hosts=[a.com]}"], { sandbox: "/w" })]
  ])("%s keeps the fence of all that took its root from it", (_, edit) => {
    const after = parse(right(edit()).text)
    for (const line of ["read /etc/passwd", "write /etc/passwd", "exec ls in /etc"]) {
      expect(verdict(after, line)).not.toBe("allowed")
    }
  })

  it("does not wake what it kept out, when the workspace's root goes away", () => {
    const outside = file("sandbox: /w\ncapabilities:\n  - fs.read: { in: /etc }\n  - fs.delete\n")
    const { text: after } = right(grant(outside, ["records.create"], { sandbox: "/w" }))
    expect(verdict(parse(after), "read /etc/passwd")).not.toBe("allowed")
    expect(verdict(parse(after, { sandbox: "/etc" }), "delete /etc/passwd")).not.toBe("allowed")
    expect(verdict(parse(after), "delete /w/x")).toBe("allowed")
  })

  it("gives no more than it gave with what is granted, whatever the workspace's root is by then", () => {
    let dissolved = 0
    fc.assert(
      fc.property(drawn.agent, drawn.grant, fc.constantFrom(...workspaces), (agent, one, sandbox) => {
        const places = { home: HOME, sandbox }
        const before = AgentRecord.parse(sourceOf(agent.text), places)
        const edit = AgentEdit.grant(sourceOf(agent.text), [one], places)
        if (Either.isLeft(edit) || !edit.right.dissolved.includes("sandbox")) return
        // One that is empty has no root of its own: what has none takes that of the workspace, as it did.
        if (before.empty.some(({ key }) => key === "sandbox")) return
        dissolved++
        const now = edit.right.record.authority
        for (const other of workspaces) {
          const later = AgentRecord.parse(sourceOf(edit.right.text), { home: HOME, sandbox: other })
          expect(Authority.within(later.authority, now)).toBe(true)
        }
      }),
      RUNS
    )
    expect(dissolved).toBeGreaterThan(RUNS.numRuns / 10)
  })
})

describe("what an edit takes out though nobody asked for that", () => {
  const fenced = file(
    [
      "sandbox: /w",
      "capabilities:",
      "  # for the audit of 2024",
      "  - fs.read: { in: /etc } # ask Ann",
      "  - net.get: { hosts: [a.com] } # stays",
      ""
    ].join("\n")
  )

  it("is named with its line, as it was written, and why it goes", () => {
    const { lost, text } = right(grant(fenced, ["records.create"]))
    expect(text).not.toContain("/etc")
    expect(lost).toEqual([
      {
        line: 6,
        text: "fs.read: { in: /etc } # ask Ann",
        grant: "fs.read{in=/etc}",
        why: expect.stringContaining("/etc") as string
      }
    ])
    expect(lost[0]?.why).toContain("/w")
  })

  it.each([
    ["dissolve", () => dissolve(fenced)],
    ["revoke", () => revoke(fenced, "proc.exec")],
    ["replace", () => replace(fenced, ["net.get{hosts=[a.com]}"])]
  ])("is named by %s, too", (_, edit) => {
    expect(right(edit()).lost).toMatchObject([{ line: 6, text: "fs.read: { in: /etc } # ask Ann" }])
  })

  it("is nothing where nothing goes", () => {
    expect(right(grant(file("access: rw # both\n"), ["net.get{hosts=[a.com]}"])).lost).toEqual([])
    expect(right(grant(file("sandbox: /w\n"), ["records.create"])).lost).toEqual([])
    expect(right(grant(fenced, ["net.get{hosts=[a.com]}"])).lost).toEqual([])
  })

  it("includes an entry that nobody can read, and that a bare verb takes with it", () => {
    const text = file("capabilities:\n  - records.read\n  - net.get: { host: [a.com] } # typo\n")
    expect(right(revoke(text, "net.get")).lost).toMatchObject([
      { line: 5, text: "net.get: { host: [a.com] } # typo" }
    ])
  })

  it("includes the comment of an entry that is revoked", () => {
    const text = file("capabilities:\n  - records.read\n  - net.get: { hosts: [a.com] } # ask Ann\n")
    expect(right(revoke(text, "net.get")).lost).toMatchObject([{ line: 5, text: "# ask Ann" }])
  })

  it("includes entries of a list in brackets and of one in a string", () => {
    for (const list of ["[fs.read: { in: /etc }, records.read]", '"fs.read{in=/etc}, records.read"']) {
      const { lost } = right(grant(file(`sandbox: /w\ncapabilities: ${list}\n`), ["records.create"]))
      expect(lost).toHaveLength(1)
      expect(lost[0]).toMatchObject({ line: 4, text: expect.stringContaining("/etc") as string })
    }
  })

  it("names every comment and every entry that is gone, in every record", () => {
    const comments = (text: string): ReadonlyArray<string> =>
      [...text.matchAll(/# (?:own \d|above \d|head|key|inner)/g)].map(([comment]) => comment)
    const without = (all: ReadonlyArray<string>, some: ReadonlyArray<string>): ReadonlyArray<string> => {
      const left = [...all]
      for (const one of some) {
        const at = left.indexOf(one)
        if (at >= 0) left.splice(at, 1)
      }
      return left
    }
    fc.assert(
      fc.property(drawn.agent, drawn.grant, drawn.root, fc.boolean(), (agent, one, sandbox, widens) => {
        const places = { home: HOME, sandbox }
        const source = sourceOf(agent.text)
        const edit = widens ? AgentEdit.grant(source, [one], places) : AgentEdit.revoke(source, one, places)
        if (Either.isLeft(edit)) return
        const { lost, text } = edit.right
        const gone = without(comments(agent.text), comments(text))
        expect(without(gone, comments(lost.map((each) => each.text).join("\n")))).toEqual([])
        const lines = agent.text.split("\n")
        for (const { line, text: was, why } of lost) {
          // In a string an entry is written with escapes.
          if (!lines[line - 1]?.startsWith('capabilities: "')) {
            expect(lines[line - 1]).toContain(was.split(/\r?\n/)[0])
          }
          expect(why).not.toBe("")
        }
      }),
      RUNS
    )
  })
})

describe("a grant that an edit adds", () => {
  it("is written with the root that it has, where the sandbox that it took it from goes", () => {
    const { text } = right(grant(file("sandbox: /w\n"), ["fs.delete{paths=[tmp/]}"], { sandbox: "/w" }))
    expect(parse(text).held.map(({ grant: one }) => one)).toContainEqual(
      spec("fs.delete{in=/w,paths=[tmp/]}")
    )
  })
})
