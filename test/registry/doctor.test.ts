/** What the doctor sees of tools, secrets, the machine and the workspace, and how it says it. */
import { Builtin, Grant, type ProcessBackend, Registry, Skill } from "bailiwick"
import { Either } from "effect"
import { describe, expect, it } from "vitest"
import * as Doctor from "../../src/registry/doctor/Doctor.js"
import {
  agent,
  codes,
  examine,
  found,
  holding,
  input,
  keeper,
  personality,
  pilot,
  quiet,
  RECORDS,
  read,
  weather,
  workspace
} from "./doctorInput.js"

const SKILL = "---\nname: notes\ndescription: Keeps notes\nallowed-tools: Read\n---\nRead the notes.\n"

describe("the records", () => {
  it("a directory that is missing is told", () => {
    expect(found("records", { workspace: workspace({ isThere: false }) })).toMatchObject([
      { severity: "warning", subject: "workspace", code: "RECORDS_MISSING", file: RECORDS }
    ])
  })

  it("a record that cannot be read is a failure", () => {
    const broken: Doctor.Unreadable = {
      subject: "agents/x",
      file: `${RECORDS}/agents/x.md`,
      line: 3,
      code: "YAML_INVALID",
      detail: "a tab",
      remedy: "write blanks"
    }
    expect(found("records", { workspace: workspace({ unreadable: [broken] }) })).toEqual([
      { severity: "failure", check: "records", ...broken }
    ])
  })

  it("two ids that differ in the case of letters are told at the second", () => {
    const files = ["agents/Scout", "agents/other", "agents/scout"].map((id) => ({ id, file: `/${id}.md` }))
    expect(found("records", { workspace: workspace({ files }) })).toMatchObject([
      { code: "ID_AMBIGUOUS", subject: "agents/scout", file: "/agents/scout.md" }
    ])
    expect(found("records", { workspace: workspace({ files: files.slice(1) }) })).toEqual([])
  })

  it.each([
    ["agents/boss", "agents/b\u043ess", "look alike"],
    ["agents/bill", "agents/bi1l", "look alike"],
    ["agents/modern", "agents/modem", "look alike"],
    [
      "agents/boss",
      "agents/bo\u200bss",
      "'agents/bo\\u200bss' and 'agents/boss' are one id but for a character that"
    ],
    ["agents/bi", "agents/BI", "are one id but for the case of letters"],
    ["agents/Ibis", "agents/ibis", "are one id but for the case of letters"],
    ["agents/caf\u00e9", "agents/cafe\u0301", "are one id but for the encoding of letters"]
  ])("%s and %s are told", (a, b, words) => {
    const files = [a, b].map((id) => ({ id, file: `/${id}.md` }))
    expect(found("records", { workspace: workspace({ files }) })).toMatchObject([
      { code: "ID_AMBIGUOUS", subject: b, detail: expect.stringContaining(words) }
    ])
  })
})

describe("personalities", () => {
  it("one that cannot be read is a failure with its line, and the others are looked at", () => {
    const { findings, passed } = examine({
      personalities: [
        { name: "broken", file: "/b.yaml", read: read("id: b\nfs_reech: {}") },
        personality("toolset: [web_fetch]")
      ]
    })
    expect(findings).toMatchObject([
      {
        severity: "failure",
        check: "personalities",
        subject: "broken",
        code: "KEY_UNKNOWN",
        line: 2,
        remedy: "write 'fs_reach'"
      },
      { severity: "warning", check: "toolsets", code: "TOOL_LEFT_NOTHING" }
    ])
    expect(passed.map(({ check }) => check)).not.toContain("personalities")
  })

  it("names in a toolset that no tool has are told, with what was probably meant", () => {
    const given = personality(
      "toolset: [web_fetsh, zzz, mcp__gh__list]",
      'safety: { network: { allow: ["*.github.com"] } }'
    )
    expect(found("toolsets", { personalities: [given] })).toMatchObject([
      {
        code: "TOOL_UNKNOWN",
        subject: "p",
        detail: expect.stringContaining("'web_fetsh'"),
        remedy: "write 'web_fetch'"
      },
      { code: "TOOL_UNKNOWN", detail: expect.stringContaining("'zzz'") }
    ])
  })

  it("tools that it names and leaves nothing are told, and those that it leaves something are not", () => {
    const given = personality("toolset: [read_file, web_fetch, kv_get]", "fs_reach: { read: [/data] }")
    expect(found("toolsets", { personalities: [given] })).toMatchObject([
      {
        code: "TOOL_LEFT_NOTHING",
        detail: "the toolset names web_fetch, and leaves it nothing of what it declares (network: *)"
      }
    ])
  })

  it("a tool that it does not name is not asked about", () => {
    expect(found("toolsets", { personalities: [personality("fs_reach: { read: [/data] }")] })).toEqual([])
  })
})

