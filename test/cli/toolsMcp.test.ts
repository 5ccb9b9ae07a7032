/** `tools mcp`: servers are added, looked at and taken out; the rest of the file keeps its bytes. */
import { chmodSync, readFileSync } from "node:fs"
import { describe, expect, it } from "vitest"
import { canHold } from "../layers/process/harness.js"
import { FakeTty, keys, plain } from "./fakeTty.js"
import { Folder, type Options } from "./workspace.js"

const YAML = "# ours\nprivate_hosts: [] # none\n"

const workspace = (yaml = YAML, files: Readonly<Record<string, string>> = {}): Folder =>
  new Folder({ "bailiwick.yaml": yaml, ...files })

const yamlOf = (folder: Folder): string => readFileSync(folder.path("bailiwick.yaml"), "utf8")

const mcp = (folder: Folder, args: ReadonlyArray<string>, options?: Options) =>
  folder.bailiwick(["tools", "mcp", ...args], options)

const ADD = [
  "add",
  "gh",
  "--requires",
  "net.get{hosts=[api.github.com]}",
  "--env",
  "GH_TOKEN",
  "--code",
  "lib"
]

const COMMAND = ["--", "node", "s.js", "--port", "1"]

const ADDED = `${YAML}mcp_servers:
  gh:
    command: node
    args: [s.js, "--port", "1"]
    env: [GH_TOKEN]
    code: [lib]
    requires:
      - net.get: { hosts: [api.github.com] }
`

