/**
 * Threat: a skill that gives an agent something, one that is shown to an agent that cannot do what it says, and one
 * whose requirements are not what its author wrote.
 */
import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import * as AgentRecord from "../../src/policy/agent/AgentRecord.js"
import * as Grant from "../../src/policy/grant/Grant.js"
import * as Authority from "../../src/policy/lattice/Authority.js"
import * as Skill from "../../src/policy/skill/Skill.js"
import { builtins } from "../../src/tools/builtin/index.js"
import { agent, check, grantsOf, HOME, holding, missing, required, skill, text } from "./skills.js"

const visible = (tools: string, to: AgentRecord.AgentRecord): boolean =>
  Skill.available([skill(tools)], to, { home: HOME }).length === 1

describe("the tools of a skill", () => {
  it("[N5, N6, N7, N17] of commands require proc.exec", () => {
    expect(required("Bash(git:*)")).toEqual({ "Bash(git:*)": ["proc.exec{patterns=[git:*]}"] })
    expect(required("Bash(rg)")).toEqual({ "Bash(rg)": ["proc.exec{cmds=[rg]}"] })
    expect(required("Bash")).toEqual({ Bash: ["proc.exec{patterns=[*]}"] })
    expect(required("Bash(*)")).toEqual({ "Bash(*)": ["proc.exec{patterns=[*]}"] })
    expect(required("Bash(git log *)")).toEqual({ "Bash(git log *)": ["proc.exec{patterns=[git log *]}"] })
  })

  it("a prefix of several words is those words, alone or with arguments", () => {
    expect(required("Bash(git add:*)")["Bash(git add:*)"]).toEqual([
      "proc.exec{patterns=[git add,git add *]}"
    ])
    expect(required("Bash(./run.sh)")["Bash(./run.sh)"]).toEqual([
      "proc.exec{patterns=[./run.sh,./run.sh *]}"
    ])
    expect(required("Bash(npm test)")["Bash(npm test)"]).toEqual(["proc.exec{patterns=[npm test]}"])
  })

  it("what only a shell can run requires proc.eval", () => {
    for (const script of ["ls | head", "a && b", "a; b", "cat < x", "echo $(date)"]) {
      expect(required(`Bash(${script})`)[`Bash(${script})`]).toEqual(["proc.eval"])
    }
    expect(required("run_shell").run_shell).toEqual(["proc.eval"])
  })

  it("[N9] of files require fs.read and fs.write, with their paths", () => {
    expect(required("Read(src/**)")).toEqual({ "Read(src/**)": ["fs.read{paths=[src/**]}"] })
    for (const tool of ["Read", "Grep", "Glob", "LS", "read_file", "list_files", "search_files"]) {
      expect(required(tool)[tool]).toEqual(["fs.read"])
    }
    for (const tool of ["Write", "Edit", "MultiEdit", "NotebookEdit", "write_file"]) {
      expect(required(tool)[tool]).toEqual(["fs.write"])
      expect(required(`${tool}(docs/*.md)`)[`${tool}(docs/*.md)`]).toEqual(["fs.write{paths=[docs/*.md]}"])
    }
    expect(required("delete_file").delete_file).toEqual(["fs.delete"])
    expect(required("Read(*)")["Read(*)"]).toEqual(["fs.read"])
  })

  it("a path that is not relative has a root of its own", () => {
    expect(required("Read(/etc/hosts)")["Read(/etc/hosts)"]).toEqual(["fs.read{in=/etc,paths=[hosts]}"])
    expect(required("Read(~/notes/**/*.md)")["Read(~/notes/**/*.md)"]).toEqual([
      "fs.read{in=~/notes,paths=[**/*.md]}"
    ])
    expect(required("Read(/data/)")["Read(/data/)"]).toEqual(["fs.read{in=/data/}"])
    expect(required("Read(/*)")["Read(/*)"]).toEqual(["fs.read{in=/,paths=[*]}"])
    expect(required("Read(~)")["Read(~)"]).toEqual(["fs.read{in=~}"])
  })

  it("[N11, N13] of the network require net.get, and nothing more", () => {
    expect(required("WebFetch(domain:github.com)")["WebFetch(domain:github.com)"]).toEqual([
      "net.get{hosts=[github.com]}"
    ])
    expect(required("WebFetch(github.com)")["WebFetch(github.com)"]).toEqual(["net.get{hosts=[github.com]}"])
    expect(required("WebFetch")).toEqual({ WebFetch: ["net.get{hosts=[*]}"] })
    expect(required("WebSearch")).toEqual({ WebSearch: ["net.get{hosts=[*]}"] })
  })

  it("the name of every built-in tool is understood", () => {
    const names = builtins.map(({ name }) => name)
    expect(skill(names.join(" ")).problems).toEqual([])
    expect(check(names.join(" "), agent()).unknown).toEqual([])
    expect(required("search_records create_record grant_capability kv_set")).toEqual({
      search_records: ["records.read"],
      create_record: ["records.create"],
      grant_capability: ["agent.grant"],
      kv_set: ["storage.use{scopes=[session]}"]
    })
  })

  it("[N14] that nobody knows are warned of, and block nothing", () => {
    const { missing, satisfied, unknown } = check("NotARealTool(x) bash", agent())
    expect(unknown).toEqual([
      {
        token: "NotARealTool(x)",
        line: 4,
        detail: "unknown tool 'NotARealTool'",
        remedy: "what it needs is not known and not checked"
      },
      { token: "bash", line: 4, detail: "unknown tool 'bash'", remedy: "did you mean 'Bash'?" }
    ])
    expect([missing, satisfied]).toEqual([[], []])
    expect(visible("NotARealTool(x)", agent())).toBe(true)
  })

  it("[P1, P3, P5] of an MCP server require what that requires; an unknown server is warned of", () => {
    const token = "mcp__gh__list_repos"
    const server = (...specs: ReadonlyArray<string>) => ({
      servers: new Map([
        [
          "gh",
          specs
            .flatMap((spec) => Grant.parseAll(spec))
            .map((one) => (one._tag === "Right" ? one.right : expect.fail()))
        ]
      ])
    })
    const requires = server("net.get{hosts=[api.example.com]}")
    expect(missing(token, holding(), requires)).toEqual(["net.get{hosts=[api.example.com]}"])
    expect(missing(token, holding("net.get{hosts=[*.example.com]}"), requires)).toEqual([])
    expect(missing(token, holding(), server())).toEqual([])
    expect(missing("mcp__gh", holding(), requires)).toEqual(["net.get{hosts=[api.example.com]}"])
    expect(check(token, holding()).unknown).toMatchObject([{ token, detail: "unknown server 'gh'" }])
    expect(visible(token, holding())).toBe(true)
  })

  it("[N15, N16, N17] are separated by blanks or commas, or a list", () => {
    const tokens = (tools: string) =>
      Skill.parse({ file: "SKILL.md", text: text(tools) }).tokens.map((token) => token.text)
    expect(tokens("Bash(git:*) Bash(jq:*) Read")).toEqual(["Bash(git:*)", "Bash(jq:*)", "Read"])
    expect(tokens('["Read", "Bash(ls)"]')).toEqual(["Read", "Bash(ls)"])
    expect(tokens("Read, Grep,Bash(git log *, x)")).toEqual(["Read", "Grep", "Bash(git log *, x)"])
    expect(tokens("Bash(git log *)  Read")).toEqual(["Bash(git log *)", "Read"])
    expect(tokens("[]")).toEqual([])
    expect(tokens("Read Read")).toEqual(["Read"])
  })

  it("that are known, and say what no grant can, break the skill: it is offered to nobody", () => {
    const all = holding("fs.read{in=/}", "proc.exec{in=/}", "net.get{hosts=[*]}")
    const wrong = [
      "Read(../x)",
      "Read(a/../../b)",
      "Read(src/**x)",
      "Bash(:*)",
      "Bash(git add:* x)",
      "WebFetch(https://github.com/)",
      "WebFetch(domain:)",
      "WebSearch(x)",
      "Read()",
      "Bash (git:*)",
      "Read(src",
      "Read)",
      "Read(a)b"
    ]
    for (const tools of wrong) {
      expect([tools, skill(tools).problems]).toMatchObject([tools, [{ code: "TOOL_INVALID", line: 4 }]])
      expect([tools, visible(tools, all)]).toEqual([tools, false])
    }
    expect(skill(Array.from({ length: 257 }, (_, i) => `T${i}`).join(" ")).problems).toMatchObject([
      { code: "VALUE_INVALID" }
    ])
    expect(Skill.parse({ file: "SKILL.md", text: text("[Read, 42]") }).problems).toMatchObject([
      { code: "VALUE_INVALID" }
    ])
    expect(Skill.parse({ file: "SKILL.md", text: text("{ Read: x }") }).problems).toMatchObject([
      { code: "VALUE_INVALID" }
    ])
  })
})

