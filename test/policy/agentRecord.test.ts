/**
 * An agent's record: what its front matter grants, by list, by shorthand and by default. What is threatened: a record
 * that does not load, a mistake that grants something, and a shorthand that grants more than it says.
 */
import { describe, expect, it } from "vitest"
import * as AgentRecord from "../../src/policy/agent/AgentRecord.js"
import * as Authority from "../../src/policy/lattice/Authority.js"
import * as Request from "../../src/policy/lattice/Request.js"
import { times } from "../deep.js"
import { authority, codes, equal, held, record, verdict } from "./agents.js"

const grants = (yaml: string): ReadonlyArray<string> => held(record(yaml))

const nothing = (yaml: string): boolean => Authority.isNothing(record(yaml).authority)

describe("the list in YAML", () => {
  it("B3: a root is kept as it is written", () => {
    const [only] = record("capabilities:\n- proc.exec: {in: ~/p, cmds: [rg]}").held
    expect(only?.grant.scope).toEqual({ in: "~/p", cmds: ["rg"] })
  })

  it("B5, B10, B7, B9: what is no grant is dropped with a warning, and the rest holds", () => {
    for (const wrong of [
      "record_read",
      "search",
      "42",
      "null",
      "[records.read]",
      "{net.get: {hosts: [a]}, net.post: {hosts: [a]}}",
      "fs.write: garbage",
      "fs.write: [x]",
      "{}"
    ]) {
      const agent = record(`capabilities: [${wrong}, records.read]`)
      expect(held(agent)).toEqual(["records.read"])
      expect(codes(agent)).toEqual(["GRANT_MALFORMED"])
    }
    const [scalar] = record("capabilities: [fs.write: garbage]").warnings
    expect(scalar?.detail).toBe("the scope of 'fs.write' must be a map")
    const [number] = record("capabilities: [42]").warnings
    expect(number?.detail).toBe("expected a string or single-key map")
  })

  it("B6: a verb that is misspelt loads, grants nothing, and is flagged at its line with what was meant", () => {
    const agent = record("title: x\ncapabilities:\n  - records.read\n  - records.reed")
    expect(held(agent)).toEqual(["records.read"])
    expect(agent.warnings.map((one) => AgentRecord.message(agent.file, one))).toEqual([
      "CAPABILITY_UNKNOWN: scout.md:6:5 unknown capability 'records.reed'; did you mean 'records.read'?"
    ])
  })

  it("B11, B12: the list may be one string", () => {
    expect(grants('capabilities: "records.read agent.create"')).toEqual(["records.read", "agent.create"])
    expect(grants('capabilities: "records.read net.get{hosts=[a,b,c]} agent.create"')).toEqual([
      "records.read",
      "net.get{hosts=[a,b,c]}",
      "agent.create"
    ])
    expect(grants('capabilities: ""')).toEqual([])
  })

  it("B13, Q9, Q10: an entry may be in the one-line form, without complaint", () => {
    const agent = record('capabilities: ["net.get{hosts=[*.github.com]}"]')
    expect(held(agent)).toEqual(["net.get{hosts=[*.github.com]}"])
    expect(agent.warnings).toEqual([])
  })

  it("B15: capabilities that are there and null are none, not the default", () => {
    expect(grants("capabilities:")).toEqual([])
    expect(record("capabilities:").warnings).toEqual([])
  })

  it("B19: shell.exec is read as proc.exec, with a warning that names it", () => {
    const agent = record("sandbox: /w\ncapabilities: [shell.exec: {cmds: [rg]}]")
    expect(held(agent)).toContain("proc.exec{cmds=[rg]}")
    expect(agent.warnings).toMatchObject([
      { code: "GRANT_DEPRECATED", detail: "'shell.exec' is a deprecated alias", remedy: "write 'proc.exec'" }
    ])
  })

  it("B22: net.get.extra is unknown", () => {
    expect(codes(record("capabilities: [net.get.extra]"))).toEqual(["CAPABILITY_UNKNOWN"])
  })

  it("capabilities that are no list are none, with a warning", () => {
    for (const wrong of ["42", "true", "{ records.read: }"]) {
      expect(nothing(`capabilities: ${wrong}`)).toBe(true)
      expect(codes(record(`capabilities: ${wrong}`))).toEqual(["VALUE_INVALID"])
    }
  })

  it("what is misspelt in its scope is spoken of: asked for, it is outside, and not absent", () => {
    for (const yaml of [
      "capabilities: [net.get: { hosts: oops }]",
      'capabilities: ["net.get{hosts=oops}"]',
      'capabilities: "net.get{hosts=oops}"'
    ]) {
      expect(verdict(record(yaml), "GET https://a.example/")).toBe("scope_violation")
    }
  })

  it("a key that is nearly one of ours is flagged, for it leaves the agent with its default", () => {
    const agent = record("capabilites: [records.delete]")
    expect(agent.warnings).toMatchObject([{ code: "KEY_UNKNOWN", remedy: "did you mean 'capabilities'?" }])
    expect(held(agent)).toEqual(["records.read"])
  })
})

