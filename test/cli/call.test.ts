// biome-ignore-all lint/suspicious/noTemplateCurlyInString: personalities write their variables like this
/** One call from the command line: its answer for a person, its refusal with the remedy, its progress and its help. */
import { existsSync, readFileSync } from "node:fs"
import { Builtin, Network, Registry, Tool } from "bailiwick"
import { Effect, Layer, Schema } from "effect"
import { describe, expect, it } from "vitest"
import { parseArguments } from "../../src/cli/Arguments.js"
import { call, callHelp } from "../../src/cli/commands/call/CallCommand.js"
import { argumentsOf, parametersOf } from "../../src/cli/commands/call/parameters.js"
import { exampleWords } from "../../src/cli/commands/call/toolHelp.js"
import { helpFor } from "../../src/cli/Help.js"
import { reporting } from "../../src/cli/report/Progress.js"
import type { toolsOf } from "../../src/cli/workspace/Tools.js"
import { plain } from "./fakeTty.js"
import { folderOf } from "./scout.js"
import { Folder, type Options } from "./workspace.js"

const PERSONALITY = ["--personality", "personality"]

const reader = (files: Readonly<Record<string, string>> = {}) =>
  new Folder(files).personality('fs_reach: { read: ["${CWD}"], write: ["${CWD}/out"] }')

const called = (folder: Folder, ...words: ReadonlyArray<string>) =>
  folder.bailiwick(["call", ...words, ...PERSONALITY])

