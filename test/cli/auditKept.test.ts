// biome-ignore-all lint/suspicious/noTemplateCurlyInString: personalities write their variables like this
/**
 * The log that commands keep. Threats: what is done is not in it; a tool reads or changes it; it cannot be written, and nobody
 * is told.
 */
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { Audit } from "bailiwick/node"
import { Effect, Redacted } from "effect"
import { describe, expect, it } from "vitest"
import { overHttp, overStdio } from "./mcpProcess.js"
import { Folder } from "./workspace.js"

const OPEN = 'fs_reach: { read: ["${CWD}"], write: ["${CWD}"] }'

const read = (path: string, id = "1") => ({ id, name: "read_file", args: { path } })

const linesIn = (directory: string): ReadonlyArray<Record<string, unknown>> =>
  existsSync(directory)
    ? readdirSync(directory)
        .filter((name) => name.endsWith(".jsonl"))
        .flatMap((name) => readFileSync(join(directory, name), "utf8").trimEnd().split("\n"))
        .map((line) => JSON.parse(line))
    : []

const logOf = (folder: Folder) => linesIn(folder.path(".bailiwick/audit"))

const workspace = (audit = "") =>
  new Folder({
    "bailiwick.yaml": audit === "" ? "" : `audit: ${audit}\n`,
    "note.txt": "contents"
  }).personality(OPEN)

const shortly = (entries: ReadonlyArray<Record<string, unknown>>) =>
  entries.map(({ allowed, call, code, tool, type }) => `${type} ${call} ${tool} ${allowed ?? code}`)

describe("a log is kept", () => {
  it("of run and call, for their owner alone, and of explain nothing", async () => {
    const folder = workspace()
    const calls = JSON.stringify([read("note.txt"), read("/etc/hostname", "2")])
    const args = ["--personality", "personality", "--json"]
    await folder.bailiwick(["explain", "-", ...args], { stdin: calls })
    expect(existsSync(folder.path(".bailiwick"))).toBe(false)
    await folder.bailiwick(["run", "-", "--session", "s1", ...args], { stdin: calls })
    await folder.bailiwick(["call", "read_file", "path=note.txt", ...args])
    expect([...shortly(logOf(folder))].sort()).toEqual([
      "call 1 read_file ok",
      "call 1 read_file ok",
      "call 2 read_file execution_failed",
      "decision 1 read_file true",
      "decision 1 read_file true",
      "decision 2 read_file false"
    ])
    const [first] = logOf(folder)
    expect(first).toMatchObject({
      v: 1,
      session: "s1",
      personality: "tester",
      origin: "host",
      capability: "files.read"
    })
    expect(JSON.stringify(logOf(folder))).not.toContain("contents")
    const directory = folder.path(".bailiwick/audit")
    expect(statSync(directory).mode & 0o777).toBe(0o700)
    for (const name of readdirSync(directory))
      expect(statSync(join(directory, name)).mode & 0o777).toBe(0o600)
  })

  it.each(["stdio", "http"])("of a server over MCP, by %s", async (by) => {
    const folder = workspace()
    const args = ["--personality", "personality"]
    const { client } =
      by === "stdio" ? await overStdio(folder, args) : await (await overHttp(folder, args)).connect()
    await client.callTool({ name: "read_file", arguments: { path: "note.txt" } })
    expect(shortly(logOf(folder)).map((line) => line.replace(/ \S+ /, " "))).toEqual([
      "decision read_file true",
      "call read_file ok"
    ])
  })

  it("in the user's state without a workspace, and nowhere where it is off", async () => {
    const alone = new Folder({ "note.txt": "contents" }).personality(OPEN)
    await alone.calls([read("note.txt")])
    expect(linesIn(alone.path("state/bailiwick/audit")).length).toBe(2)
    const off = workspace("off")
    await off.calls([read("note.txt")])
    const called = await off.bailiwick(["call", "read_file", "path=note.txt", "--personality", "personality"])
    expect(called.code).toBe(0)
    const server = await overStdio(off, ["--personality", "personality"])
    await server.client.callTool({ name: "read_file", arguments: { path: "note.txt" } })
    expect(existsSync(off.path(".bailiwick/audit"))).toBe(false)
    const on = workspace("on")
    await on.calls([read("note.txt")])
    expect(logOf(on).length).toBe(2)
  })

  it("in files of the size and for the days that are written", async () => {
    const folder = workspace("{ file_bytes: 300B, keep_days: 2, fsync: true }")
    folder.write(".bailiwick/audit/2020-01-01.jsonl", "")
    for (let round = 0; round < 3; round++) await folder.calls([read("note.txt")])
    const names = readdirSync(folder.path(".bailiwick/audit"))
    expect(names.length).toBe(3)
    expect(names).not.toContain("2020-01-01.jsonl")
  })

  it("in a chain, with a key out of the environment or .env", async () => {
    const folder = workspace("{ chain: AUDIT_KEY }")
    await folder.calls([read("note.txt")], { env: { AUDIT_KEY: "a key for tests" } })
    folder.write(".env", "AUDIT_KEY=a key for tests\n")
    await folder.calls([read("note.txt")])
    const verify = (key: string) =>
      Effect.runPromise(Audit.verify(folder.path(".bailiwick/audit"), Redacted.make(key)))
    expect(await verify("a key for tests")).toMatchObject({ ok: true, lines: 4, writers: 2, earlier: 0 })
    expect(await verify("another")).toMatchObject({ ok: false, kind: "changed" })
    expect(JSON.stringify(logOf(folder))).not.toContain("a key for tests")
  })
})

