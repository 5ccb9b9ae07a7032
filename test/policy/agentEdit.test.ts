/**
 * Records edited as text. What is threatened: an operator's comments and order, an entry that means more after the edit
 * than before, and a revocation that leaves a way open.
 */
import { describe, expect, it } from "vitest"
import * as Authority from "../../src/policy/lattice/Authority.js"
import {
  authority,
  dissolve,
  equal,
  file,
  grant,
  held,
  left,
  parse,
  replace,
  revoke,
  right
} from "./agents.js"

describe("AgentEdit.grant", () => {
  it("R12: on access: rw, capabilities are written out, access goes, and the grant is added", () => {
    const edited = right(grant(file("access: rw\ntitle: Scout\n"), ["net.get{hosts=[*.github.com]}"]))
    expect(edited.text).toBe(
      file(
        [
          "capabilities:",
          "  - records.read",
          "  - records.create",
          "  - records.update",
          '  - net.get: { hosts: ["*.github.com"] }',
          "title: Scout",
          ""
        ].join("\n")
      )
    )
    expect(edited.dissolved).toEqual(["access"])
    expect(edited.changed).toBe(true)
  })

  it("the default is written out, so that widening does not lose it", () => {
    const edited = right(grant(file("title: Scout\n"), ["records.create"]))
    expect(edited.text).toBe(file("title: Scout\ncapabilities:\n  - records.read\n  - records.create\n"))
    expect(edited.dissolved).toEqual(["default"])
  })

  it("R15: on capabilities: [] only the new grant is there", () => {
    const edited = right(grant(file("capabilities: [] # none yet\n"), ["records.read"]))
    expect(edited.text).toBe(file("capabilities: # none yet\n  - records.read\n"))
    expect(edited.dissolved).toEqual([])
  })

  it("B15: capabilities that are null are none", () => {
    expect(right(grant(file("capabilities:\ntitle: x\n"), ["records.read"])).text).toBe(
      file("capabilities:\n  - records.read\ntitle: x\n")
    )
  })

  it("R16: of a verb that is held with other hosts both entries are kept", () => {
    const text = file("capabilities:\n- net.get: { hosts: [a.example] }   # first\n# last\n")
    expect(right(grant(text, ["net.get{hosts=[b.example]}"])).text).toBe(
      file(
        "capabilities:\n- net.get: { hosts: [a.example] }   # first\n- net.get: { hosts: [b.example] }\n# last\n"
      )
    )
  })

  it("what adds nothing changes nothing, shorthands included", () => {
    for (const [yaml, specs] of [
      ["access: rw\n", ["records.read"]],
      [
        "capabilities: [records.update, net.get: { hosts: ['*.x.example'] }]\n",
        ["net.get{hosts=[x.example]}"]
      ],
      ["sandbox: ~/p\n", ["fs.read{in=~/p/lib}", "records.read"]],
      ["capabilities: [net.get: { hosts: [a.example] }]\n", ["net.get"]]
    ] as const) {
      const edited = right(grant(file(yaml), specs))
      expect(edited).toMatchObject({ changed: false, text: file(yaml), dissolved: [] })
    }
  })

  it("F13: a sandbox is written out with what it stands for, and the default with it", () => {
    const edited = right(grant(file("sandbox: ~/p # here\ntitle: x\n"), ["net.get{hosts=[a.example]}"]))
    expect(edited.text).toBe(
      file(
        [
          "capabilities: # here",
          "  - records.read",
          "  - fs.read: { in: ~/p }",
          "  - fs.write: { in: ~/p }",
          "  - proc.exec: { in: ~/p }",
          "  - net.get: { hosts: [a.example] }",
          "title: x",
          ""
        ].join("\n")
      )
    )
    expect(edited.dissolved).toEqual(["default", "sandbox"])
  })

  it("what took its root from the sandbox gets it for its own", () => {
    const text = file(
      "capabilities:\n  - fs.delete # all of it\n  - proc.exec:\n      # these two\n      cmds: [git, rg] # and no more\n  - records.read\nsandbox: /w\n"
    )
    expect(right(grant(text, ["proc.eval"])).text).toBe(
      file(
        [
          "capabilities:",
          "  - fs.delete: { in: /w } # all of it",
          "  # these two",
          "  # and no more",
          "  - proc.exec: { in: /w, cmds: [git, rg] }",
          "  - records.read",
          "  - fs.read: { in: /w }",
          "  - fs.write: { in: /w }",
          "  - proc.exec: { in: /w }",
          "  - proc.eval: { in: /w }",
          ""
        ].join("\n")
      )
    )
  })

  it("what the sandbox cut down is written as it was cut, and what it kept out stays out", () => {
    const text = file("sandbox: /w\ncapabilities: [fs.delete: { in: / }, fs.read: { in: /etc }]\n")
    const edited = right(grant(text, ["records.read"]))
    expect(held(edited.record)).toEqual([
      "fs.delete{in=/w}",
      "fs.read{in=/w}",
      "fs.write{in=/w}",
      "proc.exec{in=/w}",
      "records.read"
    ])
    expect(
      equal(edited.record.authority, Authority.join(parse(text).authority, authority(["records.read"])))
    ).toBe(true)
  })

  it("a sandbox that was clamped is written out as it was clamped", () => {
    const edited = right(grant(file("sandbox: /etc\n"), ["records.create"], { sandbox: "~/Work" }))
    expect(held(edited.record)).toContain("fs.read{in=~/Work}")
    expect(edited.text).not.toContain("/etc")
  })

  it("a grant outside of the root is refused: without the sandbox it would be let in", () => {
    for (const places of [{}, { sandbox: "/w" }]) {
      const text = places.sandbox === undefined ? file("sandbox: /w\n") : file("access: r\n")
      const refused = left(grant(text, ["fs.read{in=/etc}"], places))
      expect(refused.code).toBe("GRANT_INVALID")
      expect(refused.message).toContain("outside of '/w'")
    }
  })

  it("a grant that is wider than the root is written as it holds", () => {
    const edited = right(grant(file("access: r\n"), ["fs.read{in=/}"], { sandbox: "/w" }))
    expect(held(edited.record)).toEqual(["records.read", "fs.read{in=/w}"])
  })

  it("a bare grant of what has no root is written, and is inert", () => {
    const edited = right(grant(file("access: r\n"), ["fs.read", "net.get"]))
    expect(edited.record.held.map(({ inert }) => inert?.reason)).toEqual([undefined, "no root", "no host"])
  })

  it("keys that cannot be read stay for whoever mends them, and their sandbox gives nothing", () => {
    const text = file("access: everything\nsandbox: 42\ncapabilities: [fs.read, records.read]\n")
    const edited = right(grant(text, ["records.create"], { sandbox: "/w" }))
    expect(edited.text).toContain("access: everything\nsandbox: 42\n")
    expect(edited.dissolved).toEqual([])
    expect(equal(edited.record.authority, authority(["records.read", "records.create"]))).toBe(true)
  })

  it("wrong entries stay, and still give nothing", () => {
    const text = file("capabilities: [records.reed, 42, net.get: oops, records.read]\n")
    const edited = right(grant(text, ["records.create"]))
    expect(edited.text).toBe(
      file(
        "capabilities:\n  - records.reed\n  - 42\n  - net.get: oops\n  - records.read\n  - records.create\n"
      )
    )
    expect(held(edited.record)).toEqual(["records.read", "records.create"])
  })

  it("an entry that the sandbox made wrong stays, and stays wrong, where a wider root would make it right", () => {
    const text = file("sandbox: /w\ncapabilities: [fs.delete: { paths: [/etc/x] }]\n")
    const edited = right(grant(text, ["records.read"], { sandbox: "/" }))
    expect(edited.text).toContain("  - fs.delete: { in: /w, paths: [/etc/x] }\n")
    expect(edited.record.authority.scopes.files.delete.isEmpty).toBe(true)
  })

  it("the string form becomes a list", () => {
    const text = file('capabilities: "records.read, net.get{hosts=[a.example,*.b.example]} oops" # why\n')
    expect(right(grant(text, ["records.create"])).text).toBe(
      file(
        [
          "capabilities: # why",
          "  - records.read",
          '  - net.get: { hosts: [a.example, "*.b.example"] }',
          '  - "oops"',
          "  - records.create",
          ""
        ].join("\n")
      )
    )
  })

  it("R36: a list in brackets becomes one of lines, each entry with its comment", () => {
    const text = file(
      [
        "capabilities: [ # what it may do",
        "  records.read, # low",
        "  # scoped",
        '  "net.get{hosts=[*.x.example]}",',
        "  {net.post: {hosts: [a.example]}}, net.put: {",
        "    hosts: [b.example] }",
        "  # no more",
        "] # end",
        "# title follows",
        "title: x",
        ""
      ].join("\n")
    )
    expect(right(grant(text, ["records.create"])).text).toBe(
      file(
        [
          "capabilities: # what it may do",
          "  # end",
          "  - records.read # low",
          "  # scoped",
          '  - "net.get{hosts=[*.x.example]}"',
          "  - {net.post: {hosts: [a.example]}}",
          "  - net.put: {",
          "        hosts: [b.example] }",
          "  # no more",
          "  - records.create",
          "# title follows",
          "title: x",
          ""
        ].join("\n")
      )
    )
  })

  it("line ends, a byte order mark and the body stay as they are", () => {
    const text = "\uFEFF---\r\nclass: agent\r\naccess: r\r\n---\r\nbody\r\n---\r\n\r\nmore  \n"
    expect(right(grant(text, ["records.create"])).text).toBe(
      "\uFEFF---\r\nclass: agent\r\ncapabilities:\r\n  - records.read\r\n  - records.create\r\n---\r\nbody\r\n---\r\n\r\nmore  \n"
    )
  })

  it("a front matter in braces is written anew", () => {
    const edited = right(
      grant("---\n{class: agent, access: r, title: x}\n---\nbody", ["net.get{hosts=[a.example]}"])
    )
    expect(held(edited.record)).toEqual(["records.read", "net.get{hosts=[a.example]}"])
    expect(edited.record.body).toBe("body")
    expect(edited.record.title).toBe("x")
  })

  it("what else is in the file keeps its meaning: an anchor that others follow is not touched", () => {
    const text = file("capabilities: &all [records.read]\nmirror: *all\n")
    expect(left(grant(text, ["records.create"])).code).toBe("EDIT_IMPOSSIBLE")
    const aliased = file("mirror: &all [records.read]\ncapabilities: *all\n")
    expect(right(grant(aliased, ["records.create"])).text).toContain("mirror: &all [records.read]\n")
  })

  it("R10: a record that is no agent is refused, with its class", () => {
    const refused = left(grant("---\nclass: note\n---\n", ["records.read"]))
    expect(refused.message).toBe(
      "NOT_AN_AGENT: 'agents/scout' is of class 'note', and only agents hold grants; name an agent, or write 'class: agent'"
    )
    expect(left(grant("no front matter", ["records.read"])).code).toBe("NOT_AN_AGENT")
  })

  it("a front matter that cannot be read is refused, with its problem and its line", () => {
    const refused = left(grant("---\nclass: agent\naccess: [\n---\n", ["records.read"]))
    expect(refused.code).toBe("RECORD_UNREADABLE")
    expect(refused.detail).toMatch(/scout\.md:[34]:/)
    expect(left(grant("---\nclass: agent\n", ["records.read"])).detail).toContain("is not closed")
  })

  it("capabilities that are no list are refused, for an edit would lose them", () => {
    const refused = left(grant(file("capabilities: { net.get: { hosts: [a.example] } }\n"), ["records.read"]))
    expect(refused.message).toBe(
      "EDIT_IMPOSSIBLE: 'capabilities' of scout.md:3 is not a list; write a list; [] is none"
    )
  })

  it("a grant that does not hold together is refused in its own words", () => {
    const refused = left(grant(file("access: r\n"), ["fs.read{in=/w,paths=[/etc/x]}"]))
    expect(refused.message).toBe(
      "GRANT_INVALID: the path '/etc/x' is outside of '/w'; write a path below 'in', or another 'in'"
    )
  })
})

