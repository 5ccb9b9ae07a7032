/**
 * What an operator wrote and did not mean: names that nobody knows, scopes that give nothing, grants that narrow
 * nothing. The threat: a slip that is silent, and found out when an agent does too little, or too much.
 */
import { describe, expect, it } from "vitest"
import * as AgentRecord from "../../src/policy/agent/AgentRecord.js"
import { agent, codes, examine, found, HOME, holding, ofAgent, RECORDS } from "./doctorInput.js"

describe("grants that are not understood", () => {
  const only = (grant: string) => {
    const findings = ofAgent("grants", grant)
    expect(findings).toHaveLength(1)
    return findings[0]!
  }

  it("Q1: an unknown capability is named with its place and what was probably meant", () => {
    expect(only("records.reed")).toEqual({
      severity: "warning",
      check: "grants",
      subject: "agents/scout",
      code: "CAPABILITY_UNKNOWN",
      file: `${RECORDS}/agents/scout.md`,
      line: 4,
      detail: "unknown capability 'records.reed'",
      remedy: "did you mean 'records.read'?"
    })
  })

  it.each([
    ["recrods.read", "records.read"],
    ["record.read", "records.read"],
    ["agents.grant", "agent.grant"],
    ["fs.wirte", "fs.write"],
    ["proc.execute", "proc.exec"],
    ["net.fetch", "net.get"],
    ["net.patch", "net.put"]
  ])("Q2: %s is most likely %s", (written, meant) => {
    expect(only(written)).toMatchObject({
      code: "CAPABILITY_UNKNOWN",
      remedy: `did you mean '${meant}'?`
    })
  })

  it.each(["totally.unrelated", "fs.list", "net.head", "proc.run"])("Q3: %s is like nothing", (written) => {
    const { code, remedy } = only(written)
    expect(code).toBe("CAPABILITY_UNKNOWN")
    expect(remedy).not.toContain("did you mean")
  })

  it("Q3: shell.exec is an old name, and is told the new one", () => {
    expect(only("shell.exec{in=/w,cmds=[rg]}")).toMatchObject({
      code: "GRANT_DEPRECATED",
      remedy: "write 'proc.exec'"
    })
  })

  it.each(["nodotshere", '""'])("Q4: %s is malformed", (written) => {
    expect(only(written).code).toBe("GRANT_MALFORMED")
  })

  it("Q4: a name without a dot is told what a grant looks like", () => {
    expect(only("nodotshere").detail).toContain("expected resource.verb")
  })

  it.each([
    ["fs.write: { in: /w, pathz: [x] }", "pathz", "fs.write", "paths"],
    ["net.get: { host: [a.example.com] }", "host", "net.get", "hosts"],
    ["proc.exec: { in: /w, cmd: [rg] }", "cmd", "proc.exec", "cmds"],
    ["proc.exec: { in: /w, pattern: [rg] }", "pattern", "proc.exec", "patterns"],
    ["records.create: { class: [note] }", "class", "records.create", "classes"],
    ["agent.create: { idz: a }", "idz", "agent.create", "id"]
  ])("Q5/Q6: in %s the key %s of %s was meant to be %s", (written, key, name, meant) => {
    expect(only(written)).toMatchObject({
      code: "SCOPE_KEY_UNKNOWN",
      detail: `unknown scope key '${key}' on '${name}'`,
      remedy: `did you mean '${meant}'?`
    })
  })

  it.each([
    "net.get: { domains: [a.example.com] }",
    "proc.exec: { in: /w, command: [rg] }",
    "fs.read: { root: /w }"
  ])("Q6: the key of %s is like no other", (written) => {
    const { code, remedy } = only(written)
    expect(code).toBe("SCOPE_KEY_UNKNOWN")
    expect(remedy).toContain("the keys are")
  })

  it("Q7: a value of the wrong type is told which is right", () => {
    expect(only('fs.write: { in: /w, paths: "x" }')).toMatchObject({
      code: "SCOPE_VALUE_INVALID",
      detail: expect.stringContaining("expected a list of strings")
    })
    expect(only("agent.grant: { id: [x] }")).toMatchObject({
      code: "SCOPE_VALUE_INVALID",
      detail: expect.stringContaining("expected a string")
    })
  })

  it("Q8: of several bad keys at least the first is reported", () => {
    expect(only("fs.write: { pathz: [x], inn: /w }").detail).toContain("'pathz'")
  })

  it.each(["net.get{hosts=[x.example.com]}", '"net.get{hosts=[x.example.com]}"'])(
    "Q9: %s is a documented form, and no complaint",
    (written) => {
      expect(ofAgent("grants", written)).toEqual([])
    }
  )

  it("Q10: all grants in one string are no complaint", () => {
    const one = agent(['capabilities: "records.read net.get{hosts=[a.example.com,b.example.com]}"'])
    expect(one.held).toHaveLength(2)
    expect(found("grants", { agents: [one] })).toEqual([])
  })

  it("a misspelt key that would grant, a clamp and a wrong id are told too", () => {
    const clamped = agent(["sandbox: /etc", "capabilites: []"], { sandbox: "~/Work" })
    expect(found("grants", { agents: [clamped] })).toMatchObject([
      { code: "SANDBOX_CLAMPED", line: 3, detail: expect.stringContaining("can only narrow") },
      { code: "KEY_UNKNOWN", line: 4, remedy: "did you mean 'capabilities'?" }
    ])
    expect(codes(found("grants", { agents: [agent(["id: agents/other"])] }))).toEqual(["ID_MISMATCH"])
  })

  it.each([
    [["class: agnet"], "the class of the record is 'agnet', so that it holds nothing"],
    [["capabilities: [records.read]"], "the record writes grants and has no class, so that it holds nothing"]
  ])("a record that is meant as an agent and is none: %j", (lines, detail) => {
    const record = AgentRecord.parse(
      { id: "x", file: "/x.md", text: ["---", ...lines, "---"].join("\n") },
      { home: HOME }
    )
    expect(found("grants", { agents: [record] })).toMatchObject([{ code: "NOT_AN_AGENT", detail }])
    const note = AgentRecord.parse({ id: "x", file: "/x.md", text: "---\nclass: note\n---\n" }, {})
    expect(found("grants", { agents: [note] })).toEqual([])
  })

  it("Q28: the agent still holds what is right in its record", () => {
    const one = holding("records.reed", "records.read")
    expect(codes(found("grants", { agents: [one] }))).toEqual(["CAPABILITY_UNKNOWN"])
    expect(one.held.map(({ grant }) => grant.name)).toEqual(["records.read"])
  })

  it("an agent without a slip passes", () => {
    const { findings, passed } = examine({ agents: [holding("records.read", "records.create")] })
    expect(findings).toEqual([])
    expect(passed).toContainEqual({ check: "grants", detail: "2 grants of 1 agent, all of them understood" })
  })
})