describe("call", () => {
  it("prints the answer for a person", async () => {
    const outcome = await called(reader({ "a.txt": "one\ntwo\n" }), "read_file", "path=a.txt")
    expect(outcome).toEqual({
      code: 0,
      stdout: "path: a.txt\ncontent: |\n  one\n  two\nencoding: utf8\ntotalLines: 2\ntruncated: false\n",
      stderr: ""
    })
  })

  it("with --json prints the one result", async () => {
    const folder = reader({ "a.txt": "one\ntwo\n" })
    const { code, stdout } = await called(folder, "read_file", "path=a.txt", "limit=1", "--json")
    expect(code).toBe(0)
    expect(JSON.parse(stdout)).toMatchObject({ ok: true, value: { content: "one\n" } })
  })

  it("as an agent is held to its record, and a refusal exits 1 with the grant to write", async () => {
    const folder = folderOf("capabilities: []")
    const words = ["call", "web_fetch", "url=https://example.com/", "--agent", "scout"]
    const { code, stderr, stdout } = await folder.bailiwick(words)
    expect({ code, stdout }).toEqual({ code: 1, stdout: "" })
    expect(stderr.split("\n")).toEqual([
      "execution_failed: HOST_NOT_ALLOWED: example.com is not in the declared allowedHosts",
      "asked   GET https://example.com/",
      "held    nothing",
      "remedy  bailiwick agents grant agents/scout 'net.get{hosts=[example.com]}'",
      ""
    ])
    const json = await folder.bailiwick([...words, "--json"])
    expect(json.code).toBe(1)
    expect(JSON.parse(json.stdout)).toMatchObject({ ok: false, denial: { code: "HOST_NOT_ALLOWED" } })
    expect(json.stderr).toBe(
      "bailiwick: execution_failed: HOST_NOT_ALLOWED: example.com is not in the declared allowedHosts\n"
    )
  })

  it("a tool that is there and not permitted is a refusal, and one that is not there is bad usage", async () => {
    const folder = new Folder().personality("toolset: [kv_get]")
    const refused = await called(folder, "read_file", "path=a", "--json")
    expect(refused.code).toBe(1)
    expect(JSON.parse(refused.stdout)).toMatchObject({
      code: "not_available",
      denial: { code: "TOOL_NOT_PERMITTED" }
    })
    const unknown = await called(folder, "read_fle", "path=a", "--json")
    expect(unknown).toEqual({
      code: 2,
      stdout: "",
      stderr: "bailiwick: there is no tool 'read_fle'; did you mean 'read_file'?\n"
    })
  })

  it("what the tool's own schema refuses exits 2, and is still the one result", async () => {
    const folder = reader({ "a.txt": "" })
    const { code, stderr, stdout } = await called(folder, "read_file", "path=a.txt", "limit=0", "--json")
    expect(code).toBe(2)
    expect(JSON.parse(stdout)).toMatchObject({ ok: false, code: "input_invalid" })
    expect(stderr).toMatch(/^bailiwick: input_invalid: read_file: limit: [^\n]+\n$/)
    expect((await called(folder, "read_file", "path=a.txt", "limit=0")).stdout).toBe("")
  })

  it("a tool that fails exits 1", async () => {
    const { code, stderr } = await called(reader(), "read_file", "path=none.txt")
    expect(code).toBe(1)
    expect(stderr).toMatch(/^execution_failed: /)
  })

  it("reads the arguments from standard input, whatever they hold", async () => {
    const folder = reader()
    const words = ["call", "write_file", "-", ...PERSONALITY]
    const args = { path: "out/a.txt", content: "--a=b\n" }
    expect((await folder.bailiwick(words, { stdin: JSON.stringify(args) })).code).toBe(0)
    expect(readFileSync(folder.path("out/a.txt"), "utf8")).toBe("--a=b\n")
    const odd = await folder.bailiwick([...words, "--json"], {
      stdin: '{"path":"out/b","content":"","__proto__":1}'
    })
    expect(odd.code).toBe(2)
    expect(JSON.parse(odd.stdout)).toMatchObject({ code: "input_invalid" })
    expect(existsSync(folder.path("out/b"))).toBe(false)
  })

  it.each([
    ["", "standard input:1:1 is not JSON: it ends in the middle"],
    ["\n [1]", "standard input:2:2 is not an object of parameters"],
    ["null", "standard input:1:1 is not an object of parameters"],
    ['{"a": }', "standard input:1:7 is not JSON: a value is expected here"],
    ['{"a": 1, "a": 2}', 'the key "a" stands here twice']
  ])("refuses %j from standard input", async (stdin, words) => {
    const outcome = await reader().bailiwick(["call", "kv_get", "-", ...PERSONALITY], { stdin })
    expect(outcome).toMatchObject({ code: 2, stdout: "" })
    expect(outcome.stderr).toContain(words)
  })

  it.each([
    [["call"], "'call' needs TOOL; write 'bailiwick call TOOL [KEY=VALUE…]'"],
    [["call", "kv_get", "key=a"], "'call' needs to know what is allowed; add --agent"],
    [["call", "key=a", "kv_get", ...PERSONALITY], "'call' needs the name of a tool before 'key=a'"],
    [["call", "kv_get", "--key", "a", ...PERSONALITY], "parameters of a tool are written KEY=VALUE"],
    [["call", "kv_get", "key=a", "--agnet", "x"], "did you mean '--agent'?"],
    [["call", "kv_get", "key=a", "-", ...PERSONALITY], "'-' reads all parameters from standard input"],
    [["call", "kv_get", ...PERSONALITY], "kv_get needs key, which takes text"],
    [["call", "list_attachments", "a=1", ...PERSONALITY], "list_attachments takes no parameters"],
    [["call", "nothing", "--help"], "there is no tool 'nothing'; 'bailiwick tools list' lists them"],
    [["calls", "kv_get"], "did you mean 'call'?"]
  ])("%j is refused: %s", async (args, words) => {
    const { code, stderr, stdout } = await new Folder().personality().bailiwick(args)
    expect({ code, stdout }).toEqual({ code: 2, stdout: "" })
    expect(stderr).toContain(words)
    expect(stderr.trim().split("\n")).toHaveLength(1)
  })

  it("takes options in any place, and after -- only words", async () => {
    const folder = reader()
    const args = [...PERSONALITY, "call", "--json", "write_file", "content=--json", "--", "path=out/--x"]
    expect(await folder.bailiwick(args)).toMatchObject({ code: 0 })
    expect(readFileSync(folder.path("out/--x"), "utf8")).toBe("--json")
  })

  it("keeps what is stored for a session that is named, and nothing otherwise", async () => {
    const folder = new Folder().personality()
    await called(folder, "kv_set", "key=a", "value=1", "--session", "s")
    await called(folder, "kv_set", "key=b", "value=1")
    const { stdout } = await called(folder, "kv_list", "--session", "s")
    expect(stdout).toBe("keys:\n  - a\n")
    expect((await called(folder, "kv_list")).stdout).toBe("keys: []\n")
  })

  it("starts where --workdir says, with the attachments that it is given", async () => {
    const folder = reader({ "sub/a.txt": "here" })
    folder.write("list.json", [
      { type: "file", ref: "att-0", url: `file://${folder.path("sub/a.txt")}`, mimeType: "text/plain" }
    ])
    const found = await called(folder, "list_attachments", "--attachments", "list.json")
    expect(found.stdout).toContain("att-0")
    const inSub = await called(folder, "read_file", "path=a.txt", "--workdir", "sub", "--json")
    expect(JSON.parse(inSub.stdout)).toMatchObject({ ok: true, value: { content: "here" } })
  })
})