describe("AgentEdit.revoke", () => {
  it("R19: a host of several goes, and the others stay", () => {
    const text = file("capabilities:\n  - net.get: { hosts: [a.example, b.example] } # two\n")
    expect(right(revoke(text, "net.get{hosts=[a.example]}")).text).toBe(
      file("capabilities:\n  - net.get: { hosts: [b.example] } # two\n")
    )
  })

  it("R20: what is not held changes nothing, and leaves shorthands alone", () => {
    for (const yaml of ["access: rw\n", "sandbox: /w\n", "capabilities: []\n", "title: x\n"]) {
      for (const given of ["net.get", "fs.read{in=/other}", "records.delete{classes=[x]}", "agent.grant"]) {
        expect(right(revoke(file(yaml), given))).toMatchObject({ changed: false, text: file(yaml) })
      }
    }
  })

  it("R23: one verb of access: rw leaves the other two, written out", () => {
    expect(right(revoke(file("access: rw\n"), "records.update")).text).toBe(
      file("capabilities:\n  - records.read\n  - records.create\n")
    )
  })

  it("a bare verb goes altogether, be it scoped, inert or misspelt", () => {
    const text = file(
      [
        "capabilities:",
        "  # hosts",
        "  - net.get: { hosts: [a.example] } # one",
        "  - net.get",
        "  - net.get: { hosts: oops }",
        "  - net.post: { hosts: [a.example] }",
        "  - net.get:",
        "      hosts:",
        "        - b.example # b",
        "",
        "title: x",
        ""
      ].join("\n")
    )
    expect(right(revoke(text, "net.get")).text).toBe(
      file("capabilities:\n  # hosts\n  - net.post: { hosts: [a.example] }\n\ntitle: x\n")
    )
  })

  it("the last grant leaves an empty list", () => {
    expect(right(revoke(file("title: x\n"), "records.read")).text).toBe(file("title: x\ncapabilities: []\n"))
    expect(right(revoke(file("access: r # ok\n"), "records.read")).text).toBe(file("capabilities: [] # ok\n"))
    expect(
      right(revoke(file("capabilities: # k\n  - records.read # r\n  # c\ntitle: x\n"), "records.read")).text
    ).toBe(file("capabilities: [] # k\n  # c\ntitle: x\n"))
    expect(right(revoke(file("capabilities: [records.read] # k\n"), "records.read")).text).toBe(
      file("capabilities: [] # k\n")
    )
  })

  it.each([
    ["net.get: { hosts: ['*.github.com'] }", "net.get{hosts=[api.github.com]}"],
    ["net.get: { hosts: ['*.github.com'] }", "net.get{hosts=[github.com]}"],
    ["net.get: { hosts: ['*'] }", "net.get{hosts=[a.example]}"],
    ["fs.read: { in: /a }", "fs.read{in=/a/b}"],
    ["fs.read: { in: /a, paths: ['lib/**'] }", "fs.read{in=/a,paths=[lib/x]}"],
    ["proc.exec: { in: /a }", "proc.exec{cmds=[git]}"],
    ["proc.exec: { in: /a, cmds: [git] }", "proc.exec{patterns=[git log *]}"],
    ["records.update", "records.update{classes=[inbox]}"],
    ["records.update: { classes: [a], paths: ['n/**'] }", "records.update{classes=[a],paths=[n/x]}"],
    ["agent.update: { paths: ['agents/**'] }", "agent.update{id=agents/a}"]
  ])("%s cannot lose %s, and the refusal says what to do", (entry, given) => {
    const text = file(`capabilities:\n  - records.read\n  - ${entry}\n`)
    const refused = left(revoke(text, given))
    expect(refused.code).toBe("STILL_ALLOWED")
    expect(refused.detail).toContain("in line 5 allows more than")
    expect(refused.remedy).toMatch(/^revoke '.+' and grant what is to stay$/)
  })

  it("names the entry that would still allow it, when another would go", () => {
    const text = file("capabilities: [net.get: { hosts: [api.x.example, '*.x.example'] }]\n")
    expect(left(revoke(text, "net.get{hosts=[api.x.example]}")).detail).toContain("*.x.example")
  })

  it("what is wider takes what lies in it", () => {
    const text = file(
      "capabilities:\n  - fs.read: { in: /a/b }\n  - fs.read: { in: /a, paths: [x, 'y/**'] }\n  - fs.read: { in: /c }\n"
    )
    expect(held(right(revoke(text, "fs.read{in=/a}")).record)).toEqual(["fs.read{in=/c}"])
    expect(held(right(revoke(text, "fs.read{in=/}")).record)).toEqual([])
  })

  it("elements of two lists that must both hold are told apart", () => {
    const text = file("capabilities: [records.update: { classes: [a, b], paths: [p/x, q/x] }]\n")
    expect(held(right(revoke(text, "records.update{classes=[a]}")).record)).toEqual([
      "records.update{classes=[b],paths=[p/x,q/x]}"
    ])
    expect(held(right(revoke(text, "records.update{classes=[a],paths=[p/x]}")).record)).toEqual([
      "records.update{classes=[a],paths=[q/x]}",
      "records.update{classes=[b],paths=[p/x,q/x]}"
    ])
  })

  it("a command goes from every root, and an entry without commands left goes too", () => {
    const text = file(
      "capabilities: [proc.exec: { in: /a, cmds: [git], patterns: [npm test] }, proc.exec: { in: /b, cmds: [git] }]\n"
    )
    expect(held(right(revoke(text, "proc.exec{cmds=[git]}")).record)).toEqual([
      "proc.exec{in=/a,patterns=[npm test]}"
    ])
  })

  it("ids go from each of the keys that name them", () => {
    const text = file("capabilities: [agent.update: { id: agents/a, ids: [agents/a, agents/b] }]\n")
    expect(held(right(revoke(text, "agent.update{id=agents/a}")).record)).toEqual([
      "agent.update{ids=[agents/b]}"
    ])
  })

  it("a verb of a sandbox leaves the other two, and all roots as they were", () => {
    const text = file("sandbox: /w\ncapabilities: [fs.delete, fs.read: { in: /etc }]\n")
    const { record } = right(revoke(text, "proc.exec"))
    expect(held(record)).toEqual(["fs.delete{in=/w}", "fs.read{in=/w}", "fs.write{in=/w}"])
  })

  it("paths without a root are meant below each root of their verb", () => {
    const text = file("sandbox: /w\ncapabilities: [fs.delete: { in: /w/n, paths: [a, b] }]\n")
    expect(held(right(revoke(text, "fs.delete{paths=[a]}")).record)).toContain("fs.delete{in=/w/n,paths=[b]}")
    const two = file(
      "capabilities: [fs.delete: { in: /v, paths: [a] }, fs.delete: { in: /w, paths: [a, b] }]\n"
    )
    expect(held(right(revoke(two, "fs.delete{paths=[a]}")).record)).toEqual(["fs.delete{in=/w,paths=[b]}"])
    expect(held(right(revoke(two, "fs.delete{paths=[/w/b]}")).record)).toEqual([
      "fs.delete{in=/v,paths=[a]}",
      "fs.delete{in=/w,paths=[a]}"
    ])
    expect(left(revoke(two, "fs.delete{paths=[/etc/x]}")).code).toBe("GRANT_INVALID")
    expect(left(revoke(file("sandbox: /w\n"), "fs.read{paths=[a]}")).code).toBe("STILL_ALLOWED")
    expect(right(revoke(file("access: r\n"), "fs.read{paths=[a]}")).changed).toBe(false)
  })

  it("a provider's tool is taken alone", () => {
    const text = file("capabilities: [provider.code_execution, provider.computer]\n")
    expect(held(right(revoke(text, "provider.computer")).record)).toEqual(["provider.code_execution"])
  })
})