describe("inert grants", () => {
  it("Q21: only those without a root are named, each with what to write", () => {
    const findings = ofAgent("inert grants", "fs.read: { in: /w }", "fs.write", "proc.exec")
    expect(findings).toMatchObject([
      { code: "GRANT_INERT", line: 5, detail: expect.stringContaining("'fs.write' has no root") },
      { code: "GRANT_INERT", line: 6, detail: expect.stringContaining("'proc.exec' has no root") }
    ])
    expect(findings[0]!.remedy).toBe(
      "write 'fs.write{in=~/project}', or 'sandbox:' in the record or in bailiwick.yaml"
    )
  })

  it("Q21: a root of the agent or of the workspace is enough", () => {
    const grants = ["capabilities: [fs.write, proc.exec]"]
    expect(found("inert grants", { agents: [agent(["sandbox: /w", ...grants])] })).toEqual([])
    expect(found("inert grants", { agents: [agent(grants, { sandbox: "/w" })] })).toEqual([])
  })

  it('Q22: any host, written as "*", is not inert', () => {
    expect(ofAgent("inert grants", 'net.get: { hosts: ["*"] }')).toEqual([])
  })

  it("Q23: a bare net.get is", () => {
    expect(ofAgent("inert grants", "net.get")).toMatchObject([
      {
        code: "GRANT_INERT",
        detail: "'net.get' names no host, so that it gives nothing",
        remedy: expect.stringContaining("net.get{hosts=[api.example.com]}")
      }
    ])
  })

  it("F20: a sandbox that YAML takes for nothing is told, one that gives something is not", () => {
    expect(found("inert grants", { agents: [agent(["sandbox: ~"])] })).toMatchObject([
      { code: "SANDBOX_EMPTY", line: 3, remedy: 'write a directory; a lone ~ is written "~"' }
    ])
    expect(found("inert grants", { agents: [agent(['sandbox: "~"'])] })).toEqual([])
    expect(found("inert grants", { agents: [agent(["sandbox: 42"])] })).toEqual([])
  })

  it.each([
    ["sandbox: ~", "SANDBOX_EMPTY"],
    ["sandbox:", "SANDBOX_EMPTY"],
    ['sandbox: ""', "SANDBOX_EMPTY"],
    ["sandbox: null", "SANDBOX_EMPTY"],
    ['access: ""', "KEY_EMPTY"],
    ["access: null", "KEY_EMPTY"],
    ["access: ~", "KEY_EMPTY"],
    ["access:", "KEY_EMPTY"],
    ["capabilities:", "KEY_EMPTY"]
  ])("F9, F20: a key with nothing after it is told: %s", (line, code) => {
    const rooted = "capabilities: ['fs.read{in=/w}']"
    for (const lines of [[line], line.startsWith("capabilities") ? [line] : [line, rooted]]) {
      expect(found("inert grants", { agents: [agent(lines)] })).toMatchObject([{ code, line: 3 }])
    }
  })

  it("a list of nothing is something", () => {
    expect(found("inert grants", { agents: [agent(["capabilities: []"])] })).toEqual([])
  })

  it.each(["secrets.read", "storage.use", "attachments.read"])("a bare %s is inert", (name) => {
    expect(codes(ofAgent("inert grants", name))).toEqual(["GRANT_INERT"])
  })

  it("so is an empty list, and what lies outside of the root of the workspace", () => {
    expect(codes(ofAgent("inert grants", "records.create: { classes: [] }"))).toEqual(["GRANT_INERT"])
    const outside = agent(["capabilities: ['fs.read{in=/etc}']"], { sandbox: "/w" })
    expect(found("inert grants", { agents: [outside] })).toMatchObject([
      { detail: expect.stringContaining("outside of '/w'"), remedy: "write a directory below /w" }
    ])
  })
})