describe("an agent", () => {
  it("[N2, N3] sees a skill when it holds the host, or more", () => {
    const tools = "WebFetch(domain:github.com)"
    expect(visible(tools, holding("net.get{hosts=[github.com]}"))).toBe(true)
    expect(visible(tools, holding("net.get{hosts=[*.github.com]}"))).toBe(true)
    expect(visible(tools, holding("net.get{hosts=[*]}"))).toBe(true)
    expect(visible(tools, holding("net.get{hosts=[api.github.com]}"))).toBe(false)
    expect(visible(tools, holding("net.get"))).toBe(false)
    expect(visible(tools, holding("net.post{hosts=[*]}"))).toBe(false)
    expect(visible(tools, agent())).toBe(false)
    expect(visible("WebSearch", holding("net.get{hosts=[*.github.com]}"))).toBe(false)
  })

  it("reads with 'Read' what it may read, be it little", () => {
    expect(visible("Read", holding("fs.read{in=/w,paths=[a.txt]}"))).toBe(true)
    expect(visible("Read", holding("fs.read"))).toBe(false)
    expect(visible("Read", holding("fs.write{in=/w}"))).toBe(false)
    expect(visible("create_record", holding("records.create{classes=[note]}"))).toBe(true)
    expect(visible("create_record", holding("records.create{classes=[]}"))).toBe(false)
    expect(visible("search_records", holding("records.read"))).toBe(true)
  })

  it("reads the paths of a skill below one of the roots that it has", () => {
    expect(visible("Read(src/**)", holding("fs.read{in=/w}"))).toBe(true)
    expect(visible("Read(src/**)", holding("fs.read{in=/w,paths=[src/**]}"))).toBe(true)
    expect(visible("Read(src/a/*)", holding("fs.read{in=/w,paths=[src/**]}"))).toBe(true)
    expect(visible("Read(src/**)", holding("fs.read{in=/w,paths=[lib/**]}"))).toBe(false)
    expect(visible("Read(src/**)", holding("fs.read{in=/w,paths=[src/*]}"))).toBe(false)
    expect(visible("Read(src/**)", holding("fs.read{in=/w,paths=[lib/**]}", "fs.read{in=/v}"))).toBe(true)
    expect(visible("Read(src/**)", holding("fs.read{in=~/w}"))).toBe(true)
    expect(visible("Read(src/**)", holding("fs.read"))).toBe(false)
  })

  it("among them the root that the workspace gives it", () => {
    const record = [
      "---",
      "class: agent",
      'capabilities: ["fs.read{in=/w/src,paths=[*.ts]}"]',
      "---",
      ""
    ].join("\n")
    const to = (sandbox: string | undefined) =>
      AgentRecord.parse({ file: "a.md", id: "agents/a", text: record }, { sandbox })
    expect(visible("Read(src/*.ts)", to("/w"))).toBe(true)
    expect(visible("Read(src/*.ts)", to(undefined))).toBe(false)
    expect(missing("Bash(rg)", to("/w"))).toEqual(["proc.exec{in=/w,cmds=[rg]}"])
  })

  it("and the paths that are not relative where they are", () => {
    expect(visible("Read(/etc/hosts)", holding("fs.read{in=/etc}"))).toBe(true)
    expect(visible("Read(/etc/hosts)", holding("fs.read{in=/w}"))).toBe(false)
    expect(visible("Read(~/notes/*)", holding("fs.read{in=/home/u}"))).toBe(true)
    expect(visible("Read(~/notes/*)", holding("fs.read{in=/home/v}"))).toBe(false)
  })

  it("runs the commands of a skill at one of the roots that it has", () => {
    expect(visible("Bash(rg)", holding("proc.exec{in=/w,cmds=[rg,jq]}"))).toBe(true)
    expect(visible("Bash(rg)", holding("proc.exec{in=/w,cmds=[jq]}"))).toBe(false)
    expect(visible("Bash(git log *)", holding("proc.exec{in=/w,patterns=[git:*]}"))).toBe(true)
    expect(visible("Bash(git add:*)", holding("proc.exec{in=/w,cmds=[git]}"))).toBe(true)
    expect(visible("Bash(git:*)", holding("proc.exec{in=/w,patterns=[git log *]}"))).toBe(false)
    expect(visible("Bash", holding("proc.exec{in=/w}"))).toBe(true)
    expect(visible("Bash", holding("proc.exec{in=/w,cmds=[git]}"))).toBe(false)
    expect(visible("Bash(rg)", holding("proc.exec{cmds=[rg]}"))).toBe(false)
    expect(visible("Bash(ls | head)", holding("proc.exec{in=/w}"))).toBe(false)
    expect(visible("Bash(ls | head)", holding("proc.eval{in=/w}"))).toBe(true)
  })

  it("[N19] is asked for all that it holds: by default, by access, by its sandbox", () => {
    expect(visible("search_records", agent())).toBe(true)
    expect(visible("update_record", agent("access: r"))).toBe(false)
    expect(visible("update_record", agent("access: rw"))).toBe(true)
    expect(visible("Read Write(src/**) Bash(rg)", agent("sandbox: ~/p", "capabilities: []"))).toBe(true)
    expect(visible("delete_file", agent("sandbox: ~/p"))).toBe(false)
    expect(visible("search_records", agent("capabilities: []"))).toBe(false)
  })

  it("without requirements to meet sees every skill that is whole", () => {
    const bare = Skill.parse({ file: "a", text: "---\nname: a\ndescription: b\n---\nBody" })
    const broken = Skill.parse({ file: "a", text: "---\nname: a\ndescription: b\n---\n" })
    expect(Skill.available([bare, broken], agent("capabilities: []"))).toEqual([bare])
  })
})