describe("AgentEdit.replace", () => {
  it("L40: explicit capabilities, and access and sandbox are gone", () => {
    const text = file(
      "access: rw\ncapabilities:\n  - records.read # kept\n  - records.reed\n  - net.get\nsandbox: /w\n"
    )
    const edited = right(replace(text, ["records.read", "fs.read{in=/x}"]))
    expect(edited.text).toBe(file("capabilities:\n  - records.read # kept\n  - fs.read: { in: /x }\n"))
    expect(edited.dissolved).toEqual(["access", "sandbox"])
  })

  it("nothing is written as nothing, not as the default", () => {
    const edited = right(replace(file("title: x\n"), []))
    expect(edited.text).toBe(file("title: x\ncapabilities: []\n"))
    expect(Authority.isNothing(edited.record.authority)).toBe(true)
  })

  it("what cannot be read goes too", () => {
    const edited = right(
      replace(file("access: 42\nsandbox: [x]\ncapabilities: { a: b }\n"), ["records.read"])
    )
    expect(edited.text).toBe(file("capabilities:\n  - records.read\n"))
  })

  it("the same again changes nothing", () => {
    const text = file("capabilities: [net.get: { hosts: [b.example, a.example] }]\n")
    expect(right(replace(text, ["net.get{hosts=[a.example,b.example]}"]))).toMatchObject({
      changed: false,
      text
    })
  })
})

describe("AgentEdit.dissolve", () => {
  it("writes shorthands out, and the record gives exactly what it gave", () => {
    const text = file("sandbox: /w\naccess: r\ncapabilities: [fs.read: { in: /etc }, fs.delete]\n")
    const edited = right(dissolve(text))
    expect(equal(edited.record.authority, parse(text).authority)).toBe(true)
    expect(edited.record.written).toEqual({ capabilities: true, access: false, sandbox: false })
    expect(right(dissolve(edited.text)).changed).toBe(false)
  })
})
