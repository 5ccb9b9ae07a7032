/** Records and agents in a personality: the grammar of agent records, read as strictly as all else here. */
import { Either } from "effect"
import { describe, expect, it } from "vitest"
import { ask, holder } from "../../src/policy/gate/Asking.js"
import * as Authority from "../../src/policy/lattice/Authority.js"
import * as Request from "../../src/policy/lattice/Request.js"
import * as Personality from "../../src/policy/personality/Personality.js"
import { read, refused } from "./personalities.js"

const granted = (yaml: string) => read(`id: p\ngrants: ${yaml}`)
const holds = (yaml: string) => JSON.parse(JSON.stringify(granted(yaml).authority))

describe("grants in a personality", () => {
  it("absent or empty, they are none", () => {
    for (const text of ["id: p", "id: p\ngrants: []"]) {
      expect(Authority.isNothing(read(text).authority)).toBe(true)
      expect(read(text).mentioned).toEqual([])
    }
  })

  it("give tools of the provider, as the remedy for one says", () => {
    expect(holds("[provider.code_execution]")).toEqual({ provider: { use: ["code_execution"] } })
  })

  it("are read in both forms of the grammar, and united", () => {
    expect(holds("[records.read, records.update: { classes: [inbox], paths: ['notes/**'] }]")).toEqual({
      records: { read: [{ class: "*", path: "**" }], update: [{ class: "inbox", path: "notes/**" }] }
    })
    expect(holds("['records.create{classes=[a]}', 'records.create{classes=[b]}']")).toEqual({
      records: {
        create: [
          { class: "a", path: "**" },
          { class: "b", path: "**" }
        ]
      }
    })
    expect(Object.keys(holds("[agent.grant: { id: agents/a }]").agents)).toEqual(["grant"])
  })

  it("speak of what they name, be its scope empty: what is asked of it is outside, and not absent", () => {
    const policy = Personality.policy(granted("['records.update{classes=[]}']"))
    expect(Authority.isNothing(policy.authority)).toBe(true)
    expect([...policy.mentioned]).toEqual(["records.update"])
    const reason = (verb: "update" | "delete") =>
      Either.match(
        ask(
          holder({ authority: policy.authority, mentioned: policy.mentioned }),
          Request.record(verb, "a", "x")
        ),
        { onLeft: ({ denial }) => denial.reason, onRight: () => "allowed" }
      )
    expect(reason("update")).toBe("scope_violation")
    expect(reason("delete")).toBe("capability_absent")
  })

  it("are part of the revision", () => {
    const revision = (yaml: string) => Personality.policy(granted(yaml)).revision
    expect(revision("[records.read]")).not.toBe(revision("[]"))
    expect(revision("['records.update{classes=[]}']")).not.toBe(revision("[]"))
  })

  it.each([
    ["net.get: { hosts: [a.example] }", "GRANT_MISPLACED", "'safety.network.allow'"],
    ["fs.read: { in: /a }", "GRANT_MISPLACED", "'fs_reach.read'"],
    ["fs.write: { in: /a }", "GRANT_MISPLACED", "'fs_reach.write'"],
    ["fs.delete: { in: /a }", "GRANT_MISPLACED", "'fs_reach.write'"],
    ["proc.exec: { in: /a }", "GRANT_MISPLACED", "'process.allow'"],
    ["proc.eval", "GRANT_MISPLACED", "'process.allow'"],
    ["shell.exec", "GRANT_MISPLACED", "'process.allow'"],
    ["records.reed", "CAPABILITY_UNKNOWN", "did you mean 'records.read'?"],
    ["records", "GRANT_MALFORMED", "expected resource.verb"],
    ["records.read: { classes: [a] }", "SCOPE_KEY_UNKNOWN", "takes no scope"],
    ["records.update: { class: [a] }", "SCOPE_KEY_UNKNOWN", "did you mean 'classes'?"],
    ["records.update: { classes: a }", "SCOPE_VALUE_INVALID", "expected a list of strings"],
    ["agent.grant: { id: [a] }", "SCOPE_VALUE_INVALID", "expected a string"],
    ["records.read: all", "GRANT_MALFORMED", "must be a map"],
    ["{ records.read: , records.create: }", "GRANT_MALFORMED", "single-key map"],
    ["records.update{classes=[a]", "GRANT_MALFORMED", "missing closing brace"],
    ["1", "GRANT_MALFORMED", "expected a string"],
    ["[records.read]", "GRANT_MALFORMED", "expected a string"]
  ])("%s is an error with a line", (entry, code, words) => {
    const error = refused(`id: p\ngrants:\n  - records.create\n  - ${entry}`)
    expect({ code: error.code, line: error.line }).toEqual({ code, line: 4 })
    expect(error.message).toContain(words)
  })

  it("a lone word is no list", () => {
    expect(refused("id: p\ngrants: records.read")).toMatchObject({ code: "VALUE_INVALID", line: 2 })
  })
})
