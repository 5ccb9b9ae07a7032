/** What the doctor says of what is there and does nothing: links, skills, servers, provider grants, records without a class. */
import { AgentRecord, type Doctor, Grant, ProviderTool, Skill } from "bailiwick"
import { describe, expect, it } from "vitest"
import { codes, found, HOME, holding, ofAgent, personality, RECORDS, workspace } from "./doctorInput.js"

const plain = (id: string, text: string) =>
  AgentRecord.parse({ id, file: `${RECORDS}/${id}.md`, text }, { home: HOME })

describe("records among the agents", () => {
  it("one without front matter is told, with what to start it with", () => {
    expect(found("grants", { agents: [plain("agents/scout", "You are a scout.\n")] })).toMatchObject([
      {
        subject: "agents/scout",
        code: "NOT_AN_AGENT",
        detail: expect.stringContaining("there is no front matter"),
        remedy: "start the file with '---', 'class: agent' and '---'"
      }
    ])
  })

  it("one whose front matter has no class is told", () => {
    expect(found("grants", { agents: [plain("agents/scout", "---\ntitle: Scout\n---\n")] })).toMatchObject([
      {
        code: "NOT_AN_AGENT",
        detail: expect.stringContaining("has no class"),
        remedy: "write 'class: agent'"
      }
    ])
  })

  it("one of another class, and a page about them, are left alone", () => {
    const others = [plain("agents/log", "---\nclass: note\n---\n"), plain("notes/a", "---\ntitle: x\n---\n")]
    expect(found("grants", { agents: others })).toEqual([])
  })
})

describe("links", () => {
  it("one among the records is told, with why it is not followed", () => {
    const links = [{ id: "agents/scout", file: `${RECORDS}/agents/scout.md` }]
    expect(found("records", { workspace: workspace({ links }) })).toMatchObject([
      {
        severity: "warning",
        subject: "agents/scout",
        code: "LINK_IGNORED",
        file: `${RECORDS}/agents/scout.md`,
        detail: expect.stringContaining("no link among the records is followed"),
        remedy: "put the file itself there, or delete the link"
      }
    ])
  })
})

describe("skills", () => {
  const skill = (text: string) => Skill.parse({ file: "/s/notes.md", id: "notes", text })
  const of = (text: string) =>
    found("skills", { workspace: { ...workspace(), skills: { all: [skill(text)], ignored: [] } } })

  it("a broken one is a failure at its line, with what is wrong with it", () => {
    expect(of("---\nname: notes\ndescription: x\nallowed-tools: Read(../x)\n---\nBody\n")).toMatchObject([
      { severity: "failure", subject: "notes", code: "TOOL_INVALID", file: "/s/notes.md", line: 4 }
    ])
    expect(codes(of("no front matter"))).not.toEqual([])
  })

  it("a tool that nobody knows is a warning", () => {
    expect(of("---\nname: notes\ndescription: x\nallowed-tools: Raed\n---\nBody\n")).toMatchObject([
      { severity: "warning", code: "TOOL_UNKNOWN", line: 4, remedy: expect.stringContaining("Read") }
    ])
  })

  it("one that is passed over is told", () => {
    const ignored = [
      {
        subject: "notes",
        file: "/s/notes",
        code: "LINK_IGNORED" as const,
        detail: "it is a link",
        remedy: "x"
      }
    ]
    expect(found("skills", { workspace: { ...workspace(), skills: { all: [], ignored } } })).toMatchObject([
      { severity: "warning", check: "skills", code: "LINK_IGNORED" }
    ])
  })
})

describe("MCP servers", () => {
  const requiring = (...specs: ReadonlyArray<string>) =>
    found("mcp servers", {
      workspace: {
        ...workspace(),
        servers: [
          {
            name: "github",
            file: "/home/u/.ws/bailiwick.yaml",
            requires: specs.map((spec, at) => ({ line: at + 3, grant: Grant.parse(spec) }))
          }
        ]
      }
    })

  it("an unknown grant among what one requires is told at its line, with the probable spelling", () => {
    expect(requiring("records.read", "net.gte{hosts=[a.example.com]}")).toMatchObject([
      {
        subject: "mcp_servers.github",
        code: "CAPABILITY_UNKNOWN",
        file: "/home/u/.ws/bailiwick.yaml",
        line: 4,
        remedy: "did you mean 'net.get'?"
      }
    ])
  })

  it.each([
    ["net.get{host=[a.example.com]}", "SCOPE_KEY_UNKNOWN"],
    ["net.get", "GRANT_INERT"],
    ["fs.read", "GRANT_INERT"],
    ["fs.read{in=/w,paths=[../x]}", "PATH_INVALID"]
  ])("%s is %s", (spec, code) => {
    expect(codes(requiring(spec))).toEqual([code])
  })
})