let whenWaiting = (): void => {}

/** Tools of a team, called as the command line calls its own. */
const registry = Registry.make(
  Tool.make({
    name: "fetch_weather",
    description: "Forecast for a point",
    parameters: Schema.Struct({
      lat: Schema.Number.pipe(Schema.between(-90, 90)).annotations({ description: "Degrees north" }),
      lon: Schema.Number,
      units: Schema.optional(Schema.Literal("C", "F").annotations({ default: "C" }))
    }),
    capabilities: { network: { allowedHosts: ["api.weather.gov"] } },
    execute: ({ lat, lon }) => Effect.as(Network, [lat, lon])
  }),
  Tool.make({
    name: "say",
    description: "Says what it is told",
    parameters: Schema.Struct({ what: Schema.Unknown }),
    capabilities: {},
    execute: ({ what }) => Effect.succeed(what)
  }),
  Tool.make({
    name: "quiet",
    description: "Has nothing to say",
    parameters: Schema.Struct({}),
    capabilities: {},
    execute: () => Effect.void
  }),
  Tool.make({
    name: "count",
    description: "Counts",
    parameters: Schema.Struct({ to: Schema.Int }),
    capabilities: {},
    execute: ({ to }) => Effect.as(Tool.progress("counting\u001b[2J sheep", { done: 1, total: to }), "done")
  }),
  Tool.make({
    name: "wait",
    description: "Never ends",
    parameters: Schema.Struct({}),
    capabilities: {},
    execute: () =>
      Tool.progress("waiting").pipe(
        Effect.zipRight(Effect.sync(() => whenWaiting())),
        Effect.zipRight(Effect.never)
      )
  }),
  Tool.make({
    name: "try_host",
    description: "Tries one host, and does without",
    parameters: Schema.Struct({}),
    capabilities: { network: { allowedHosts: ["a.example"] } },
    execute: () => Effect.orElseSucceed(Network.get("https://a.example/"), () => "without")
  })
)

const tools: typeof toolsOf = async (setting) => ({
  registry,
  own: new Set(),
  layerFor: () => Layer.empty,
  setting
})

const own = (folder: Folder, words: ReadonlyArray<string>, options: Options = {}) =>
  folder.bailiwick(["call", ...words, ...PERSONALITY], {
    ...options,
    perform: async (args, around) => {
      const command = parseArguments(args)
      if (command.command === "call --help") return callHelp(command, around, tools)
      if (command.command !== "call") return -1
      return call(command, around, tools).catch((error) => {
        if (around.signal.aborted) return 130
        throw error
      })
    }
  })

const say = async (what: unknown, options: Options = {}) =>
  (await own(new Folder().personality(), ["say", "-"], { ...options, stdin: JSON.stringify({ what }) }))
    .stdout