describe("tools", () => {
  const tools: Registry.Registry = Registry.make(weather)

  it("one that no agent and no personality may call is told with what it declares", () => {
    expect(
      found("tools", {
        tools,
        agents: [holding("net.get{hosts=[example.com]}")],
        personalities: [personality("toolset: []", 'safety: { network: { allow: ["*"] } }')]
      })
    ).toMatchObject([
      {
        subject: "weather",
        code: "TOOL_OFFERED_TO_NOBODY",
        detail: expect.stringContaining("network: api.weather.gov")
      }
    ])
  })

  it.each([
    ["an agent", { agents: [holding("net.get{hosts=[*.weather.gov]}")] }],
    ["a personality", { personalities: [personality('safety: { network: { allow: ["api.weather.gov"] } }')] }]
  ])("one that %s may call is not", (_who, given) => {
    expect(found("tools", { tools, ...given })).toEqual([])
  })

  it("one that the last of many agents may call is not, and one that they may only together is", () => {
    const crowd = Array.from({ length: 40 }, (_, at) => agent([], {}, `agents/a${at}`))
    const last = holding("net.get{hosts=[api.weather.gov]}")
    expect(found("tools", { tools, agents: [...crowd, last] })).toEqual([])
    const both: Registry.Registry = Registry.make(pilot)
    const reading = agent(["capabilities: ['fs.read{in=/charts}']"], {}, "agents/reader")
    expect(codes(found("tools", { tools: both, agents: [...crowd, reading, last] }))).toEqual([
      "TOOL_OFFERED_TO_NOBODY"
    ])
    const one = holding("net.get{hosts=[api.weather.gov]}", "fs.read{in=/charts}")
    expect(found("tools", { tools: both, agents: [...crowd, one] })).toEqual([])
  })

  it("one that comes along is not missed, only named", () => {
    const given = { tools, bundled: new Set(["weather"]), agents: [holding("records.read")] }
    expect(found("tools", given)).toEqual([])
    expect(examine(given).passed).toContainEqual({
      check: "tools",
      detail: "of 1 tool nobody may call weather"
    })
  })

  it("where nobody is, nobody is missed", () => {
    expect(found("tools", { tools })).toEqual([])
  })
})

describe("secrets", () => {
  const tools: Registry.Registry = Registry.make(keeper)
  const agents = [holding("records.read")]
  const personalities = [personality("secrets:", "  allow: [OTHER_KEY, providers/x/*]")]

  it("those that a tool declares or a personality allows and that no backend has are named", () => {
    expect(found("secrets", { tools, agents, personalities, hasSecret: () => false })).toMatchObject([
      {
        subject: "keeper",
        code: "SECRET_MISSING",
        detail: expect.stringContaining("declares the secret WEATHER_KEY")
      },
      {
        subject: "p",
        code: "SECRET_MISSING",
        line: 3,
        detail: expect.stringContaining("allows the secret OTHER_KEY")
      }
    ])
    expect(Doctor.secretRefs({ tools, personalities })).toEqual(["WEATHER_KEY", "OTHER_KEY"])
  })

  it("those that are there are not, and without a backend to ask nothing is said", () => {
    const there = examine({ tools, agents, personalities, hasSecret: () => true })
    expect(there.passed).toContainEqual({ check: "secrets", detail: "2 secrets, all of them there" })
    const unasked = examine({ tools, agents, personalities })
    expect([...unasked.findings, ...unasked.passed].filter(({ check }) => check === "secrets")).toEqual([])
  })

  it("a backend that fails is a failure", () => {
    expect(found("secrets", { secretsTrouble: "the file of variables cannot be read" })).toMatchObject([
      { severity: "failure", code: "SECRETS_FAILED" }
    ])
  })
})

