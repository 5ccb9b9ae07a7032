/** What an operator is told of the least that an agent would have needed, and of what it was refused all the time. */
import { Manifest, Registry, Tool } from "bailiwick"
import { Effect, Schema } from "effect"
import { describe, expect, it } from "vitest"
import * as Grant from "../../src/policy/grant/Grant.js"
import { at, call, decision, gap, LOG, lines, refusal } from "./auditLog.js"
import { record, SCOUT } from "./scout.js"
import { Folder } from "./workspace.js"

const CAPABILITIES = [
  "capabilities:",
  "  # what it fetches",
  '  - net.get: { hosts: ["*.github.com"] } # releases',
  "  - fs.read: { in: /work }",
  "  - proc.exec: { in: /work, cmds: [git, npm] }",
  "  - storage.use: { scopes: [session] }",
  "  - agent.grant"
]

const read = (path: string, seconds = 0) =>
  decision({
    time: at(seconds),
    capability: "files.read",
    tool: "read_file",
    asked: `read ${path}`,
    scope: "/work/"
  })

const usual = [
  decision(),
  decision({ time: at(10), asked: "HEAD https://api.github.com/zen" }),
  read("/work/docs/a.md", 20),
  decision({
    time: at(30),
    capability: "process.exec",
    tool: "run_command",
    asked: "exec git with 2 arguments in /work/site",
    scope: "git:* in /work/"
  }),
  decision({
    time: at(31),
    capability: "storage.use",
    tool: "kv_get",
    asked: "storage session",
    scope: "session"
  }),
  call({ time: at(32) })
]

const folderWith = (
  entries: ReadonlyArray<object | string>,
  front: ReadonlyArray<string> = CAPABILITIES
): Folder => new Folder({ "bailiwick.yaml": "", [SCOUT]: record(...front), [LOG]: lines(entries) })

const suggest = async (folder: Folder, ...args: ReadonlyArray<string>) => {
  const { code, stderr, stdout } = await folder.bailiwick(["suggest", "--agent", "scout", "--json", ...args])
  return { code, stderr, ...JSON.parse(stdout) }
}

