/** A record always loads: whatever stands in it, it is read without an exception, and what it warns of it does not grant. */

import { Either, FastCheck as fc } from "effect"
import { describe, expect, it } from "vitest"
import * as AgentRecord from "../../src/policy/agent/AgentRecord.js"
import * as AgentEdit from "../../src/policy/agent/edit/AgentEdit.js"
import * as Grant from "../../src/policy/grant/Grant.js"
import * as Authority from "../../src/policy/lattice/Authority.js"
import { hasControl } from "../../src/policy/text/Quote.js"
import { codePoint } from "../codePoints.js"
import { times } from "../deep.js"
import { HOME, spec } from "./agents.js"

const RUNS = { numRuns: times(100) }

const places = { home: HOME, sandbox: "/w" }

const piece = fc.oneof(
  fc.constantFrom(
    ..."-:[]{}&*!|>'\"%@`#,?~ ",
    "\n",
    "\n  ",
    "\n- ",
    "\n    - ",
    "\r\n",
    "---",
    "\n---\n",
    "...",
    "\t",
    "\u0000",
    "\u2028",
    "\ufeff",
    "\u009b"
  ),
  fc.constantFrom(
    "capabilities:",
    "access:",
    "sandbox:",
    "class: agent",
    "class:",
    "id:",
    "records.read",
    "net.get",
    "hosts:",
    "[a.example]",
    "['*']",
    "fs.read",
    "in: /w",
    "in: /",
    "paths: [x]",
    "rw",
    "42",
    "null",
    "!!binary",
    "<<: *a",
    "&a",
    "*a"
  ),
  fc.string({ unit: codePoint, maxLength: 6 })
)

const junk = fc.oneof(
  fc.array(piece, { maxLength: 40 }).map((all) => `---\nclass: agent\n${all.join("")}\n---\nbody`),
  fc.array(piece, { maxLength: 40 }).map((all) => all.join("")),
  fc.string({ unit: codePoint, maxLength: 200 }).map((text) => `---\n${text}\n---\n`),
  fc
    .array(
      fc.string({ unit: codePoint, maxLength: 8 }).map((text) => JSON.stringify(text)),
      { maxLength: 3 }
    )
    .map(
      (all) =>
        `---\nclass: agent\nid: ${all[0]}\nsandbox: ${all[1]}\ncapabilities: [${all.map((text) => `${text}: ${text}`).join(", ")}, net.get: { ${all[0]}: [${all[1]}], hosts: ${all[0]} }, fs.read: { in: ${all[1]} }]\n---\n`
    ),
  fc
    .array(fc.json(), { maxLength: 5 })
    .map((all) => `---\nclass: agent\ncapabilities: [${all.join(", ")}]\nsandbox: ${all[0] ?? ""}\n---\n`)
)

const bound = Authority.pick(
  AgentRecord.parse(
    {
      file: "a.md",
      text: "---\nclass: agent\ncapabilities: [fs.read, fs.write, fs.delete, proc.exec, proc.eval]\n---\n"
    },
    places
  ).authority,
  "files",
  "process"
)

describe("a record of junk", () => {
  it("loads, holds nothing in files and commands beyond the workspace, and only what it lists", () => {
    let held = 0
    fc.assert(
      fc.property(junk, (text) => {
        const agent = AgentRecord.parse({ file: "a.md", text }, places)
        const lines = text.split("\n").length
        for (const warning of agent.warnings) {
          expect(warning.line <= lines && warning.line >= 1).toBe(true)
          expect(hasControl(AgentRecord.message("a.md", warning))).toBe(false)
        }
        expect(Authority.within(Authority.pick(agent.authority, "files", "process"), bound)).toBe(true)
        const listed = Authority.joinAll(agent.held.map(AgentRecord.authorityOf))
        expect(Authority.within(agent.authority, listed)).toBe(true)
        if (agent.class !== "agent") expect(agent.held).toEqual([])
        if (agent.held.length > 0) held++
        AgentRecord.policy(agent)
      }),
      RUNS
    )
    expect(held).toBeGreaterThan(0)
  })

  it("is edited right, or refused in one line", () => {
    fc.assert(
      fc.property(junk, (text) => {
        const source = { file: "a.md", id: "agents/a", text }
        const before = AgentRecord.parse(source, places)
        const one = spec("net.get{hosts=[b.example]}")
        for (const edit of [
          AgentEdit.grant(source, [one], places),
          AgentEdit.revoke(source, spec("records.read"), places),
          AgentEdit.replace(source, [], places),
          AgentEdit.dissolve(source, places)
        ]) {
          if (Either.isLeft(edit)) {
            expect(hasControl(edit.left.message)).toBe(false)
            continue
          }
          expect(edit.right.record.body).toBe(before.body)
          const most = Authority.join(
            before.authority,
            Grant.authority([Either.getOrThrow(Grant.compile(one, {}))])
          )
          expect(Authority.within(edit.right.record.authority, most)).toBe(true)
        }
      }),
      RUNS
    )
  })
})

describe("an entry that is warned of", () => {
  const wrong = fc.constantFrom(
    "records.reed",
    "net.get: { hosts: '*' }",
    "net.get: { hosts: ['*', 'a b'] }",
    "net.get: { host: ['*'] }",
    "fs.read: { in: /, path: [x] }",
    "fs.read: { in: / , paths: ['../x'] }",
    "fs.write: { in: w }",
    "fs.read: { in: ['/'] }",
    "fs.read: { in: 42 }",
    "proc.exec: { cmds: ['*'] }",
    "proc.exec: { in: /w, cmds: git }",
    "agent.grant: { id: [a] }",
    "agent.grant: { ids: [a] }",
    "records.read: { classes: [a] }",
    "records.update: [inbox]",
    "records.update: inbox",
    "proc.eval: { in: /w, cmds: [git] }",
    "{ records.update: , agent.grant: }",
    "42",
    "provider.*"
  )

  it("grants nothing, whatever stands around it", () => {
    fc.assert(
      fc.property(fc.array(wrong, { minLength: 1, maxLength: 5 }), fc.boolean(), (entries, inLines) => {
        const list = inLines ? entries.map((entry) => `\n  - ${entry}`).join("") : ` [${entries.join(", ")}]`
        const text = `---\nclass: agent\ncapabilities:${list}\n---\n`
        const agent = AgentRecord.parse({ file: "a.md", text }, places)
        expect(Authority.isNothing(agent.authority)).toBe(true)
        expect(agent.warnings).toHaveLength(entries.length)
      }),
      { numRuns: times(100) }
    )
  })
})