describe("nothing is done", () => {
  it("where the key of the chain is missing", async () => {
    const folder = workspace("{ chain: AUDIT_KEY }")
    const { code, stderr, stdout } = await folder.bailiwick([
      "call",
      "write_file",
      "path=new.txt",
      "content=x",
      "--personality",
      "personality"
    ])
    expect([code, stdout]).toEqual([2, ""])
    expect(stderr).toMatch(
      /^bailiwick: AUDIT_UNWRITABLE: the key 'AUDIT_KEY' of the audit log cannot be read: .*AUDIT_KEY.*\n$/
    )
    expect(existsSync(folder.path("new.txt"))).toBe(false)
  })

  it.each([
    ["maybe", "write 'on', 'off', or a mapping with the keys 'fsync'"],
    ["false", "write 'on', 'off'"],
    ["[on]", "write 'on', 'off'"],
    ["{ fsnyc: true }", "write 'fsync'"],
    ["{ fsync: yes }", "write true or false"],
    ["{ on_failure: opened }", "write one of 'closed', 'open'"],
    ["{ keep_days: 0 }", "write a whole number above 0"],
    ["{ file_bytes: 10 parsecs }", "write a size above 0"],
    ["{ chain: '../key' }", "write one, as in AUDIT_KEY"]
  ])("where the settings cannot be read: %s", async (audit, remedy) => {
    const folder = workspace(audit)
    const { code, stderr } = await folder.bailiwick(["run", "-", "--personality", "personality"], {
      stdin: "[]"
    })
    expect(code).toBe(2)
    expect(stderr).toContain("bailiwick.yaml:1:")
    expect(stderr).toContain(remedy)
  })
})

/** A directory that is not one cannot be written, whoever one is. */
const blocked = (audit: string) => {
  const folder = workspace(audit)
  folder.write(".bailiwick/audit", "a file")
  return folder
}

describe("a log that cannot be written", () => {
  it("withholds results, and is said on standard error", async () => {
    const folder = blocked("on")
    const { results, stderr } = await folder.calls([read("note.txt")])
    expect(results).toMatchObject([{ ok: false, error: expect.stringMatching(/^AUDIT_UNWRITABLE: /) }])
    expect(JSON.stringify(results)).not.toContain(folder.root)
    expect(stderr).toMatch(
      /^bailiwick: AUDIT_UNWRITABLE: .*\.bailiwick\/audit cannot be written: there is a file .*\(EEXIST\)\n$/
    )
  })

  it("is no hindrance where the settings say so, and is said all the same", async () => {
    const { results, stderr } = await blocked("{ on_failure: open }").calls([read("note.txt")])
    expect(results).toMatchObject([{ ok: true }])
    expect(stderr).toContain("bailiwick: AUDIT_UNWRITABLE: ")
  })

  it("repairs a line that was cut off, and says so", async () => {
    const folder = workspace()
    await folder.calls([read("note.txt")])
    const directory = folder.path(".bailiwick/audit")
    for (const name of readdirSync(directory)) writeFileSync(join(directory, name), '{"v":1,', { flag: "a" })
    const { stderr } = await folder.calls([read("note.txt")])
    expect(stderr).toMatch(/^bailiwick: .*jsonl ended in the midst of a line/)
  })
})

describe("tools do not get at the log", () => {
  const attempts = (directory: string) => {
    const file = join(directory, "2020-01-01.jsonl")
    return [
      read(file, "read"),
      { id: "list", name: "list_files", args: { path: directory } },
      { id: "write", name: "write_file", args: { path: file, content: "forged" } },
      {
        id: "new",
        name: "write_file",
        args: { path: join(directory, "2030-01-01.jsonl"), content: "forged" }
      },
      { id: "delete", name: "delete_file", args: { path: file } }
    ]
  }

  it.each([
    ["of a workspace", { "bailiwick.yaml": "" }, ".bailiwick/audit"],
    ["of the user", {}, "state/bailiwick/audit"]
  ] as const)("%s, with files", async (_, files, place) => {
    const folder = new Folder(files).personality(OPEN)
    const directory = folder.path(place)
    mkdirSync(directory, { recursive: true })
    writeFileSync(join(directory, "2020-01-01.jsonl"), "secret history\n")
    const { results } = await folder.calls(attempts(directory))
    for (const result of results) {
      expect(result).toMatchObject({ ok: false, error: expect.stringMatching(/^PATH_NOT_REACHABLE: /) })
    }
    expect(readFileSync(join(directory, "2020-01-01.jsonl"), "utf8")).toBe("secret history\n")
    expect(JSON.stringify(results)).not.toContain("secret history")
  })

  it.runIf(process.platform === "linux")("with commands", async () => {
    const folder = new Folder({ "bailiwick.yaml": "" }).personality(OPEN, 'process: { allow: ["*"] }')
    folder.write(".bailiwick/audit/2020-01-01.jsonl", "secret history\n")
    const file = ".bailiwick/audit/2020-01-01.jsonl"
    const run = (id: string, command: string, ...args: ReadonlyArray<string>) => ({
      id,
      name: "run_command",
      args: { command, args }
    })
    const { results } = await folder.calls([
      run("here", "cat", "personality/config.yaml"),
      run("read", "cat", file),
      run("list", "ls", ".bailiwick/audit"),
      run("write", "touch", ".bailiwick/audit/2030-01-01.jsonl"),
      run("remove", "rm", "-f", file)
    ])
    expect(results[0]).toMatchObject({ ok: true })
    expect(JSON.stringify(results.slice(1))).not.toContain("secret history")
    expect(JSON.stringify(results[2])).not.toContain("2020-01-01")
    expect(readFileSync(folder.path(file), "utf8")).toBe("secret history\n")
    expect(existsSync(folder.path(".bailiwick/audit/2030-01-01.jsonl"))).toBe(false)
  })
})