describe("an answer", () => {
  const text = "a\u001b[31mb\r\nc\td"

  it("that is a text goes to a pipe as it is, and to a terminal without what would write over it", async () => {
    expect(await say(text)).toBe(text)
    expect(await say(text, { isTTY: true })).toBe("a\\u001b[31mb\nc  d\n")
    expect(await say("")).toBe("")
  })

  it.each([
    [null, "null\n"],
    [1.5, "1.5\n"],
    [true, "true\n"],
    [[], "[]\n"],
    [{}, "{}\n"],
    [{ a: "\n", b: "x\n" }, 'a: "\\n"\nb: |\n  x\n'],
    [["a", "1", 1, "true", "", " a", "- b"], '- a\n- "1"\n- 1\n- "true"\n- ""\n- " a"\n- "- b"\n'],
    [
      { a: { b: [1, { c: "x\ny" }] }, "odd\nkey": null },
      'a:\n  b:\n    - 1\n    - c: |\n        x\n        y\n"odd\\nkey": null\n'
    ],
    [[["a", "b"], "x\ny"], "- - a\n  - b\n- |\n  x\n  y\n"],
    [
      [
        { name: "a.txt", size: 10 },
        { name: "long-name.txt", kind: "file" }
      ],
      "name           size  kind\na.txt          10\nlong-name.txt        file\n"
    ]
  ])("%j is readable", async (value, expected) => {
    expect(await say(value)).toBe(expected)
  })

  it("that is none is printed as such", async () => {
    const folder = new Folder().personality()
    expect(await own(folder, ["quiet"])).toMatchObject({ code: 0, stdout: "null\n" })
    expect(JSON.parse((await own(folder, ["quiet", "--json"])).stdout)).toEqual({ ok: true, value: null })
  })

  it("is coloured on a terminal, and obeys NO_COLOR", async () => {
    expect(await say({ a: 1 }, { isTTY: true })).toBe("\u001b[1ma\u001b[0m: 1\n")
    expect(await say({ a: 1 }, { isTTY: true, env: { NO_COLOR: "1" } })).toBe("a: 1\n")
  })

  it("that is no table within the width of the terminal has lines", async () => {
    const rows = [{ a: "x".repeat(30) }, { a: "y", b: "z".repeat(30) }]
    expect(await say(rows, { isTTY: true, columns: 50, env: { NO_COLOR: "1" } })).toMatch(/^- a: x{30}\n/)
  })

  it("that is cut to the budget says so on standard error", async () => {
    const stdin = JSON.stringify({ what: "x".repeat(200_000) })
    const { code, stderr, stdout } = await own(new Folder().personality(), ["say", "-"], { stdin })
    expect(code).toBe(0)
    expect(stdout.length).toBeLessThan(150_000)
    expect(stderr).toBe("the answer is longer than the budget of a turn, and was cut\n")
  })

  it("however deep it is nested, is printed", async () => {
    const deep = Array.from({ length: 60 }).reduce<unknown>((inner) => ({ a: inner }), 1)
    expect((await say(deep)).length).toBeGreaterThan(60)
  })
})

describe("progress", () => {
  it("is one line on a terminal, gone before the answer", async () => {
    const { stderr, stdout } = await own(new Folder().personality(), ["count", "to=4"], { stderrIsTTY: true })
    expect(stderr).toBe("\r\u001b[Kcount: counting\\u001b[2J sheep (1 of 4, 25%)\r\u001b[K")
    expect(stdout).toBe("done")
  })

  it("is not shown to a pipe, nor by a terminal that cannot erase", async () => {
    const folder = new Folder().personality()
    expect((await own(folder, ["count", "to=4"])).stderr).toBe("")
    const dumb = await own(folder, ["count", "to=4"], { stderrIsTTY: true, env: { TERM: "dumb" } })
    expect(dumb.stderr).toBe("")
  })

  it("is not written more often than it can be read, fits the line, and ends for good", () => {
    const written: Array<string> = []
    let time = 0
    const stderr = { isTTY: true, columns: 30, write: (text: string) => void written.push(plain(text)) }
    const line = reporting({ env: {}, stderr }, "t", () => time)
    line.show({ message: "a" })
    line.show({ message: "b" })
    time = 50
    line.show({ message: "c".repeat(90), done: 7, total: 5 })
    time = 100
    line.show({ message: "d", done: 3 })
    line.end()
    line.end()
    time = 150
    line.show({ message: "e" })
    expect(written).toEqual(["\rt: a", "\rt: cccccccccc… (7 of 5, 100%)", "\rt: d (3)", "\r"])
  })

  it("a call that is interrupted exits 130, and leaves no line", async () => {
    const controller = new AbortController()
    whenWaiting = () => controller.abort()
    const options = { stderrIsTTY: true, signal: controller.signal }
    expect(await own(new Folder().personality(), ["wait"], options)).toEqual({
      code: 130,
      stdout: "",
      stderr: "\r\u001b[Kwait: waiting\r\u001b[K"
    })
  })
})