describe("what could be taken away", () => {
  it("is what was never used, and what was used in part, with how often and when last", async () => {
    const folder = folderWith(usual)
    const said = await suggest(folder)
    expect(said).toMatchObject({
      code: 0,
      stderr: "",
      agent: "agents/scout",
      outcome: "suggested",
      siblings: 3,
      decisions: 5,
      counted: 5,
      leftOut: 0,
      unused: ["agent.grant"],
      refused: []
    })
    expect(said.narrower).toEqual([
      {
        from: "net.get{hosts=[*.github.com]}",
        to: "net.get{hosts=[api.github.com]}",
        seen: 2,
        last: at(10),
        file: folder.path(SCOUT),
        line: 7
      },
      {
        from: "fs.read{in=/work}",
        to: "fs.read{in=/work/docs/a.md}",
        seen: 1,
        last: at(20),
        file: folder.path(SCOUT),
        line: 8
      },
      {
        from: "proc.exec{in=/work,cmds=[git,npm]}",
        to: "proc.exec{in=/work/site,cmds=[git]}",
        seen: 1,
        last: at(30),
        file: folder.path(SCOUT),
        line: 9
      }
    ])
    for (const { from, to } of said.narrower) {
      expect([from, to].map((spec) => Grant.parse(spec)._tag)).toEqual(["Right", "Right"])
    }
  })

  it("is a diff of the record for people, with what it stands on", async () => {
    const folder = folderWith(usual)
    const { code, stderr, stdout } = await folder.bailiwick(["suggest", "--agent", "scout"])
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" })
    expect(stdout).toContain("5 decisions in 1 call from 2026-01-30 10:00 UTC to 2026-01-30 10:00 UTC")
    expect(stdout).toContain("siblings: 3")
    expect(stdout).toContain('  # what it fetches\n-  - net.get: { hosts: ["*.github.com"] } # releases\n')
    expect(stdout).toContain("+  - net.get: { hosts: [api.github.com] } # releases\n")
    expect(stdout).toContain("-  - agent.grant\n")
    expect(stdout).toMatch(/^unused {2}agent\.grant {2}line 11, never used/m)
    expect(stdout).toContain("nothing was written; --apply writes it, after a question\n")
  })

  it("says what no log tells: commands touch files by themselves", async () => {
    const { lines: all } = await suggest(folderWith(usual))
    const doubts = all.filter((line: { doubt: string | null }) => line.doubt !== null)
    expect(doubts.map(({ written }: { written: string }) => written)).toEqual(["fs.read{in=/work}"])
    expect(doubts[0].doubt).toContain("1 command ran")
  })

  it("is nothing where every line is needed as it is", async () => {
    const folder = folderWith([decision()], ["capabilities: ['net.get{hosts=[api.github.com]}']"])
    expect(await suggest(folder)).toMatchObject({ outcome: "unchanged", unused: [], narrower: [], diff: "" })
    const { stdout } = await folder.bailiwick(["suggest", "--agent", "scout"])
    expect(stdout).toContain("every line is needed as it is")
  })

  it("keeps what a search may have looked at, and what runs at the provider", async () => {
    const front = [
      "capabilities: [records.read, provider.code_execution, 'attachments.read{kinds=[image]}', 'net.get{hosts=[api.github.com]}']"
    ]
    const silent = call({ time: at(5), call: "9", tool: "search_records" })
    const { unused } = await suggest(folderWith([decision(), call(), silent], [...front]))
    expect(unused).toEqual([])
    expect((await suggest(folderWith([...usual, call()], front))).unused).toEqual([])
    // The id of a call that was killed comes again.
    const killed = decision({ call: "9" })
    expect((await suggest(folderWith([killed, decision(), call(), silent], front))).unused).toEqual([])
    const heard = [
      decision({ capability: "storage.use", asked: "storage session", scope: "session" }),
      call()
    ]
    expect(
      (
        await suggest(
          folderWith(heard, ["capabilities: [records.read, provider.x, 'storage.use{scopes=[*]}']"])
        )
      ).unused
    ).toEqual(["records.read"])
  })

  it("says which tools that were called would not be offered any more", async () => {
    const folder = folderWith(
      [
        decision({ tool: "reporter" }),
        call({ tool: "reporter" }),
        call({ tool: "read_file" }),
        call({ tool: "unknown" })
      ],
      ["capabilities: ['net.get{hosts=[api.github.com]}', 'secrets.read{refs=[TOKEN]}', 'fs.read{in=/work}']"]
    )
    const reporter = Tool.make({
      name: "reporter",
      description: "Reports",
      parameters: Schema.Struct({}),
      capabilities: { network: { allowedHosts: ["api.github.com"] }, secrets: ["TOKEN"] },
      execute: () => Effect.void
    })
    const before = await suggest(folder)
    expect(before.notes).toEqual([
      "read_file would not be offered any more: nothing would be held of files.read, which it needs"
    ])
    folder.write("bailiwick.lock.json", Manifest.print(Manifest.of(Registry.make(reporter))))
    expect((await suggest(folder)).notes).toContain(
      "reporter would not be offered any more: nothing would be held of secrets.read, which it needs"
    )
  })

  it("keeps all that an MCP server requires whose tools were called", async () => {
    const files = {
      "bailiwick.yaml":
        "mcp_servers:\n  hub: { url: https://hub.example/mcp, requires: ['net.post{hosts=[hub.example,other.example]}'] }\n",
      [SCOUT]: record("capabilities: ['net.post{hosts=[*]}', 'net.get{hosts=[*]}']"),
      [LOG]: lines([
        decision({ capability: "network.post", asked: "POST https://hub.example/mcp", tool: "mcp__hub__x" }),
        call({ tool: "mcp__hub__x", origin: "mcp:hub" })
      ])
    }
    const said = await suggest(new Folder(files))
    expect(said.unused).toEqual(["net.get{hosts=[*]}"])
    expect(said.narrower.map(({ to }: { to: string }) => to)).toEqual([
      "net.post{hosts=[hub.example,other.example]}"
    ])
    expect(said.notes).toContain("all that the MCP server hub requires stays: its tools were called 1 time")
  })
})

describe("what stands side by side", () => {
  const reads = ["a", "b", "c"].map((name) => read(`/work/docs/${name}`))

  it("is written as the folder when there is enough of it, and that is said", async () => {
    const { generalised, narrower, notes } = await suggest(folderWith(reads))
    expect(narrower).toMatchObject([{ to: "fs.read{in=/work/docs}", seen: 3 }])
    expect(generalised).toEqual([{ capability: "files.read", scope: "/work/docs/", siblings: 3 }])
    expect(notes).toContain("files.read: /work/docs/ stands for the 3 that were used in it (--siblings 3)")
  })

  it("is written as the folder that commands ran in, too", async () => {
    const ran = ["a", "b", "c"].map((name) =>
      decision({
        capability: "process.exec",
        asked: `exec git with 1 argument in /work/${name}`,
        scope: "git:* in /work/"
      })
    )
    const front = ["capabilities: ['proc.exec{in=/,cmds=[git]}']"]
    expect((await suggest(folderWith(ran, front))).narrower).toMatchObject([
      { to: "proc.exec{in=/work,cmds=[git]}", seen: 3 }
    ])
  })

  it.each(["4", "0"])("is named one by one with --siblings %s", async (siblings) => {
    const { generalised, narrower } = await suggest(folderWith(reads), "--siblings", siblings)
    expect(narrower).toMatchObject([{ to: "fs.read{in=/work/docs,paths=[a/,b/,c/]}" }])
    expect(generalised).toEqual([])
  })

  it("is one file each where they are files", async () => {
    const folder = folderWith([], ["capabilities: []"])
    const paths = ["docs/a.md", "docs/b.md"].map((path) => folder.write(path, "x"))
    folder.write(SCOUT, record(`capabilities: ['fs.read{in=${folder.root}}']`))
    folder.write(LOG, lines(paths.map((path) => read(path))))
    const { narrower } = await suggest(folder)
    expect(narrower).toMatchObject([{ to: `fs.read{in=${folder.path("docs")},paths=[a.md,b.md]}`, seen: 2 }])
  })
})

