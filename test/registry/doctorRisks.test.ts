/**
 * What gives more than was meant. The threat: an agent that may write where its own authority is read from, or start
 * a program that may, and so grants itself the rest.
 */
import { describe, expect, it } from "vitest"
import { agent, codes, found, holding, ofAgent, personality, RECORDS, workspace } from "./doctorInput.js"

describe("writing where authority is written", () => {
  it.each([
    "fs.write: { in: /home/u/.ws }",
    "fs.delete: { in: ~/.ws }",
    'fs.write: { in: "~" }',
    "fs.write: { in: ~/.ws/records/agents }",
    'fs.write: { in: /, paths: ["home/*/.ws/**"] }',
    'fs.write: { in: /, paths: ["**/*.md"] }'
  ])("Q14: %s reaches the records directory", (grant) => {
    const [finding] = ofAgent("escalation", grant)
    expect(finding).toMatchObject({
      severity: "warning",
      subject: "agents/scout",
      code: "WRITES_AUTHORITY",
      file: `${RECORDS}/agents/scout.md`,
      line: 4
    })
    expect(finding!.detail).toContain(`the records directory ${RECORDS}`)
  })

  it.each([
    "fs.write: { in: /tmp, paths: [/tmp/scratch/*] }",
    "fs.write: { in: ~/.ws/recordsish }",
    'fs.write: { in: ~/.ws, paths: ["out/**"] }',
    "fs.read: { in: ~/.ws }",
    "fs.write: { paths: [x] }"
  ])("Q13: %s does not", (grant) => {
    expect(ofAgent("escalation", grant)).toEqual([])
  })

  it("Q15: relative paths are those below 'in', wherever the doctor runs", () => {
    const grant = (path: string) => ofAgent("escalation", `fs.write: { in: ~/.ws, paths: ["${path}"] }`)
    expect(codes(grant("records/agents/*"))).toEqual(["WRITES_AUTHORITY"])
    expect(codes(grant("rec*/**"))).toEqual(["WRITES_AUTHORITY"])
    expect(grant("notes/**")).toEqual([])
  })

  it("Q14: a sandbox that covers it counts, and so does that of the workspace", () => {
    const own = agent(['sandbox: "~"', "capabilities: []"])
    expect(codes(found("escalation", { agents: [own] }))).toContain("WRITES_AUTHORITY")
    const hoisted = agent(["capabilities: [fs.write]"], { sandbox: "~/.ws" })
    expect(codes(found("escalation", { agents: [hoisted] }))).toEqual(["WRITES_AUTHORITY"])
    const elsewhere = agent(["capabilities: [fs.write]"], { sandbox: "~/project" })
    expect(found("escalation", { agents: [elsewhere] })).toEqual([])
  })

  it("bailiwick.yaml and the personalities are such places too, and a link to one is one", () => {
    const [file] = ofAgent("escalation", "fs.write: { in: ~/.ws, paths: [bailiwick.yaml] }")
    expect(file!.detail).toContain("covers bailiwick.yaml,")
    const [all] = ofAgent("escalation", "fs.write: { in: ~/.ws/personalities/p }")
    expect(all!.detail).toContain("covers the personalities,")
    const linked = { ...workspace(), real: (path: string) => path.replace("/home/u/.ws", "/data/ws") }
    const agents = [holding("fs.write: { in: /data/ws/records }")]
    expect(codes(found("escalation", { agents, workspace: linked }))).toEqual(["WRITES_AUTHORITY"])
    expect(found("escalation", { agents })).toEqual([])
  })

  it("a directory whose name looks like a pattern is only itself", () => {
    const odd = workspace({ directory: "/data/r*" })
    const at = (directory: string) =>
      found("escalation", { agents: [holding(`fs.write: { in: ${directory} }`)], workspace: odd })
    expect(at("/data/records")).toEqual([])
    expect(codes(at("/data"))).toEqual(["WRITES_AUTHORITY"])
  })

  it("a personality's fs_reach.write is asked the same", () => {
    const reaching = personality("fs_reach:", "  read: [/]", '  write: [/tmp, "~/.ws"]')
    expect(found("escalation", { personalities: [reaching] })).toMatchObject([
      {
        subject: "p",
        code: "WRITES_AUTHORITY",
        line: 4,
        detail: expect.stringContaining("'fs_reach.write: ~/.ws'")
      }
    ])
    expect(found("escalation", { personalities: [personality("fs_reach: { write: [/tmp] }")] })).toEqual([])
  })
})