it("a refusal that the tool gets over is shown on a terminal, and the answer counts", async () => {
  const seen = await own(new Folder().personality(), ["try_host"], { stderrIsTTY: true })
  expect(seen).toMatchObject({ code: 0, stdout: "without" })
  expect(plain(seen.stderr)).toMatch(/^refused try_host: HOST_NOT_ALLOWED: [^\n]+\n$/)
  expect((await own(new Folder().personality(), ["try_host"])).stderr).toBe("")
})

describe("help of a tool", () => {
  const help = (words: ReadonlyArray<string>, options: Options = {}) =>
    own(new Folder(), [...words, "--help"], options)

  it("says what it takes and touches, and how it is called", async () => {
    const { code, stdout } = await help(["fetch_weather"])
    expect(code).toBe(0)
    expect(stdout.split("\n")).toEqual([
      "Usage: bailiwick call fetch_weather lat=VALUE lon=VALUE [units=VALUE] (--agent ID | --personality DIR)",
      "",
      "Forecast for a point",
      "",
      "Parameters",
      "  lat    a number, at least -90, at most 90, required",
      "         Degrees north",
      "  lon    a number, required",
      "  units  'C' or 'F', \"C\" if not given",
      "",
      "Touches",
      "  network: api.weather.gov",
      "",
      "Example",
      "  bailiwick call fetch_weather lat=-90 lon=1 --agent ID",
      "",
      "'bailiwick call --help' has the options.",
      ""
    ])
  })

  it("fits a terminal, with colours unless NO_COLOR is set", async () => {
    const { stdout } = await help(["fetch_weather"], { isTTY: true, columns: 50 })
    expect(stdout).toContain("\u001b[1mParameters\u001b[0m")
    for (const line of plain(stdout).split("\n").slice(0, -6)) expect(line.length).toBeLessThanOrEqual(50)
    const bare = await help(["fetch_weather"], { isTTY: true, env: { NO_COLOR: "1" } })
    expect(bare.stdout).not.toContain("\u001b")
  })

  it("with --json is the entry of tools list", async () => {
    const folder = new Folder()
    const { stdout } = await folder.bailiwick(["call", "read_file", "--json", "--help"])
    const listed = JSON.parse((await folder.bailiwick(["tools", "list", "--json"])).stdout).tools
    expect(JSON.parse(stdout)).toEqual(listed.find(({ name }: { name: string }) => name === "read_file"))
  })

  it("is asked for in every way that help is, and needs no agent", async () => {
    const folder = new Folder()
    const { stdout } = await folder.bailiwick(["call", "kv_get", "--help"])
    for (const args of [
      ["call", "kv_get", "-h"],
      ["help", "call", "kv_get"],
      ["call", "--help", "kv_get", "key=a"],
      ["call", "--agent", "scout", "kv_get", "--help"]
    ]) {
      expect(helpFor(args)).toBeUndefined()
      expect((await folder.bailiwick(args)).stdout).toBe(stdout)
    }
    const general = helpFor(["call", "--help"])
    expect(general).toContain("Usage: bailiwick call TOOL")
    expect((await folder.bailiwick(["call", "--agent", "scout", "-h"])).stdout).toBe(general)
  })

  it.each(Builtin.builtins.map((tool) => [tool.name, tool] as const))(
    "the example of %s is a call that its schema takes",
    async (_name, tool) => {
      const parameters = parametersOf(tool.name, Tool.jsonSchema(tool))
      const args = argumentsOf(parameters, exampleWords(parameters))
      await Effect.runPromise(Tool.decodeArgs(tool as Tool.Any, args))
    }
  )
})
