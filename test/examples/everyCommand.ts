/** A workspace of `examples/workspaces`, copied, and every command of the command line that is run on the copy. */
import { cpSync, mkdirSync, symlinkSync } from "node:fs"
import { basename, join, relative } from "node:path"
import { PassThrough } from "node:stream"
import { pathToFileURL } from "node:url"
import { expect } from "vitest"
import { root } from "../../scripts/lib/project.js"
import { has } from "../../scripts/lib/system.js"
import { commandNames } from "../../src/cli/Forms.js"
import { Folder, type Options, type Outcome } from "../cli/workspace.js"

export interface Call {
  readonly name: string
  readonly args: Readonly<Record<string, unknown>>
}

/** What the commands are asked about. */
export interface Team {
  /** The folder below `examples/workspaces`. */
  readonly name: string
  readonly agent: string
  readonly personality: string
  /** What both the agent and the personality may call; the first has the tool that is called alone. */
  readonly calls: readonly [Call, ...ReadonlyArray<Call>]
  readonly skill: string
  /** A grant of the agent, as its record has it. */
  readonly held: string
  /** A grant that it does not hold. */
  readonly wanted: string
  /** Where the calls are made, below the workspace. */
  readonly workdir?: string
  /** What the doctor finds, by code; nothing, unless this release cannot do better. */
  readonly findings?: ReadonlyArray<string>
}

type Exports = Readonly<Record<string, unknown>>

/** The copy. Its modules are those of the original, so that they find the library and share it with the test. */
export class TeamSpace extends Folder {
  /** What is loaded in place of a module, by its path. */
  readonly instead: Record<string, () => Exports | Promise<Exports>> = {}

  constructor(
    readonly name: string,
    private readonly env: Record<string, string> = {}
  ) {
    super()
    // What somebody left who tried it is not of it.
    const kept = (path: string) => !/^(?:\.bailiwick|node_modules|.*\.db)$/.test(basename(path))
    cpSync(this.original(""), this.root, { recursive: true, filter: kept })
    // Own tools in TypeScript ask for it; in a test the runner reads the types.
    mkdirSync(this.path("node_modules"), { recursive: true })
    symlinkSync(join(root, "node_modules/tsx"), this.path("node_modules/tsx"))
  }

  original(path: string): string {
    return join(root, "examples/workspaces", this.name, path)
  }

  override bailiwick(args: ReadonlyArray<string>, options: Options = {}): Promise<Outcome> {
    return super.bailiwick(args, {
      load: async (file) => {
        const path = relative(this.root, file)
        if (path.includes("node_modules")) return { register: () => {} }
        return this.instead[path]?.() ?? import(pathToFileURL(this.original(path)).href)
      },
      ...options,
      env: { ...this.env, ...options.env }
    })
  }
}

/** `KEY=VALUE`, as a person would type it. */
export const words = ({ args, name }: Call): ReadonlyArray<string> => [
  name,
  ...Object.entries(args).map(
    ([key, value]) => `${key}=${typeof value === "string" ? value : JSON.stringify(value)}`
  )
]

interface Command {
  readonly args: ReadonlyArray<string>
  readonly stdin?: string
  readonly code?: number
}

/** What the doctor finds on a machine that holds no commands, whatever the workspace. */
const ofMachine = has("bwrap") ? [] : ["SANDBOX_MISSING"]

const commandsOf = ({
  agent,
  calls,
  findings = [],
  held,
  personality,
  skill,
  wanted,
  workdir = "."
}: Team): ReadonlyArray<Command> => {
  const stdin = JSON.stringify(calls.map((call, at) => ({ id: String(at), ...call })))
  const holders = [
    ["--agent", agent],
    ["--personality", personality],
    ["--agent", agent, "--personality", personality]
  ].map((holder) => (workdir === "." ? holder : [...holder, "--workdir", workdir]))
  const [first] = calls
  const plain: ReadonlyArray<ReadonlyArray<string>> = [
    ...holders.map((holder) => ["call", ...words(first), ...holder]),
    ["call", first.name, "--help"],
    ["tools", "list"],
    ...holders.map((holder) => ["tools", "list", ...holder]),
    ["tools", "mcp", "list"],
    [
      ...["tools", "mcp", "add", "hub", "--url", "https://mcp.example.com/mcp"],
      ...["--requires", "net.post{hosts=[mcp.example.com]}", "--dry-run"]
    ],
    ["agents"],
    ["agents", "list"],
    ["agents", "capabilities", agent],
    ["agents", "create", "newcomer", wanted, "--dry-run"],
    ["agents", "grant", agent, wanted, "--dry-run"],
    ["agents", "revoke", agent, held, "--dry-run"],
    ["agents", "who", held],
    ["skills", "list"],
    ["skills", "list", "--agent", agent],
    ["skills", "show", skill, "--agent", agent],
    ["skills", "check"],
    ["skills", "check", skill, "--agent", agent],
    ["audit"],
    ["audit", "--agent", agent, "--denied", "--since", "2h"],
    ["suggest", "--agent", agent, "--since", "2h"],
    ["suggest", "--personality", personality],
    ["manifest", "--check"],
    ["manifest"],
    ["init", "another", "--dry-run"],
    ["completion", "bash"]
  ]
  return [
    ...holders.flatMap((holder) => [
      { args: ["run", "-", ...holder], stdin },
      { args: ["explain", "-", ...holder], stdin }
    ]),
    ...plain.map((args) => ({ args })),
    // No chain is asked for in these.
    { args: ["audit", "verify"], code: 1 },
    { args: ["doctor", "--strict"], code: [...findings, ...ofMachine].length === 0 ? 0 : 1 }
  ]
}