describe("tools mcp add", () => {
  it("writes the server below all that was there, and says what to do next", async () => {
    const folder = workspace()
    const outcome = await mcp(folder, [...ADD, "--yes", ...COMMAND])
    expect(outcome).toMatchObject({ code: 0, stderr: "" })
    expect(outcome.stdout).toContain("✓ Added gh")
    expect(outcome.stdout).toContain("bailiwick manifest")
    expect(outcome.stdout).toMatch(/high {2}secrets\.read\{refs=\[GH_TOKEN\]\}/)
    expect(yamlOf(folder)).toBe(ADDED)
  })

  it("writes an address with its token", async () => {
    const folder = workspace()
    const args = ["add", "hub", "--url", "https://mcp.example.com/mcp", "--token", "HUB", "--yes"]
    expect(await mcp(folder, [...args, "--requires", "net.post{hosts=[mcp.example.com]}"])).toMatchObject({
      code: 0
    })
    expect(yamlOf(folder)).toContain(
      '  hub:\n    url: "https://mcp.example.com/mcp"\n    token: HUB\n    requires:\n      - net.post: { hosts: [mcp.example.com] }\n'
    )
  })

  it("writes what the server may ask for, and shows what is at stake", async () => {
    const folder = workspace()
    const allows = ["--allows", "elicitation", "--allows", "roots", "--allows", "elicitation"]
    const tty = new FakeTty(["yes", keys.enter])
    const outcome = await mcp(folder, [...ADD, ...allows, ...COMMAND], { tty })
    expect(outcome).toMatchObject({ code: 0 })
    expect(outcome.stdout).toMatch(/medium {2}may ask for elicitation {2}it puts questions/)
    expect(plain(tty.shown)).toContain("may ask for elicitation")
    expect(yamlOf(folder)).toContain("    code: [lib]\n    allows: [roots, elicitation]\n    requires:\n")
    const listed = await mcp(folder, ["list"])
    expect(listed.stdout).toContain("may ask for roots, elicitation")
    const [shown, one] = [await mcp(folder, ["show", "gh"]), await mcp(folder, ["show", "gh", "--json"])]
    expect(shown.stdout).toMatch(/low {2}may ask for roots/)
    expect(JSON.parse(one.stdout).allows).toMatchObject([
      { kind: "roots", risk: "low" },
      { kind: "elicitation", risk: "medium" }
    ])
  })

  it("shows what would change with --dry-run, as JSON too, and changes nothing", async () => {
    const folder = workspace()
    const shown = await mcp(folder, [...ADD, "--dry-run", ...COMMAND])
    expect(shown).toMatchObject({ code: 0, stderr: "" })
    expect(shown.stdout).toContain("+    command: node")
    const { diff, ...document } = JSON.parse(
      (await mcp(folder, [...ADD, "--dry-run", "--json", ...COMMAND])).stdout
    )
    expect(document).toMatchObject({
      command: "tools mcp add",
      outcome: "planned",
      server: "gh",
      requires: [{ grant: "secrets.read{refs=[GH_TOKEN]}", risk: "high" }, { risk: "medium" }],
      reason: null
    })
    expect(diff).toContain("+mcp_servers:")
    expect(yamlOf(folder)).toBe(YAML)
  })

  it("asks, with what is at stake, and takes only a yes", async () => {
    for (const [answer, code] of [
      ["n", 1],
      ["yes", 0]
    ] as const) {
      const folder = workspace()
      const tty = new FakeTty([answer, keys.enter])
      expect(await mcp(folder, [...ADD, ...COMMAND], { tty })).toMatchObject({ code })
      expect(plain(tty.shown)).toContain("an agent must hold to use it")
      expect(plain(tty.shown)).toContain("net.get{hosts=[api.github.com]}")
      expect(yamlOf(folder)).toBe(code === 0 ? ADDED : YAML)
    }
  })

  it("writes nothing where nobody can be asked", async () => {
    const folder = workspace()
    expect(await mcp(folder, [...ADD, ...COMMAND])).toMatchObject({
      code: 1,
      stdout: "",
      stderr: expect.stringContaining("add --yes")
    })
    expect(yamlOf(folder)).toBe(YAML)
  })

  it.each([
    [["a__b", ...COMMAND], "is not the name of an MCP server"],
    [["gh"], "needs the command that starts it"],
    [["gh", "--url", "https://a.example.com", ...COMMAND], "give one of them"],
    [["gh", "--url", "https://a.example.com", "--env", "X"], "--token"],
    [["gh", "--token", "X", ...COMMAND], "--env"],
    [["gh", "--allows", "samples", ...COMMAND], "write one of roots, sampling, elicitation"],
    [["gh", "--requires", "net.gte", ...COMMAND], "did you mean 'net.get'?"],
    [["gh", "--requires", "net.get", ...COMMAND], "nobody could use the server"],
    [["gh", "--requires", "fs.read{in=../x}", ...COMMAND], "Invalid capability spec"],
    [["gh", "--requires", "records.read", "--env", "LD_PRELOAD", ...COMMAND], "REF_INVALID"],
    [["gh", "--requires", "records.read", "--url", "ftp://x"], "VALUE_INVALID"]
  ])("refuses %j", async (args, why) => {
    const folder = workspace()
    const [name = "", ...rest] = args
    const outcome = await mcp(folder, ["add", name, "--yes", ...rest])
    expect(outcome).toMatchObject({ code: 1, stdout: "", stderr: expect.stringContaining(why) })
    expect(yamlOf(folder)).toBe(YAML)
  })

  it("refuses a name that is taken, or that looks like one that is", async () => {
    const folder = workspace(ADDED)
    for (const name of ["gh", "GH"]) {
      const outcome = await mcp(folder, ["add", name, "--yes", "--json", "--", "x"])
      expect(outcome).toMatchObject({ code: 1, stderr: expect.stringContaining("choose another name") })
      expect(JSON.parse(outcome.stdout)).toMatchObject({ outcome: "refused", server: name })
    }
    expect(yamlOf(folder)).toBe(ADDED)
  })

  it("leaves a file alone that changes while somebody thinks, or that may not be written", async () => {
    const folder = workspace()
    const tty = new FakeTty(["yes", keys.enter])
    const { open } = tty
    const meddling = Object.assign(tty, {
      open: () => {
        folder.write("bailiwick.yaml", "# theirs\n")
        return open()
      }
    })
    expect(await mcp(folder, [...ADD, ...COMMAND], { tty: meddling })).toMatchObject({
      code: 1,
      stderr: expect.stringContaining("somebody else changed it meanwhile")
    })
    expect(yamlOf(folder)).toBe("# theirs\n")
    chmodSync(folder.path("bailiwick.yaml"), 0o444)
    expect(await mcp(folder, [...ADD, "--yes", ...COMMAND])).toMatchObject({ code: 2 })
    expect(yamlOf(folder)).toBe("# theirs\n")
  })

  it("needs a workspace", async () => {
    expect(await mcp(new Folder(), [...ADD, "--yes", ...COMMAND])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("there is no workspace here")
    })
  })
})