describe("moot grants", () => {
  it("E9: a sandbox allows any command, and a list of commands narrows nothing", () => {
    const one = agent(["sandbox: /a", "capabilities:", "  - proc.exec: { cmds: [git] }"])
    expect(found("moot grants", { agents: [one] })).toMatchObject([
      {
        code: "GRANT_MOOT",
        line: 5,
        detail:
          "'proc.exec{in=/a,cmds=[git]}' narrows nothing: all of it is given by 'proc.exec{in=/a}' of line 3, which 'sandbox:' stands for",
        remedy: "delete it, or write out what 'sandbox:' stands for without 'proc.exec'"
      }
    ])
  })

  it("access: rw updates every record, and a list of classes narrows nothing", () => {
    const one = agent(["access: rw", "capabilities: ['records.update{classes=[inbox]}']"])
    expect(found("moot grants", { agents: [one] })).toMatchObject([
      { detail: expect.stringContaining("'access:' stands for") }
    ])
  })

  it("E4: a bare verb beside a scoped one is the universe", () => {
    expect(ofAgent("moot grants", "records.update", "records.update: { classes: [inbox] }")).toMatchObject([
      { line: 5, remedy: "delete it, or narrow the other" }
    ])
  })

  it("several others may cover one together", () => {
    expect(
      ofAgent(
        "moot grants",
        "net.get{hosts=[a.example.com,b.example.com]}",
        "net.get{hosts=[a.example.com,c.example.com]}",
        "net.get{hosts=[b.example.com,d.example.com]}"
      )
    ).toMatchObject([{ line: 4, detail: expect.stringContaining("by others of the agent together") }])
  })

  it.each([
    [["net.get{hosts=[a.example.com]}", "net.post{hosts=[a.example.com]}"]],
    [["fs.read{in=/a}", "fs.read{in=/b}"]],
    [["fs.read{in=/a}", "fs.read{in=/a/}"]],
    [["records.update{classes=[a]}", "records.update{paths=[notes/**]}"]],
    [["fs.read", "fs.read{in=/a}"]]
  ])("neither of %j is moot: other verbs, other scopes, the same twice, an inert one", (grants) => {
    expect(ofAgent("moot grants", ...grants)).toEqual([])
  })

  it("what a shorthand stands for is not told to be narrower than a grant", () => {
    const one = agent(["sandbox: /a", "capabilities: ['fs.read{in=/}']"], {})
    expect(found("moot grants", { agents: [one] })).toEqual([])
  })
})