describe("the sandbox", () => {
  const runner = holding("proc.exec: { in: /w, cmds: [rg] }")
  const quiet = agent([], {}, "agents/quiet")
  const git = ["process: { allow: [git] }", "fs_reach: { read: [/w] }"]
  const unheld = (
    kind: ProcessBackend.Unheld,
    why = "bwrap is not installed",
    platform = "linux"
  ): Doctor.Platform => ({
    platform,
    holding: { held: false, isExpected: kind !== "unsupported", kind, why, remedy: "do this" }
  })

  it("Q26: on Linux without bwrap it fails, with the commands that install it", () => {
    const [finding] = found("sandbox", { platform: unheld("not_installed") })
    expect(finding).toMatchObject({
      severity: "failure",
      subject: "platform",
      code: "SANDBOX_MISSING",
      detail: "nothing holds child processes here: bwrap is not installed"
    })
    for (const command of ["apt install bubblewrap", "dnf install bubblewrap", "pacman -S bubblewrap"]) {
      expect(finding!.remedy).toContain(command)
    }
  })

  it("Q26: on macOS without sandbox-exec it fails", () => {
    const platform = unheld("not_installed", "/usr/bin/sandbox-exec is not there", "darwin")
    expect(found("sandbox", { platform })).toMatchObject([
      {
        severity: "failure",
        code: "SANDBOX_MISSING",
        detail: expect.stringContaining("/usr/bin/sandbox-exec is not there"),
        remedy: "do this"
      }
    ])
  })

  it.each(["too_old", "setuid", "not_trusted", "forbidden", "in_container"] as const)(
    "where it is there and cannot be used it fails, with what the layer says: %s",
    (kind) => {
      expect(found("sandbox", { platform: unheld(kind, `it is ${kind}`) })).toMatchObject([
        {
          severity: "failure",
          code: "SANDBOX_UNUSABLE",
          detail: `nothing holds child processes here: it is ${kind}`,
          remedy: "do this"
        }
      ])
    }
  )

  it("names what programs that were killed left to be cleared up, and what to do about each", () => {
    const leftovers = (["due", "foreign", "unknown", "unusable"] as const).map((kind) => ({
      file: `/state/quarantine.journal/${kind}`,
      kind
    }))
    const held = { platform: "linux", holding: { held: true } } as const
    expect(found("sandbox", { platform: held, leftovers })).toMatchObject([
      { severity: "failure", code: "SWEEP_DUE", file: "/state/quarantine.journal/unusable" },
      {
        severity: "warning",
        file: "/state/quarantine.journal/due",
        remedy: expect.stringContaining("run a command")
      },
      { severity: "warning", file: "/state/quarantine.journal/foreign" },
      {
        severity: "warning",
        file: "/state/quarantine.journal/unknown",
        remedy: expect.stringContaining("delete")
      }
    ])
    expect(found("sandbox", { platform: held, leftovers: [] })).toEqual([])
  })

  it.each(["win32", "freebsd"])("Q27: on %s it warns that proc.* runs unsandboxed", (platform) => {
    for (const given of [{ platform }, unheld("unsupported", "there is none", platform)]) {
      expect(found("sandbox", { platform: given, agents: [runner], sandbox: "off" })).toMatchObject([
        {
          severity: "warning",
          code: "SANDBOX_UNSUPPORTED",
          detail: expect.stringContaining("proc.* runs unsandboxed")
        }
      ])
    }
  })

  it("where something holds children, whoever has it off is named", () => {
    expect(found("sandbox", { agents: [runner, quiet], sandbox: "off" })).toMatchObject([
      {
        severity: "warning",
        code: "CHILDREN_NOT_HELD",
        detail:
          "commands of agents/scout are not held by the kernel: 'sandbox: off' is written, and they touch whatever the user of this program may"
      }
    ])
    const off = personality(...git, "sandbox: off")
    expect(codes(found("sandbox", { personalities: [off] }))).toEqual(["CHILDREN_NOT_HELD"])
    expect(found("sandbox", { personalities: [personality("sandbox: off")] })).toEqual([])
  })

  it("where nothing does, whoever only prefers it is named beside the failure", () => {
    const preferring = { platform: unheld("setuid", "bwrap is setuid"), agents: [runner] }
    const findings = found("sandbox", {
      ...preferring,
      sandbox: { mode: "preferred", limits: { seconds: 1 } }
    })
    expect(codes(findings)).toEqual(["SANDBOX_UNUSABLE", "CHILDREN_NOT_HELD"])
    expect(findings[1]!.detail).toBe(
      "commands of agents/scout are not held by the kernel: it is only preferred, and bwrap is setuid"
    )
    expect(codes(found("sandbox", preferring))).toEqual(["SANDBOX_UNUSABLE"])
  })

  it("where something holds children, there is nothing to say of those who must be held", () => {
    for (const sandbox of [undefined, "required", "preferred"] as const) {
      const report = examine({ agents: [runner], personalities: [personality(...git)], sandbox })
      expect(report.passed).toContainEqual({ check: "sandbox", detail: "bwrap 0.8.0 holds child processes" })
    }
  })

  it("where nobody asked the machine, nothing is said of it", () => {
    const report = examine({ platform: { platform: "linux" }, agents: [runner] })
    expect([...report.findings, ...report.passed].filter(({ check }) => check === "sandbox")).toEqual([])
  })
})