describe("what is missing", () => {
  it("[N21] is named as the grant to write, with a root where it needs one", () => {
    expect(missing("WebFetch(github.com) Bash(rg) Read", agent(), { root: "/w" })).toEqual([
      "net.get{hosts=[github.com]}",
      "proc.exec{in=/w,cmds=[rg]}",
      "fs.read{in=/w}"
    ])
    expect(missing("Bash(rg)", agent())).toEqual(["proc.exec{in=~/project,cmds=[rg]}"])
  })

  it("the root is the agent's own, else that of a grant of the kind, else of any", () => {
    const options = { root: "/other" }
    expect(missing("delete_file", agent("sandbox: /w"), options)).toEqual(["fs.delete{in=/w}"])
    expect(missing("Read(src/**)", holding("proc.exec{in=/p}", "fs.read{in=/r,paths=[x]}"), options)).toEqual(
      ["fs.read{in=/r,paths=[src/**]}"]
    )
    expect(missing("Read", holding("proc.exec{in=~/p}"), options)).toEqual(["fs.read{in=~/p}"])
  })

  it("is named once for each tool, and says when the workspace would not let it be", () => {
    const { missing, satisfied } = check("Read Read(/etc/*) WebSearch", agent("sandbox: /w/x"), {
      sandbox: "/w"
    })
    expect(satisfied.map(({ token }) => token)).toEqual(["Read"])
    expect(missing.map(({ inert, token }) => [token, inert?.reason])).toEqual([
      ["Read(/etc/*)", "outside the root"],
      ["WebSearch", undefined]
    ])
  })
})