describe("a log that says little", () => {
  it("suggests nothing where it has nothing of the agent, and says so", async () => {
    const folder = folderWith([decision({ agent: "agents/other" })])
    const said = await suggest(folder)
    expect(said).toMatchObject({
      code: 0,
      outcome: "nothing",
      decisions: 0,
      unused: [],
      narrower: [],
      refused: []
    })
    expect(said.reason).toContain("there is no decision for agents/scout in the log")
    const { stdout } = await folder.bailiwick(["suggest", "--agent", "scout"])
    expect(stdout).toContain("so that nothing is suggested")
    expect(stdout).not.toContain("unused")
  })

  it("suggests nothing where there is no log at all", async () => {
    const folder = new Folder({ "bailiwick.yaml": "", [SCOUT]: record(...CAPABILITIES) })
    expect(await suggest(folder)).toMatchObject({ code: 0, outcome: "nothing", begins: null })
  })

  it("names the setting that keeps none", async () => {
    const folder = new Folder({ "bailiwick.yaml": "audit: off\n", [SCOUT]: record(...CAPABILITIES) })
    expect((await suggest(folder)).reason).toBe(
      "there is no decision for agents/scout in the log: 'audit: off' stands in bailiwick.yaml, so that nothing is suggested"
    )
  })

  it("suggests nothing where all was refused, and asks all the same", async () => {
    const folder = folderWith([refusal(), refusal(), refusal()])
    expect(await suggest(folder)).toMatchObject({
      outcome: "nothing",
      decisions: 3,
      unused: [],
      refused: [{ spec: "net.get{hosts=[example.com]}", times: 3 }]
    })
  })

  it("says when it begins later than what was asked for, and what of it is missing", async () => {
    const folder = folderWith([decision({ time: at(600) }), gap({ time: at(700), lost: 2 })])
    const said = await suggest(folder, "--since", "2026-01-01")
    expect(said.begins).toBe(at(600))
    expect(said.notes).toEqual([
      "the log begins 2026-01-30 10:10 UTC, later than what was asked for",
      "2 entries could not be kept, and what they said is not known"
    ])
  })

  it("is read from when on is asked for", async () => {
    const folder = folderWith(usual)
    const said = await suggest(folder, "--since", at(15))
    expect(said).toMatchObject({ since: at(15), begins: at(0), decisions: 3 })
    expect(said.unused).toEqual(["net.get{hosts=[*.github.com]}", "agent.grant"])
    expect(said.notes.slice(1)).toEqual(["line 7 goes: # releases; what it stands at is written anew"])
  })

  it("leaves out what would not be allowed now, and counts it", async () => {
    const folder = folderWith([decision(), decision({ asked: "GET https://gone.example/", revision: "r0" })])
    const said = await suggest(folder)
    expect(said).toMatchObject({ decisions: 2, counted: 1, leftOut: 1 })
    expect(said.notes).toContain("1 decision would not be allowed now, and is left out")
  })

  it("of other machines is read from its files", async () => {
    const folder = folderWith([])
    const one = folder.write("a.jsonl", lines([decision()]))
    const other = folder.write("b.jsonl", lines([decision({ asked: "GET https://raw.github.com/" })]))
    expect((await suggest(folder, one, other)).narrower).toMatchObject([
      { to: "net.get{hosts=[api.github.com,raw.github.com]}", seen: 2 }
    ])
  })
})