/** Asks a host as it starts, by the proxy that held children are given, and then speaks. */
const ASKING = `import { request } from "node:http"
import { createInterface } from "node:readline"
const proxy = new URL(process.env.http_proxy ?? "http://127.0.0.1:9")
const asked = request({ host: proxy.hostname, port: proxy.port, path: "http://api.example.com/x", headers: { host: "api.example.com" } }, (answer) => answer.resume())
asked.on("error", () => {})
asked.end()
const serve = async () => {
  for await (const line of createInterface({ input: process.stdin })) {
    const { id, method, params } = JSON.parse(line)
    if (id === undefined) continue
    const result = method === "initialize" ? { protocolVersion: params.protocolVersion, capabilities: { tools: {} }, serverInfo: { name: "a", version: "1" } } : { tools: [] }
    process.stdout.write(JSON.stringify({ jsonrpc: "2.0", id, result }) + "\\n")
  }
}
asked.on("close", serve)
`

describe.runIf(canHold)("tools mcp add without --requires", () => {
  const asking = () => workspace(YAML, { "asking.mjs": ASKING })
  const WORDS = ["add", "asks", "--", "node", "asking.mjs"]

  it("proposes the hosts that it was refused, and chooses none of them beforehand", async () => {
    const folder = asking()
    const tty = new FakeTty([keys.enter, "y", keys.enter], { columns: 120 })
    expect(await mcp(folder, WORDS, { tty })).toMatchObject({ code: 0 })
    expect(plain(tty.shown)).toContain("api.example.com")
    expect(plain(tty.shown)).toContain("cannot be seen from outside")
    expect(yamlOf(folder)).toContain("    requires: []\n")
  })

  it("writes those that are picked", async () => {
    const folder = asking()
    const tty = new FakeTty(["api.example.com", keys.enter, keys.enter, "y", keys.enter], { columns: 120 })
    expect(await mcp(folder, WORDS, { tty })).toMatchObject({ code: 0 })
    expect(yamlOf(folder)).toContain("      - net.get: { hosts: [api.example.com] }\n")
  })

  it("names them where nobody can be asked", async () => {
    const folder = asking()
    const outcome = await mcp(folder, ["add", "asks", "--json", "--", "node", "asking.mjs"])
    expect(outcome).toMatchObject({ code: 1, stderr: expect.stringContaining("--requires") })
    expect(JSON.parse(outcome.stdout)).toMatchObject({
      outcome: "refused",
      proposed: ["net.get{hosts=[api.example.com]}"]
    })
    expect(yamlOf(folder)).toBe(YAML)
  })
})

describe.runIf(canHold)("tools mcp add of a server that fails when it is started", () => {
  const failing = () =>
    workspace(YAML, { "failing.mjs": 'process.stderr.write("no key is set\\n")\nprocess.exit(3)\n' })
  const WORDS = ["add", "fails", "--", "node", "failing.mjs"]
  const WHY = /started with nothing held, it failed: .*ended with 3; the server says: 'no key is set'/

  it("says why where nobody can be asked", async () => {
    const folder = failing()
    expect(await mcp(folder, WORDS)).toMatchObject({ code: 1, stderr: expect.stringMatching(WHY) })
    const { stdout } = await mcp(folder, ["add", "fails", "--json", ...WORDS.slice(2)])
    expect(JSON.parse(stdout)).toMatchObject({
      outcome: "refused",
      failed: expect.stringContaining("ended with 3")
    })
  })

  it("says why with --dry-run, and at the terminal", async () => {
    const folder = failing()
    const planned = await mcp(folder, ["add", "fails", "--dry-run", ...WORDS.slice(2)])
    expect(planned).toMatchObject({ code: 0, stderr: expect.stringMatching(WHY) })
    const tty = new FakeTty([keys.escape], { columns: 200 })
    expect(await mcp(folder, WORDS, { tty })).toMatchObject({ code: 1 })
    expect(plain(tty.shown)).toMatch(WHY)
    expect(yamlOf(folder)).toBe(YAML)
  })
})

const AGENTS = {
  "records/agents/wide.md":
    "---\nclass: agent\ncapabilities:\n  - net.get: { hosts: ['*.github.com'] }\n  - secrets.read: { refs: [GH_TOKEN] }\n---\n",
  "records/agents/narrow.md": "---\nclass: agent\ncapabilities: [records.read]\n---\n",
  "personalities/none/config.yaml": "id: none\nmcp_servers: []\n"
}