describe("the report", () => {
  const unreadable = (file: string, line: number): Doctor.Unreadable => ({
    subject: "x",
    file,
    line,
    code: "YAML_INVALID",
    detail: "odd",
    remedy: "mend it"
  })

  it("has failures first, then what is in one file from top to bottom", () => {
    const { findings } = examine({
      agents: [
        agent(["capabilities: [net.get, records.reed]"], {}, "agents/z"),
        agent(["capabilities:", "  - fs.write", "  - records.reed", "  - net.get"], {}, "agents/a")
      ],
      workspace: workspace({
        unreadable: [unreadable("/y.md", 2), unreadable("/x.md", 9), unreadable("/x.md", 3)]
      })
    })
    expect(
      findings.map(({ file, line, severity }) => `${severity} ${file?.split("/").at(-1)}:${line}`)
    ).toEqual([
      "failure x.md:3",
      "failure x.md:9",
      "failure y.md:2",
      "warning a.md:4",
      "warning a.md:5",
      "warning a.md:6",
      "warning z.md:3",
      "warning z.md:3"
    ])
  })

  it("Q30: the summary counts what passed, and names failures and warnings only where there are any", () => {
    const clean = examine({ agents: [holding("records.read")] })
    expect(Doctor.summary(clean)).toBe(`${clean.passed.length} passed`)
    const report = examine({
      agents: [holding("records.reed")],
      workspace: workspace({ unreadable: [unreadable("/x.md", 1)] })
    })
    expect(Doctor.summary(report)).toBe(`${report.passed.length} passed, 1 failed, 1 warning`)
  })

  it("says of every check at most one of both: it passed, or it found something", () => {
    const report = examine({ agents: [holding("records.reed", "net.get")] })
    const withFindings = new Set(report.findings.map(({ check }) => check))
    expect([...withFindings]).toEqual(["grants", "inert grants"])
    expect(report.passed.map(({ check }) => check)).toEqual([
      "records",
      "moot grants",
      "escalation",
      "floor",
      "tools",
      "sandbox"
    ])
  })

  it("without a workspace it is about the machine alone", () => {
    const report = Doctor.examine(input({ workspace: undefined }))
    expect(report).toEqual({
      findings: [],
      passed: [
        {
          check: "sandbox",
          detail: "bwrap 0.8.0 holds child processes"
        }
      ]
    })
  })

  it("every check has its turn, and finds nothing in a workspace that is in order", () => {
    const report = examine({
      agents: [holding("records.read", "net.get{hosts=[api.github.com]}", "provider.code_execution")],
      workspace: {
        ...workspace(),
        skills: { all: [Skill.parse({ file: "/s/notes.md", id: "notes", text: SKILL })], ignored: [] },
        servers: [{ name: "a", file: "/b.yaml", requires: [{ line: 1, grant: Grant.parse("records.read") }] }]
      },
      personalities: [
        personality(
          "toolset: [web_fetch]",
          "safety: { network: { allow: [api.github.com] } }",
          "secrets: { allow: [KEY] }"
        )
      ],
      hasSecret: () => true,
      storage: { where: "PostgreSQL" },
      tools: Registry.make(...Builtin.builtins, quiet),
      audit: {
        since: "2026-01-01T00:00:00.000Z",
        entries: 20,
        isCut: false,
        tools: new Map([["quiet", { calls: 20, silent: 20, commands: 0, uses: [] }]])
      }
    })
    expect(report.findings).toEqual([])
    expect(report.passed.map(({ check }) => check)).toEqual([...Doctor.checks])
    expect(Either.isRight(personality().read)).toBe(true)
  })
})