/** These ask about a server, and are run where there is one: in `heldServers.test.ts`. A server has a client: `offeredOverMcp`; a runner has PostgreSQL: `test/cluster`. */
const OF_SERVERS = /^(?:tools mcp (?:show|who|remove)|mcp serve|runner)$/

/** Which commands these are; one that is added later is to be run too. */
const notRun = (commands: ReadonlyArray<Command>): ReadonlyArray<string> =>
  commandNames.filter(
    (name) =>
      !OF_SERVERS.test(name) && !commands.some(({ args }) => `${args.join(" ")} `.startsWith(`${name} `))
  )

export interface Seen extends Outcome {
  readonly command: string
}

interface Document {
  readonly results: ReadonlyArray<{ readonly result: unknown }>
  readonly findings: ReadonlyArray<{ readonly code: string }>
}

const documents = (seen: ReadonlyArray<Seen>, command: string): ReadonlyArray<Document> =>
  seen
    .filter((one) => one.command.startsWith(command) && one.command.endsWith("--json"))
    .map(({ stdout }) => JSON.parse(stdout))

const introduction = {
  protocolVersion: "2025-11-25",
  capabilities: {},
  clientInfo: { name: "everyCommand", version: "0" }
}

/** The tools that a client over MCP is offered, by name. */
const offeredOverMcp = async (space: TeamSpace, { agent, workdir = "." }: Team) => {
  const input = new PassThrough()
  const output = new PassThrough()
  const said: Array<Buffer> = []
  output.on("data", (chunk: Buffer) => said.push(chunk))
  const messages = [
    { jsonrpc: "2.0", id: 1, method: "initialize", params: introduction },
    { jsonrpc: "2.0", method: "notifications/initialized" },
    { jsonrpc: "2.0", id: 2, method: "tools/list" }
  ]
  input.end(messages.map((message) => `${JSON.stringify(message)}\n`).join(""))
  const args = ["mcp", "serve", "--agent", agent, ...(workdir === "." ? [] : ["--workdir", workdir])]
  const outcome = await space.bailiwick(args, { pipes: () => ({ input, output }) })
  expect(outcome).toEqual({ code: 0, stdout: "", stderr: "" })
  const answers = Buffer.concat(said)
    .toString("utf8")
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line))
  const listed = answers.find(({ id }) => id === 2)
  return new Set(listed.result.tools.map(({ name }: { readonly name: string }) => name))
}

/** Runs all of them, with and without `--json`. Each must end with 0 and say nothing on standard error. */
export const runEveryCommand = async (space: TeamSpace, team: Team): Promise<ReadonlyArray<Seen>> => {
  const commands = commandsOf(team)
  expect(notRun(commands)).toEqual([])
  const seen: Array<Seen> = []
  for (const { args, code = 0, ...options } of commands) {
    for (const more of [[], ["--json"]]) {
      const command = [...args, ...more].join(" ")
      const outcome = await space.bailiwick([...args, ...more], options)
      expect({ command, ...outcome }).toMatchObject({ command, code, stderr: "" })
      expect(outcome.stdout, command).not.toBe("")
      if (more.length > 0) expect(() => JSON.parse(outcome.stdout), command).not.toThrow()
      seen.push({ command, ...outcome })
    }
  }
  for (const { result } of documents(seen, "run").flatMap(({ results }) => results)) {
    expect(result).toMatchObject({ ok: true })
  }
  const offered = await offeredOverMcp(space, team)
  expect(team.calls.filter(({ name }) => !offered.has(name))).toEqual([])
  const found = documents(seen, "doctor").flatMap(({ findings }) => findings.map(({ code }) => code))
  expect([...found].sort()).toEqual([...ofMachine, ...(team.findings ?? [])].sort())
  return seen
}

const REMEDY = /^remedy {2}bailiwick agents grant (\S+) '([^']+)'$/m

/** Calls what the agent may not, does what the refusal advises, and calls again: how often it was advised. */
export const followRemedies = async (space: TeamSpace, agent: string, call: Call): Promise<number> => {
  for (let advised = 0; advised < 5; advised++) {
    const outcome = await space.bailiwick(["call", ...words(call), "--agent", agent])
    if (outcome.code === 0) return advised
    expect(outcome, outcome.stderr).toMatchObject({ code: 1, stdout: "" })
    const [, id = "", spec = ""] = REMEDY.exec(outcome.stderr) ?? []
    expect(spec, outcome.stderr).not.toBe("")
    expect(await space.bailiwick(["agents", "grant", id, spec, "--yes"])).toMatchObject({ code: 0 })
  }
  throw new Error(`${call.name} is refused again and again`)
}
