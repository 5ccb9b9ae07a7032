/** Grants as they are written: in one line, in YAML, and what is wrong with those that are none. */
import { Either } from "effect"
import { describe, expect, it } from "vitest"
import * as Grant from "../../src/policy/grant/Grant.js"
import * as Authority from "../../src/policy/lattice/Authority.js"
import { codes, held, left, record, right, spec } from "./agents.js"

const scope = (text: string) => spec(text).scope

const refused = (text: string): string => left(Grant.parse(text)).message

describe("grants in one line", () => {
  it("C2: hosts are a list", () => {
    expect(spec("net.get{hosts=[*.github.com,api.anthropic.com]}")).toEqual({
      name: "net.get",
      scope: { hosts: ["*.github.com", "api.anthropic.com"] }
    })
  })

  it("C3: a root is a string, commands are a list", () => {
    expect(scope("proc.exec{in=~/Work,cmds=[rg,jq]}")).toEqual({ in: "~/Work", cmds: ["rg", "jq"] })
  })

  it("C5: an empty or blank spec is an error that says so", () => {
    for (const text of ["", "   ", "\t"]) expect(refused(text)).toContain("empty spec")
  })

  it("C6, C15: a brace that is not closed, or not at the end, is missing", () => {
    for (const text of ["net.get{hosts=[x]", "net.get{hosts=[a]} extra", "net.get{", "net.get{hosts=[x"]) {
      expect(refused(text)).toContain("missing closing brace")
    }
  })

  it("C8: blanks around '=', ',' and brackets are ignored", () => {
    expect(scope("net.get{hosts = [ a , b ] }")).toEqual({ hosts: ["a", "b"] })
    expect(scope("  net.get {  hosts=[a]  ,  }".replace(",  }", "}"))).toEqual({ hosts: ["a"] })
  })

  it("C10: an empty list is a scope, and inert", () => {
    const grant = spec("net.get{hosts=[]}")
    expect(grant.scope).toEqual({ hosts: [] })
    expect(right(Grant.compile(grant, {})).inert?.reason).toBe("no host")
  })

  it("C11: empty elements are dropped", () => {
    expect(scope("net.get{hosts=[a,]}")).toEqual({ hosts: ["a"] })
    expect(scope("net.get{hosts=[,a,,b]}")).toEqual({ hosts: ["a", "b"] })
  })

  it("C12: an empty pair is malformed", () => {
    expect(refused("net.get{hosts=[a],}")).toContain("the pair '' is not 'key=value'")
  })

  it("C13: a colon is no '=', and the pair is named", () => {
    expect(refused("net.get{hosts:[a]}")).toContain("the pair 'hosts:[a]'")
  })

  it("C14: a value is cut at its comma, and the pair that is none is named", () => {
    expect(refused("fs.read{in=/a,b}")).toContain("the pair 'b'")
  })

  it("C16: of a key that is written twice the last one holds", () => {
    expect(scope("net.get{hosts=[a],hosts=[b]}")).toEqual({ hosts: ["b"] })
  })

  it("C17: there are no quotes in the one-line form, so that a quoted host is none and is refused", () => {
    expect(refused('net.get{hosts=["a"]}')).toContain("SCOPE_VALUE_INVALID")
    expect(scope('records.create{classes=["a"]}')).toEqual({ classes: ['"a"'] })
  })

  it("C18: a string where a list belongs is refused, with the brackets to write", () => {
    expect(refused("net.get{hosts=a}")).toContain("expected a list of strings; write it in brackets: [a]")
  })

  it("C19: on purpose, a bracket that is not closed is refused", () => {
    expect(refused("net.get{hosts=[a}")).toContain("close every '[' with one ']'")
  })

  it("C20: on purpose, further braces are refused", () => {
    for (const text of ["net.get{hosts=[a]}}}", "net.get{{hosts=[a]}}", "net.get}", "records.read{}}"]) {
      expect(refused(text)).toContain("GRANT_MALFORMED")
    }
  })

  it("C25, Q1: an unknown verb is refused, with what was meant", () => {
    expect(refused("records.reed")).toBe(
      "CAPABILITY_UNKNOWN: unknown capability 'records.reed'; did you mean 'records.read'?"
    )
  })

  it("C26, C27, C28: printed and parsed again it is the same grant; bare it has no braces", () => {
    for (const text of ["net.get{hosts=[*.github.com]}", "proc.exec{cmds=[rg],in=/w}", "records.read"]) {
      expect(Grant.same(spec(Grant.print(spec(text))), spec(text))).toBe(true)
    }
    expect(Grant.print(spec("records.read{}"))).toBe("records.read")
    expect(Grant.print(spec("proc.exec{cmds=[rg],in=/w}"))).toBe(
      Grant.print(spec("proc.exec{in=/w,cmds=[rg]}"))
    )
  })

  it("a backslash takes the next character as it is", () => {
    expect(scope(String.raw`fs.read{in=/a\,b,paths=[x\]y,\ z\ ,a\\b]}`)).toEqual({
      in: "/a,b",
      paths: ["x]y", " z ", "a\\b"]
    })
    expect(refused(String.raw`fs.read{in=/a\}`)).toContain("GRANT_MALFORMED")
    expect(refused(String.raw`fs.read{in=/a,paths=[x\]}`)).toContain("GRANT_MALFORMED")
  })

  it("what is odd is refused in one line that shows it and nothing else", () => {
    for (const text of [
      "net.get{hosts=[[a]]}",
      "net.get{hosts=[{a}]}",
      "net.get{=[a]}",
      "{hosts=[a]}",
      "net get",
      "net.get,net.post",
      "net.get[a]",
      "net.get{hosts=[a\nb]}",
      `net.get{hosts=[${"a".repeat(70_000)}]}`,
      "net.get{__proto__=[a]}",
      "net.get{constructor=x}",
      "__proto__.x",
      "."
    ]) {
      const message = refused(text)
      expect(message).not.toMatch(/\n/)
      expect(message.length).toBeLessThan(700)
    }
  })
})