describe("what is there", () => {
  it("is listed with its transport, what it requires, the risk and its state", async () => {
    const yaml = `${ADDED}  bad: { comand: x, requires: [] }\n  hub: { url: "https://a.example.com/mcp", requires: [] }\n`
    const folder = workspace(yaml)
    const { servers } = JSON.parse((await mcp(folder, ["list", "--json"])).stdout)
    expect(servers).toMatchObject([
      {
        name: "gh",
        transport: "stdio",
        reached: "node s.js --port 1",
        requires: ["net.get{hosts=[api.github.com]}", "secrets.read{refs=[GH_TOKEN]}"],
        risk: "high",
        tools: 0,
        state: "not accepted"
      },
      { name: "bad", transport: null, state: "unusable", why: expect.stringContaining("write 'command'") },
      { name: "hub", transport: "http", risk: null, state: "not accepted" }
    ])
    const { stdout } = await mcp(folder, ["list"])
    expect(stdout).toContain("3 servers, 0 ready")
    expect((await mcp(workspace(), ["list"])).stdout).toContain("no MCP servers")
  })

  it("[P1] is used by those who hold all that it requires, and the others are told what they lack", async () => {
    const folder = workspace(ADDED, AGENTS)
    const { can, others } = JSON.parse((await mcp(folder, ["who", "gh", "--json"])).stdout)
    expect(can).toMatchObject([{ kind: "agent", id: "agents/wide", lacks: [] }])
    expect(others).toMatchObject([
      {
        id: "agents/narrow",
        lacks: ["net.get{hosts=[api.github.com]}", "secrets.read{refs=[GH_TOKEN]}"]
      },
      { kind: "personality", id: "none", lacks: expect.arrayContaining(["add gh to mcp_servers"]) }
    ])
    expect((await mcp(folder, ["who", "gh"])).stdout).toContain("1 of 3 agents and personalities can use gh")
  })

  it("can be used by nobody as long as it cannot be read", async () => {
    const folder = workspace("mcp_servers: { gh: { command: x } }\n")
    expect(await mcp(folder, ["who", "gh"])).toMatchObject({
      code: 1,
      stderr: expect.stringContaining("has no 'requires'")
    })
    for (const command of [["show", "gh"], ["list"]]) {
      const { stdout } = await mcp(folder, command)
      expect(stdout).toContain("unusable: KEY_MISSING")
      expect(stdout).not.toContain("requires nothing")
    }
  })

  it("is named exactly", async () => {
    const folder = workspace(ADDED)
    for (const command of ["show", "who", "remove"]) {
      expect(await mcp(folder, [command, "gg"])).toMatchObject({
        code: 1,
        stderr: expect.stringContaining("'bailiwick tools mcp list' lists them")
      })
    }
  })
})

describe("tools mcp remove", () => {
  it("gives the text back that was there before", async () => {
    const folder = workspace()
    await mcp(folder, [...ADD, "--yes", ...COMMAND])
    expect(await mcp(folder, ["remove", "gh", "--yes"])).toMatchObject({ code: 0, stderr: "" })
    expect(yamlOf(folder)).toBe(YAML)
  })

  it("asks, and shows with --dry-run what would go", async () => {
    const folder = workspace(ADDED)
    expect((await mcp(folder, ["remove", "gh", "--dry-run"])).stdout).toContain("-  gh:")
    expect(await mcp(folder, ["remove", "gh"])).toMatchObject({
      code: 1,
      stderr: expect.stringContaining("--yes")
    })
    const tty = new FakeTty(["no", keys.enter])
    expect(await mcp(folder, ["remove", "gh"], { tty })).toMatchObject({ code: 1 })
    expect(yamlOf(folder)).toBe(ADDED)
  })
})

describe("the words of the commands", () => {
  it.each([
    [["tools", "mcp"], "'tools mcp' needs a command of its own"],
    [["tools", "mcp", "lsit"], "did you mean 'tools mcp list'?"],
    [["tools", "mpc"], "did you mean 'tools mcp'?"],
    [["tools", "mcp", "show"], "write 'bailiwick tools mcp show NAME'"]
  ])("%j are refused: %s", async (args, why) => {
    expect(await new Folder().bailiwick(args)).toMatchObject({
      code: 2,
      stderr: expect.stringContaining(why)
    })
  })

  it("are completed, down to the names of servers", async () => {
    const complete = async (...typed: ReadonlyArray<string>) =>
      (await workspace(ADDED).bailiwick(["__complete", "--", ...typed])).stdout
    expect(await complete("tools", "")).toMatch(/^words\nlist\t.*\nmcp\t/)
    expect(await complete("tools", "mcp", "re")).toMatch(/^words\nremove\t/)
    expect(await complete("tools", "mcp", "show", "g")).toBe("words\ngh\t\n")
    expect(await complete("tools", "mcp", "add", "x", "--req")).toContain("--requires\t")
  })
})