describe("the bare form", () => {
  it("D2: records.update alone is any record", () => {
    expect(
      verdict(record("capabilities: [records.update]"), Request.record("update", "a/b", "durable"))
    ).toBe("allowed")
  })

  it("D3: agent.update alone is any agent", () => {
    expect(verdict(record("capabilities: [agent.update]"), "agents.update agents/other")).toBe("allowed")
  })

  it("D4, D10: net.get alone is no host: outside of its scope, but spoken of", () => {
    const agent = record("capabilities: [net.get]")
    expect(verdict(agent, "GET https://example.com/")).toBe("scope_violation")
    expect([...agent.mentioned]).toEqual(["network.get"])
  })

  it("D5: hosts ['*'] is any host", () => {
    expect(verdict(record("capabilities: [net.get: { hosts: ['*'] }]"), "GET https://any.example/x")).toBe(
      "allowed"
    )
  })

  it("D8: proc.eval alone without a root anywhere is denied", () => {
    const agent = record("capabilities: [proc.eval]")
    for (const asked of ["eval", "eval in /", "eval in /w"])
      expect(verdict(agent, asked)).toBe("scope_violation")
  })

  it("D9: without any grant of the pair it is absent", () => {
    const agent = record("capabilities: [net.get: { hosts: [a.example] }]")
    expect(verdict(agent, "read /w/x")).toBe("capability_absent")
    expect(verdict(agent, "agents.grant agents/a")).toBe("capability_absent")
  })
})

describe("union", () => {
  it("E2: the same grant twice is one entry", () => {
    expect(grants("capabilities: [records.read, records.read: , 'records.read{}']")).toEqual(["records.read"])
    expect(grants("capabilities: ['net.get{hosts=[a,b]}', net.get: { hosts: [b, a] }]")).toHaveLength(1)
  })

  it("E4: bare and scoped together are all", () => {
    const agent = record("capabilities: [records.update, records.update: { classes: [inbox] }]")
    expect(verdict(agent, Request.record("update", "x", "durable"))).toBe("allowed")
  })

  it("E7: two roots are both, each with its own paths", () => {
    const agent = record("capabilities: [fs.read: {in: /a}, fs.read: {in: /b, paths: [x]}]")
    expect(["/a/y", "/b/x", "/b/y"].map((path) => verdict(agent, `read ${path}`))).toEqual([
      "allowed",
      "allowed",
      "scope_violation"
    ])
  })

  it("E9: a sandbox and a narrower command are their union: any command there", () => {
    const agent = record("sandbox: /a\ncapabilities: [proc.exec: { cmds: [git] }]")
    expect(verdict(agent, "exec rg in /a")).toBe("allowed")
  })

  it("E10: there is no way to write all but something", () => {
    for (const host of ["!a.example", "^a.example", "not a.example", "*,!a.example"]) {
      expect(nothing(`capabilities: [net.get: { hosts: ["*", "${host}"] }]`)).toBe(true)
    }
  })
})

describe("defaults and shorthands", () => {
  it("F1: without any key of authority it is records.read", () => {
    expect(grants("title: x")).toEqual(["records.read"])
    expect(grants("capabilities: []")).toEqual([])
  })

  it.each([
    ["F3", "r", ["records.read"]],
    ["F4", "w", ["records.create", "records.update"]],
    ["F5", "rw", ["records.read", "records.create", "records.update"]],
    ["F6", '" RW "', ["records.read", "records.create", "records.update"]],
    ["F9", '""', []]
  ])("%s: access: %s", (_, access, expected) => {
    expect(grants(`access: ${access}`)).toEqual(expected)
    expect(record(`access: ${access}`).warnings).toEqual([])
  })

  it("F10: access that is no word of ours is none, with a warning", () => {
    for (const access of ["42", "rwx", "[r]", "wr", "true"]) {
      expect(nothing(`access: ${access}`)).toBe(true)
      expect(codes(record(`access: ${access}`))).toEqual(["VALUE_INVALID"])
    }
  })

  it("F11: access and capabilities are united, without doubles", () => {
    expect(grants("access: r\ncapabilities: [records.read, net.get]")).toEqual(["records.read", "net.get"])
  })

  it("F13, F15: a sandbox adds three grants, and never proc.eval, net.* or fs.delete", () => {
    const agent = record("sandbox: ~/p\ncapabilities: [records.read]")
    expect(held(agent)).toEqual(["records.read", "fs.read{in=~/p}", "fs.write{in=~/p}", "proc.exec{in=~/p}"])
    for (const asked of ["eval in /home/u/p", "delete /home/u/p/x", "GET https://a.example/"]) {
      expect(verdict(agent, asked)).toBe("capability_absent")
    }
  })

  it("a sandbox without a list adds them to the default", () => {
    expect(grants("sandbox: ~/p")[0]).toBe("records.read")
    expect(grants("sandbox: ~/p")).toHaveLength(4)
  })

  it("F18, F20: a sandbox that is empty or null gives nothing, and takes the default away", () => {
    for (const sandbox of ['""', '"  "', "~", ""]) {
      expect(grants(`sandbox: ${sandbox}`)).toEqual([])
      expect(record(`sandbox: ${sandbox}`).warnings).toEqual([])
    }
  })

  it("F19: a sandbox that is no path gives nothing, with a warning", () => {
    for (const sandbox of ["42", "[/w]", "{a: b}", "true"]) {
      expect(nothing(`sandbox: ${sandbox}`)).toBe(true)
      expect(record(`sandbox: ${sandbox}`).warnings).toMatchObject([
        { detail: "'sandbox' must be a string path" }
      ])
    }
  })

  it("F21: the list in one string and a sandbox are united", () => {
    expect(grants('sandbox: /w\ncapabilities: "records.read, agent.create"')).toEqual([
      "records.read",
      "agent.create",
      "fs.read{in=/w}",
      "fs.write{in=/w}",
      "proc.exec{in=/w}"
    ])
  })
})