describe("several grants in one string", () => {
  it("B11, B12: blanks and commas separate, but not inside braces or brackets", () => {
    const names = (text: string) => Grant.parseAll(text).map((one) => Grant.print(right(one)))
    expect(names("records.read agent.create")).toEqual(["records.read", "agent.create"])
    expect(names(" records.read,net.get{hosts=[a,b, c]} ,, agent.create\n")).toEqual([
      "records.read",
      "net.get{hosts=[a,b,c]}",
      "agent.create"
    ])
    expect(names("")).toEqual([])
  })

  it("one that is not closed takes the rest with it, and grants nothing", () => {
    const agent = record('capabilities: "records.read net.get{hosts=[a]"')
    expect(held(agent)).toEqual([])
    expect(codes(agent)).toEqual(["GRANT_MALFORMED"])
  })
})

describe("names and keys", () => {
  it.each([
    ["recrods.read", "records.read"],
    ["record.read", "records.read"],
    ["agents.grant", "agent.grant"],
    ["fs.wirte", "fs.write"],
    ["proc.execute", "proc.exec"],
    ["net.fetch", "net.get"],
    ["net.patch", "net.put"]
  ])("Q2: %s was meant as %s", (written, meant) => {
    expect(refused(written)).toContain(`did you mean '${meant}'?`)
  })

  it.each(["totally.unrelated", "fs.list", "net.head", "proc.run"])("Q3: %s has no near name", (written) => {
    expect(refused(written)).toContain("the capabilities are 'records.read'")
  })

  it("Q4, B5: a name without a dot is malformed", () => {
    for (const name of ["nodotshere", "record_read", "search", ".read", "records."]) {
      expect(refused(name)).toContain("malformed, expected resource.verb")
    }
  })

  it("B22: a name is cut at its first dot only, and net.get.extra is no verb", () => {
    expect(refused("net.get.extra")).toContain("CAPABILITY_UNKNOWN")
  })

  it("Q5, Q6: an unknown key is named, with what was meant", () => {
    expect(refused("fs.write{pathz=[x]}")).toBe(
      "SCOPE_KEY_UNKNOWN: unknown scope key 'pathz' on 'fs.write'; did you mean 'paths'?"
    )
    for (const [text, meant] of [
      ["net.get{host=[a]}", "hosts"],
      ["proc.exec{cmd=[a]}", "cmds"],
      ["proc.exec{pattern=[a]}", "patterns"],
      ["records.update{class=[a]}", "classes"]
    ] as const) {
      expect(refused(text)).toContain(`did you mean '${meant}'?`)
    }
    for (const text of ["net.get{domains=[a]}", "proc.exec{command=[a]}", "fs.read{root=/a}"]) {
      expect(refused(text)).toContain("the keys are")
    }
  })

  it("A7, K24: on purpose, records.read takes no key at all, and with one it grants nothing", () => {
    expect(refused("records.read{classes=[x]}")).toContain("it takes no scope")
    const agent = record("capabilities: [records.read: { classes: [x] }]")
    expect(held(agent)).toEqual([])
    expect(codes(agent)).toEqual(["SCOPE_KEY_UNKNOWN"])
  })

  it("Q7: a string where a list belongs, and a list where a string belongs", () => {
    expect(left(Grant.make("fs.write", { paths: "x" })).message).toContain("expected a list of strings")
    expect(left(Grant.make("agent.grant", { id: ["x"] })).message).toContain("expected a string")
    for (const value of [42, null, true, {}, undefined, [42], [null], [["a"]]]) {
      expect(Either.isLeft(Grant.make("net.get", { hosts: value }))).toBe(true)
    }
  })

  it("B19: the old name of a command is read as the new one", () => {
    expect(spec("shell.exec{cmds=[rg]}")).toEqual({
      name: "proc.exec",
      scope: { cmds: ["rg"] },
      alias: "shell.exec"
    })
  })

  it("J12: on purpose, a wildcard anywhere but in front is refused", () => {
    for (const host of ["api.*.com", "*github.com", "a*", "**", "*.*.com"]) {
      expect(refused(`net.get{hosts=[${host}]}`)).toContain("SCOPE_VALUE_INVALID")
    }
  })

  it("I5: on purpose, a wildcard in cmds is refused, and grants nothing", () => {
    expect(refused("proc.exec{in=/w,cmds=[*]}")).toContain("a command is named exactly")
  })

  it("I10: on purpose, ':*' after more than one word is refused", () => {
    expect(refused("proc.exec{in=/w,patterns=[git status:*]}")).toContain("write 'git log *' or 'git:*'")
  })

  it("a URL, a port or user info is no host", () => {
    for (const host of [
      "https://a.example",
      "a.example:443",
      "u@a.example",
      "a.example/x",
      "0x7f.1",
      "2130706433"
    ]) {
      expect(refused(`net.get{hosts=[${host}]}`)).toContain("SCOPE_VALUE_INVALID")
    }
  })

  it("'..' is refused in a root, and in a path that leaves its root by it", () => {
    for (const text of [
      "fs.read{in=/w/../etc}",
      "fs.read{in=/w,paths=[../etc]}",
      "fs.read{in=/w,paths=[a/../../etc]}",
      "fs.read{in=/w,paths=[../w/a]}",
      "fs.read{in=/w,paths=[/../etc]}",
      "fs.read{in=/w,paths=[a/**/../b]}",
      "fs.read{in=/w,paths=[**/../../etc]}"
    ]) {
      expect(refused(text)).toContain("PATH_INVALID")
    }
  })

  it.each([
    ["a/../b", "b"],
    ["a/b/../../c/*.md", "c/*.md"],
    ["./a/.././b/", "b/"],
    ["a/..", "."],
    ["a/../", "./"],
    ["a/*/../b", "a/b"],
    ["/w/a/../b", "/w/b"],
    ["~/p/../q", "~/q"]
  ])("'..' in the path %s that stays in its root is written as %s", (path, plain) => {
    const grant = right(Grant.parse(`fs.read{in=/w,paths=[${path}]}`))
    expect(grant.scope.paths).toEqual([plain])
  })

  it("a path that is written with '..' gives what it stands for, and no absolute one leaves the root by it", () => {
    const given = (spec: string) =>
      Either.map(Grant.compile(right(Grant.parse(spec)), { home: "/home/u" }), (one) =>
        Authority.shown(Grant.authority([one]), "files.read")
      )
    expect(right(given("fs.read{in=/w,paths=[a/../b,c/../]}"))).toEqual(["/w/"])
    expect(right(given("fs.read{in=/w,paths=[a/../b]}"))).toEqual(["/w/b"])
    expect(right(given("fs.read{in=/w,paths=[/w/x/../b]}"))).toEqual(["/w/b"])
    expect(left(given("fs.read{in=/w,paths=[/w/../etc]}")).message).toContain("is outside of '/w'")
  })

  it("a relative root is refused", () => {
    for (const root of ["w", "./w", "~u/w", "C:\\\\x"]) {
      expect(refused(`fs.read{in=${root}}`)).toContain("is not an absolute path")
    }
  })
})