describe("what was refused", () => {
  const times = (count: number, over: Parameters<typeof refusal>[0]) =>
    Array.from({ length: count }, (_, n) => refusal({ time: at(n), ...over }))

  it("again and again is a question with its risk, and never advice", async () => {
    const folder = folderWith([
      decision(),
      ...times(4, {}),
      ...times(3, {
        tool: "write_file",
        capability: "files.write",
        asked: "write /etc/cron.d/x",
        code: "PATH_NOT_REACHABLE"
      }),
      ...times(3, { capability: "files.read", asked: "read /data/x", code: "PATH_NOT_REACHABLE" }),
      ...times(5, {
        capability: "process.exec",
        asked: "exec curl with 3 arguments in /work",
        code: "BINARY_NOT_ALLOWED"
      }),
      ...times(2, { asked: "GET https://seldom.example/" }),
      ...times(6, {
        tool: "list_records",
        capability: "records.read",
        asked: "records.read",
        code: "RECORD_NOT_REACHABLE"
      })
    ])
    const { refused, unasked } = await suggest(folder)
    expect(refused.map(({ effect: _, last: __, ...rest }: Record<string, unknown>) => rest)).toEqual([
      { spec: "records.read", times: 6, risk: "low", tools: ["list_records"] },
      { spec: "proc.exec{in=/work,cmds=[curl]}", times: 5, risk: "high", tools: ["web_fetch"] },
      { spec: "net.get{hosts=[example.com]}", times: 4, risk: "medium", tools: ["web_fetch"] },
      { spec: "fs.read{in=/data/x}", times: 3, risk: "medium", tools: ["web_fetch"] }
    ])
    expect(unasked).toEqual({ seldom: 2, secrets: 0, floor: 3, settled: 0, others: 0 })
    const { stdout } = await folder.bailiwick(["suggest", "--agent", "scout"])
    expect(stdout).toContain("Refused again and again. Was any of it meant to be allowed?\n")
    expect(stdout).toContain(
      "high  proc.exec{in=/work,cmds=[curl]}  is it to run commands curl below /work, with any arguments?"
    )
    expect(stdout).not.toMatch(/agents grant/)
  })

  it("is asked about from how often on is said", async () => {
    const folder = folderWith([decision(), ...times(2, {})])
    expect((await suggest(folder)).refused).toEqual([])
    expect((await suggest(folder, "--times", "2")).refused).toMatchObject([{ times: 2 }])
  })

  it("is only counted where nobody could grant it: secrets, the floor, what is allowed by now, what is no request", async () => {
    const folder = folderWith([
      decision(),
      ...times(3, {
        capability: "secrets.read",
        asked: "a secret that is not held",
        code: "SECRET_NOT_DECLARED"
      }),
      ...times(4, { asked: "GET http://169.254.169.254/latest", code: "HOST_NOT_ALLOWED" }),
      ...times(5, { asked: "GET https://api.github.com/", code: "HOST_NOT_ALLOWED" }),
      ...times(6, {
        capability: "toolset",
        asked: "call nonsense",
        code: "UNKNOWN_TOOL",
        reason: "unknown_tool"
      }),
      ...times(7, {
        capability: "agents.grant",
        asked: "agents.grant agents/scout",
        code: "SELF_MODIFICATION"
      }),
      // A personality or the workspace names private addresses, and no grant does.
      ...times(8, {
        capability: "private.connect",
        asked: "connect 127.0.0.1:8080",
        code: "ADDRESS_NOT_ALLOWED"
      })
    ])
    const { refused, unasked } = await suggest(folder)
    expect(refused).toEqual([])
    expect(unasked).toEqual({ seldom: 0, secrets: 3, floor: 4, settled: 5, others: 21 })
  })

  it("outside of the root that no grant of the workspace leaves is not asked about", async () => {
    const folder = folderWith([
      decision(),
      ...times(3, { capability: "files.read", asked: "read /data/x", code: "PATH_NOT_REACHABLE" })
    ])
    folder.write("bailiwick.yaml", "sandbox: /work\n")
    expect(await suggest(folder)).toMatchObject({ refused: [], unasked: { others: 3 } })
  })
})

describe("the command line", () => {
  it.each([
    [["suggest"], "needs to know for whom"],
    [["suggest", "--agent", "scout", "--personality", "p"], "keep one of --agent and --personality"],
    [["suggest", "--agent", "scout", "--yes"], "--yes goes with --apply"],
    [["suggest", "--agent", "scout", "--siblings", "few"], "--siblings takes a number"],
    [["suggest", "--agent", "scout", "--since", "long"], "--since takes how long ago or a time"],
    [["suggest", "--agent", "nobody"], "there is no agent 'nobody'"],
    [["suggest", "--agent", "scout", "nothing.jsonl"], "nothing.jsonl"]
  ])("%j is one sentence", async (args, words) => {
    const { code, stderr, stdout } = await folderWith(usual).bailiwick(args)
    expect({ code, stdout }).toEqual({ code: 2, stdout: "" })
    expect(stderr).toContain(words)
    expect(stderr.trim().split("\n")).toHaveLength(1)
  })
})