describe("records as a whole", () => {
  it("only an agent holds anything", () => {
    for (const head of ["class: note", "title: x", "class: Agent", "class: [agent]", 'class: "agent "']) {
      expect(Authority.isNothing(record("capabilities: [records.delete]", {}, head).authority)).toBe(true)
    }
  })

  it("Q28: what cannot be read loads, and holds nothing, not even the default", () => {
    for (const text of [
      "",
      "no front matter",
      "---\nclass: agent\n",
      "---\n- a list\n---\n",
      "---\nclass: agent\nclass: agent\n---\n",
      "---\nclass: agent\naccess: r\n: [\n---\n",
      "---\nclass: agent\naccess: !!str r\n---\n",
      "---\nclass: agent\n<<: { access: rw }\n...\nx: y\n---\n"
    ]) {
      const agent = AgentRecord.parse({ file: "a.md", text }, {})
      expect(Authority.isNothing(agent.authority)).toBe(true)
      expect(agent.warnings.length).toBeGreaterThan(0)
    }
  })

  it("the front matter ends at a line of its own, and at no other kind of break", () => {
    for (const odd of ["\u2028", "\u2029", "\r", "\u0085"]) {
      const text = `---\nclass: agent\ntitle: "x${odd}---${odd}y"\ncapabilities: []\n---\nbody`
      const agent = AgentRecord.parse({ file: "a.md", text }, {})
      expect(Authority.isNothing(agent.authority)).toBe(true)
      expect(agent.body).toBe("body")
    }
  })

  it("the id is the one that it is kept by; another in the text is flagged", () => {
    const agent = record("id: agents/boss")
    expect(agent.id).toBe("agents/scout")
    expect(codes(agent)).toEqual(["ID_MISMATCH"])
  })

  it("a list of thousands of grants costs no more than its size", () => {
    const many = times(5_000)
    const hosts = Array.from({ length: many }, (_, i) => `  - net.get: { hosts: [h${i}.example] }`)
    const agent = record(`capabilities:\n${hosts.join("\n")}`)
    expect(agent.held).toHaveLength(many)
    expect(verdict(agent, `GET https://h${many - 1}.example/`)).toBe("allowed")
  })

  it("its policy says where each grant is written", () => {
    const policy = AgentRecord.policy(record("access: r\ncapabilities:\n  - net.get: { hosts: [a.example] }"))
    expect(policy.sources.map(({ file, line, written }) => [file, line, written])).toEqual([
      ["scout.md", 3, "records.read"],
      ["scout.md", 5, "net.get{hosts=[a.example]}"]
    ])
    expect(equal(policy.authority, authority(["records.read", "net.get{hosts=[a.example]}"]))).toBe(true)
    expect(policy.agent).toBe("agents/scout")
  })

  it.each([
    ["access: r\naccess: rw", 4, 3],
    ["capabilities: []\ntitle: x\ncapabilities: [records.read]", 5, 3],
    ["capabilities:\n  - net.get: { hosts: [a.com], hosts: [b.com] }", 4, 4]
  ])("a key that stands twice is told with both of its lines: %j", (yaml, line, first) => {
    expect(record(yaml).warnings).toMatchObject([
      { code: "KEY_DUPLICATE", line, detail: expect.stringMatching(new RegExp(`after line ${first}$`)) }
    ])
  })
})