describe("grants as data", () => {
  it("are read from JSON in both forms", () => {
    expect(right(Grant.fromData("records.read")).name).toBe("records.read")
    expect(right(Grant.fromData({ "net.get": { hosts: ["a"] } })).scope).toEqual({ hosts: ["a"] })
    expect(right(Grant.fromData({ "records.read": null })).scope).toEqual({})
    for (const wrong of [
      42,
      null,
      undefined,
      [],
      ["records.read"],
      {},
      { "net.get": "x" },
      { "net.get": ["x"] }
    ]) {
      expect(Either.isLeft(Grant.fromData(wrong))).toBe(true)
    }
    expect(Either.isLeft(Grant.fromData({ "net.get": {}, "net.post": {} }))).toBe(true)
  })

  it("say what they allow", () => {
    expect(Grant.describe(spec("net.get{hosts=[*]}"))).toBe("fetch from any host")
    expect(Grant.describe(spec("net.get"))).toBe("fetch from no host")
    expect(Grant.describe(spec("fs.read{in=/w,paths=[a]}"))).toBe("read files a below /w")
    expect(Grant.describe(spec("proc.exec{in=/w}"))).toBe("run commands of any kind below /w")
    expect(Grant.describe(spec("agent.grant"))).toBe("pass on what it holds to agents with any id")
    expect(Grant.risk(spec("provider.computer"))).toBe("high")
  })
})