describe("commands", () => {
  it.each(['proc.exec: { in: "~", cmds: [rg] }', "proc.eval: { in: ~/.ws/records }"])(
    "%s runs over the records directory, unless the kernel holds it",
    (grant) => {
      const unheld = { held: false, isExpected: true, why: "none is there", remedy: "install it" } as const
      for (const given of [
        { sandbox: "off" as const },
        { platform: { platform: "linux", holding: unheld } },
        { platform: { platform: "linux" } }
      ]) {
        const [finding] = found("escalation", { agents: [holding(grant)], ...given })
        expect(finding).toMatchObject({ code: "RUNS_OVER_AUTHORITY", line: 4 })
        expect(finding!.detail).toContain("nothing holds those that the kernel does not")
      }
      expect(ofAgent("escalation", grant)).toEqual([])
    }
  )

  it("one that runs elsewhere does not", () => {
    expect(ofAgent("escalation", "proc.exec: { in: /w, cmds: [rg] }", "proc.eval: { in: /w }")).toEqual([])
  })

  it.each(["proc.exec: { in: /w }", 'proc.exec: { in: /w, patterns: ["*"] }'])(
    "%s is unrestricted",
    (grant) => {
      expect(ofAgent("escalation", grant)).toMatchObject([
        {
          code: "COMMANDS_UNRESTRICTED",
          detail: expect.stringContaining("unrestricted: it allows any command")
        }
      ])
    }
  )

  it("so is one with no in, cmds or patterns, be it inert by now", () => {
    for (const one of [holding("proc.exec"), agent(["capabilities: [proc.exec]"], { sandbox: "/w" })]) {
      expect(found("escalation", { agents: [one] })).toMatchObject([
        { code: "COMMANDS_UNRESTRICTED", detail: expect.stringContaining("no in, cmds or patterns") }
      ])
    }
  })

  it("so is the one that 'sandbox:' stands for", () => {
    expect(found("escalation", { agents: [agent(["sandbox: /w"])] })).toMatchObject([
      { code: "COMMANDS_UNRESTRICTED", line: 3, detail: expect.stringContaining("'sandbox:' stands for") }
    ])
  })

  it("I14: a pattern that leaves the command open is a risk, one that names it is none", () => {
    const patterns = (...all: ReadonlyArray<string>) =>
      ofAgent("escalation", `proc.exec: { in: /w, patterns: ${JSON.stringify(all)} }`)
    expect(patterns("git*", "g?t log", "* --version")).toMatchObject([
      { code: "COMMAND_OPEN", detail: expect.stringContaining("'* --version'") },
      { code: "COMMAND_OPEN", detail: expect.stringContaining("'g?t log'") },
      { code: "COMMAND_OPEN", detail: expect.stringContaining("'git*'") }
    ])
    expect(patterns("git:*", "git log *", "npm test")).toEqual([])
    const loose = personality('process: { allow: ["git*"] }')
    expect(codes(found("escalation", { personalities: [loose] }))).toEqual(["COMMAND_OPEN"])
  })
})

describe("hosts and agents", () => {
  it.each(["*.com", "*.co.uk", "*.github.io", "*.internal"])("%s is a whole suffix", (host) => {
    expect(ofAgent("escalation", `net.get: { hosts: ["${host}"] }`)).toMatchObject([
      { code: "HOSTS_OF_ANYBODY", detail: expect.stringContaining(`'${host}'`) }
    ])
  })

  it('a domain is none, and neither is "*", which says what it is', () => {
    expect(ofAgent("escalation", 'net.get: { hosts: ["*.github.com", com, "*"] }')).toEqual([])
    expect(ofAgent("escalation", 'net.get: { hosts: ["*.github.com"] }')).toEqual([])
  })

  it("a bare agent.grant passes on to any agent, one with an id does not", () => {
    expect(codes(ofAgent("escalation", "agent.grant"))).toEqual(["GRANTS_TO_ANYBODY"])
    expect(ofAgent("escalation", "agent.grant: { id: agents/helper }", "agent.update")).toEqual([])
    const granting = personality("grants: [agent.grant]")
    expect(codes(found("escalation", { personalities: [granting] }))).toEqual(["GRANTS_TO_ANYBODY"])
  })
})

describe("personalities that are wide open", () => {
  const wide = (...lines: ReadonlyArray<string>) =>
    found("wide open", { personalities: [personality(...lines)] })

  it.each([
    ['safety: { network: { allow: ["*"] } }', "every host"],
    ['fs_reach: { read: ["/"] }', "every file to read"],
    ['fs_reach: { write: ["/"] }', "every file to write"],
    ['process: { allow: ["*"] }', "every command"]
  ])("%s leaves open %s", (line, what) => {
    expect(wide(line)).toMatchObject([
      { code: "WIDE_OPEN", subject: "p", line: 2, detail: `it leaves wide open: ${what}` }
    ])
  })

  it("all of them together are everything", () => {
    expect(
      wide(
        'safety: { network: { allow: ["*"] } }',
        "fs_reach: { read: [/], write: [/] }",
        'process: { allow: ["*"] }'
      )
    ).toMatchObject([
      {
        code: "ALLOWS_EVERYTHING",
        detail: "it allows everything: every host, every file to read, every file to write, every command"
      }
    ])
  })

  it("one that names what it is for is not", () => {
    expect(
      wide(
        'safety: { network: { allow: ["*.github.com"] } }',
        "fs_reach: { read: [/data], write: [/tmp] }",
        "process: { allow: [git] }"
      )
    ).toEqual([])
  })
})