describe("the file", () => {
  const lines = (...given: ReadonlyArray<string>) => ["---", ...given, "---", "Body"].join("\n")
  const codes = (source: string, id?: string) =>
    Skill.parse({ file: "SKILL.md", text: source, id }).problems.map(({ code, line }) => `${code}:${line}`)

  it("[N23] has a name of lower-case letters, digits and single hyphens, of at most 64", () => {
    const named = (name: string) => codes(lines(`name: ${JSON.stringify(name)}`, "description: d"))
    for (const good of ["a", "pdf-tools", "2fa", "a-b-c-1", "a".repeat(64)]) expect(named(good)).toEqual([])
    for (const bad of ["A", "a--b", "-a", "a-", "a_b", "a b", "é", "a/b", "..", "a".repeat(65), "a\n"]) {
      expect([bad, named(bad)]).toEqual([bad, ["NAME_INVALID:2"]])
    }
    expect(codes(lines("description: d"))).toEqual(["KEY_MISSING:1"])
    expect(codes(lines("name:", "description: d"))).toEqual(["KEY_MISSING:2"])
    expect(codes(lines("name: 42", "description: d"))).toEqual(["VALUE_INVALID:2"])
  })

  it("[N23] has a description of at most 1024 characters, and a compatibility of at most 500", () => {
    const described = (length: number) => codes(lines("name: a", `description: ${"ü".repeat(length)}`))
    expect(described(1024)).toEqual([])
    expect(described(1025)).toEqual(["VALUE_INVALID:3"])
    expect(codes(lines("name: a"))).toEqual(["KEY_MISSING:1"])
    expect(codes(lines("name: a", "description: '  '"))).toEqual(["VALUE_INVALID:3"])
    const compatible = (length: number) =>
      codes(lines("name: a", "description: d", `compatibility: ${"x".repeat(length)}`))
    expect(compatible(500)).toEqual([])
    expect(compatible(501)).toEqual(["VALUE_INVALID:4"])
  })

  it("[N23] has a body", () => {
    expect(codes("---\nname: a\ndescription: d\n---\n")).toEqual(["BODY_MISSING:5"])
    expect(codes("---\nname: a\ndescription: d\n---\n \n\n")).toEqual(["BODY_MISSING:5"])
    expect(codes("---\nname: a\ndescription: d\n---")).toEqual(["BODY_MISSING:4"])
  })

  it("may have keys that nobody knows, a license and metadata", () => {
    const source = lines(
      "name: a",
      "description: d",
      "license: MIT",
      "metadata: { by: me, n: { x: 1 } }",
      "model: x"
    )
    expect(Skill.parse({ file: "f", text: source })).toMatchObject({
      name: "a",
      description: "d",
      license: "MIT",
      metadata: { by: "me", n: { x: 1 } },
      body: "Body",
      problems: []
    })
    expect(codes(lines("name: a", "description: d", "metadata: [x]"))).toEqual(["VALUE_INVALID:4"])
  })

  it("has the name of its place", () => {
    expect(codes(lines("name: a", "description: d"), "a")).toEqual([])
    expect(codes(lines("name: a", "description: d"), "b")).toEqual(["NAME_MISMATCH:1"])
    expect(Skill.parse({ file: "f", id: "b", text: lines("name: a", "description: d") }).name).toBe("b")
  })

  it("that cannot be read is broken, and never fails", () => {
    expect(codes("")).toEqual(["VALUE_INVALID:1"])
    expect(codes("just words")).toEqual(["VALUE_INVALID:1"])
    expect(codes("---\nname: a\n")).toEqual(["YAML_INVALID:1"])
    expect(codes(lines("name: a", "name: b", "description: d"))).toEqual(["KEY_DUPLICATE:3"])
    expect(codes(lines("name: a", "description: use when: asked"))).toEqual(["YAML_INVALID:3"])
    expect(codes(lines("- a"))).toEqual(["VALUE_INVALID:1"])
    expect(codes(lines("__proto__: x", "constructor: y"))).toEqual(["KEY_MISSING:1", "KEY_MISSING:1"])
  })

  it("a problem is one sentence with its place and its remedy", () => {
    const broken = skill("Read(../x)")
    expect(broken.problems.map((problem) => Skill.message(broken.file, problem))).toEqual([
      "TOOL_INVALID: SKILL.md:4:16 'Read(../x)' cannot be understood: the path '../x' contains '..' and leaves its root; write a path below 'in'"
    ])
  })
})