describe("what MCP servers may ask for", () => {
  it("is a risk for each, with what is at stake", () => {
    const server = { name: "github", file: "/ws/bailiwick.yaml", line: 2, requires: [], pinned: 1 }
    const asking = (allows: Doctor.Server["allows"]) =>
      found("mcp servers", { workspace: { ...workspace(), servers: [{ ...server, allows }] } })
    expect(asking(["roots", "sampling"])).toMatchObject([
      {
        severity: "warning",
        code: "SERVER_MAY_ASK",
        line: 2,
        detail: expect.stringContaining("roots (low)")
      },
      { code: "SERVER_MAY_ASK", detail: expect.stringContaining("sampling (high)") }
    ])
    expect(asking([])).toEqual([])
    expect(asking(undefined)).toEqual([])
  })
})

describe("names of MCP servers", () => {
  const named = (...names: ReadonlyArray<string>) =>
    found("mcp servers", {
      workspace: {
        ...workspace(),
        servers: names.map((name, at) => ({ name, file: "/ws/bailiwick.yaml", line: at + 2, requires: [] }))
      }
    })

  it.each(["a__b", "a_", "a b", "", "\u0430", "x".repeat(65)])("%s is none", (name) => {
    expect(named("github", name)).toMatchObject([
      { subject: `mcp_servers.${name}`, code: "NAME_INVALID", file: "/ws/bailiwick.yaml", line: 3 }
    ])
  })

  it("one that two have is told at the second", () => {
    expect(named("github", "git_hub", "github")).toMatchObject([
      {
        subject: "mcp_servers.github",
        code: "KEY_DUPLICATE",
        line: 4,
        detail: "two servers are named 'github', first in line 2"
      }
    ])
  })
})

describe("grants of provider tools", () => {
  it.each([
    ["provider.code_exekution", "did you mean 'provider.code_execution'?"],
    ["provider.zzz", "take it out"],
    ["provider.web_search", "write 'net.get' with the hosts that it may use"],
    ["provider.bash", "grant what its handler declares"]
  ])("%s opens nothing, and it is said why", (grant, remedy) => {
    expect(ofAgent("providers", grant)).toMatchObject([
      { subject: "agents/scout", code: "PROVIDER_OPENS_NOTHING", line: 4, remedy }
    ])
  })

  it.each(ProviderTool.known.flatMap(({ name, scoped }) => (scoped ? [] : [[name]])))(
    "provider.%s opens a tool",
    (name) => {
      expect(ofAgent("providers", `provider.${name}`)).toEqual([])
    }
  )

  it("one that a host knows of its own is none of them", () => {
    const own = ProviderTool.make({ provider: "acme", name: "oracle" })
    expect(found("providers", { agents: [holding("provider.oracle")], providerTools: [own] })).toEqual([])
  })

  it("nobody else is looked at", () => {
    expect(
      found("providers", { personalities: [personality("safety: { network: { allow: ['*'] } }")] })
    ).toEqual([])
  })
})

describe("the pattern *", () => {
  it.each([
    "proc.exec: { in: /w, patterns: ['*'] }",
    "proc.exec: { in: /w, cmds: [rg], patterns: ['*'] }",
    "proc.exec: { patterns: ['*'] }"
  ])("%s is not told to add patterns", (grant) => {
    const [finding] = ofAgent("escalation", grant).filter(({ code }) => code === "COMMANDS_UNRESTRICTED")
    expect(finding?.remedy).toContain("in the place of the pattern")
    expect(finding?.remedy).not.toMatch(/\badd\b/)
  })

  it("a proc.exec without either still is", () => {
    expect(ofAgent("escalation", "proc.exec: { in: /w }")).toMatchObject([
      { remedy: "add cmds or patterns, as in 'proc.exec{cmds=[rg,jq]}'" }
    ])
  })
})