describe("a skill never widens", () => {
  const wide = "Bash Read(/**) Write(/**) WebSearch run_shell delete_file grant_capability"

  it("checking leaves the agent, and the policy made of it, as they were", () => {
    const to = agent("access: r", "sandbox: /w")
    const before = [Authority.describe(to.authority), AgentRecord.policy(to).authority.toJSON()]
    expect(check(wide, to).missing).not.toEqual([])
    Skill.available([skill(wide)], to, { home: HOME })
    expect([Authority.describe(to.authority), AgentRecord.policy(to).authority.toJSON()]).toEqual(before)
  })

  it("what a skill is, and what a check answers, is plain data, and holds no authority", () => {
    const plain = (value: unknown): boolean =>
      typeof value === "function"
        ? false
        : typeof value !== "object" || value === null
          ? true
          : [Object.prototype, Array.prototype, null].includes(Object.getPrototypeOf(value)) &&
            Object.values(value).every(plain)
    const to = agent("access: r", "sandbox: /w")
    expect(plain(to)).toBe(false)
    const { missing, satisfied, unknown } = check(`${wide} Nothing`, to, { sandbox: "/w" })
    expect([missing.length, satisfied.length, unknown.length].every((length) => length > 0)).toBe(true)
    expect(plain([missing, satisfied, unknown, skill(wide)])).toBe(true)
  })

  it("a skill with keys that would be authority in an agent's record holds nothing by them", () => {
    const source = text("Read", ["class: skill", "capabilities: ['net.get{hosts=[*]}']", "sandbox: /"])
    const record = AgentRecord.parse({ file: "s.md", text: source, id: "skills/s" }, { home: HOME })
    expect(Authority.isNothing(record.authority)).toBe(true)
    const plain = Skill.parse({ file: "s.md", text: text("Read") })
    const given = Skill.parse({ file: "s.md", text: source })
    expect(given.tokens.map(grantsOf)).toEqual(plain.tokens.map(grantsOf))
  })

  it("nothing that decides about a call knows of skills", () => {
    const files = (directory: string): ReadonlyArray<string> =>
      readdirSync(directory, { withFileTypes: true }).flatMap((entry) => {
        const path = join(directory, entry.name)
        return entry.isDirectory() ? files(path) : path.endsWith(".ts") ? [path] : []
      })
    const knowing = files("src").filter((path) =>
      /from "[^"]*(?:\/Skill|\/skill\/\w+)\.js"/.test(readFileSync(path, "utf8"))
    )
    expect(knowing).toContain("src/cli/commands/skills/SkillsCommand.ts")
    expect(
      knowing.filter(
        (path) => !/^src\/(cli\/|index\.ts$|mcp\/server\/|policy\/skill\/|registry\/doctor\/)/.test(path)
      )
    ).toEqual([])
  })
})
