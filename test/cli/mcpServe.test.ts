/** `bailiwick mcp serve` as it is installed, with the official client: standard input and output, HTTP, edits, ends. */
import { once } from "node:events"
import { existsSync, readFileSync, renameSync, rmSync, statSync } from "node:fs"
import { type AddressInfo, createServer, type Socket } from "node:net"
import { describe, expect, it } from "vitest"
import { afterTest } from "../cleanup.js"
import { type Connected, overHttp, overStdio, started } from "./mcpProcess.js"
import { Folder } from "./workspace.js"

const CHANGED = "notifications/tools/list_changed"

const agent = (...grants: ReadonlyArray<string>) =>
  `---\nclass: agent\ncapabilities: [${grants.map((one) => JSON.stringify(one)).join(", ")}]\n---\nYou help.\n`

const READS = "records.read"
const STORES = "storage.use{scopes=[session]}"

const space = (...grants: ReadonlyArray<string>) =>
  new Folder({
    "bailiwick.yaml": "",
    "records/agents/scout.md": agent(...grants),
    "records/notes/one.md": "---\nclass: note\ntitle: One\n---\nThe first note.\n",
    "skills/reading.md": "---\nname: reading\ndescription: How to read\n---\nRead slowly.\n"
  })

const SCOUT = ["--agent", "scout"]

const namesOf = async ({ client }: Connected) => (await client.listTools()).tools.map(({ name }) => name)

interface Called {
  readonly isError?: boolean
  readonly content: ReadonlyArray<{ readonly text?: string }>
}

const call = async ({ client }: Connected, name: string, args: Record<string, unknown> = {}) => {
  const { content, isError } = (await client.callTool({ name, arguments: args })) as unknown as Called
  return { isError: isError ?? false, text: content.map(({ text }) => text).join("") }
}

const clientInfo = { name: "test", version: "1" }

/** A program that calls when it runs, and hangs up when it has ended. */
const calling = async () => {
  const server = createServer()
  afterTest(() => void server.close())
  await once(server.listen(0, "127.0.0.1"), "listening")
  const { port } = server.address() as AddressInfo
  const called = once(server, "connection").then(([socket]: Array<Socket>) => {
    socket?.on("error", () => {}).resume()
    return { gone: socket === undefined ? Promise.resolve() : once(socket, "close") }
  })
  return { script: `require("net").connect(${port}, "127.0.0.1"); setInterval(() => {}, 1000)`, called }
}

describe("over standard input and output", () => {
  it("serves what the agent may use: tools, records, skills", async () => {
    const server = await overStdio(space(READS, STORES), SCOUT)
    expect(await namesOf(server)).toEqual([
      "kv_get",
      "kv_set",
      "kv_delete",
      "kv_list",
      "search_records",
      "get_record",
      "list_records"
    ])
    expect(await call(server, "kv_set", { key: "a", value: "1" })).toMatchObject({ isError: false })
    const { resources } = await server.client.listResources()
    expect(resources.map(({ uri }) => uri)).toContain("record:///notes/one")
    expect((await server.client.listPrompts()).prompts.map(({ name }) => name)).toEqual(["reading"])
    await server.client.close()
  })

  it("a refusal is an answer, and a line on standard error", async () => {
    const server = await overStdio(space(READS), SCOUT)
    expect(await call(server, "web_fetch", { url: "https://example.com/" })).toMatchObject({ isError: true })
    await server.stderr.match(/^refused agents\/scout, web_fetch: /m)
    await server.client.close()
  })

  it.each(["2025-11-25", "2025-06-18"])(
    "speaks %s, and nothing else stands on standard output",
    async (revision) => {
      const { child, end, stdout } = await started(space(READS), SCOUT)
      const say = (message: object) =>
        child.stdin?.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`)
      say({
        id: 1,
        method: "initialize",
        params: { protocolVersion: revision, capabilities: {}, clientInfo }
      })
      child.stdin?.write("nonsense\n")
      say({ id: 2, method: "tools/list" })
      await stdout.match(/"id":2/)
      child.stdin?.end()
      expect(await end).toBe(0)
      const messages = stdout.text
        .trim()
        .split("\n")
        .map((line) => JSON.parse(line))
      expect(messages.map(({ id }) => id)).toEqual([1, null, 2])
      expect(messages[0].result.protocolVersion).toBe(revision)
    }
  )

  it.each([
    ["SIGINT", 130],
    ["SIGTERM", 143]
  ] as const)("%s ends it with all that it started", async (signal, code) => {
    const folder = new Folder({ "bailiwick.yaml": "sandbox: off" })
    folder.personality('process: { allow: ["*"] }', `fs_reach: { read: ["/"], write: ["${folder.root}"] }`)
    const calls = await calling()
    const { child, end } = await started(folder, ["--personality", "./personality"])
    const say = (message: object) => child.stdin?.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`)
    say({
      id: 1,
      method: "initialize",
      params: { protocolVersion: "2025-11-25", capabilities: {}, clientInfo }
    })
    say({ method: "notifications/initialized" })
    const params = { name: "run_command", arguments: { command: "node", args: ["-e", calls.script] } }
    say({ id: 2, method: "tools/call", params })
    const grandchild = await calls.called
    child.kill(signal)
    expect(await end).toBe(code)
    await grandchild.gone
  })

  it("what a session stored goes with it, unless the session has a name", async () => {
    const folder = space(STORES)
    const one = await overStdio(folder, SCOUT)
    await call(one, "kv_set", { key: "a", value: "mine" })
    expect((await call(one, "kv_get", { key: "a" })).text).toContain("mine")
    await one.client.close()
    const two = await overStdio(folder, [...SCOUT, "--session", "s1"])
    expect((await call(two, "kv_get", { key: "a" })).text).not.toContain("mine")
    await call(two, "kv_set", { key: "a", value: "kept" })
    await two.client.close()
    const three = await overStdio(folder, [...SCOUT, "--session", "s1"])
    expect((await call(three, "kv_get", { key: "a" })).text).toContain("kept")
    await three.client.close()
  })
})

describe("an edited policy", () => {
  it("is told, and holds from the next request on", async () => {
    const folder = space(READS, STORES)
    const server = await overStdio(folder, SCOUT)
    expect(await namesOf(server)).toContain("kv_get")
    folder.write("records/agents/scout.md", agent(READS))
    expect((await call(server, "kv_get", { key: "a" })).isError).toBe(true)
    await server.hears(CHANGED)
    expect(await namesOf(server)).not.toContain("kv_get")
    await server.client.close()
  })

  it("is told to a client that asks nothing, whether it is written over or replaced", async () => {
    const folder = space(READS)
    const server = await overStdio(folder, SCOUT)
    const draft = folder.write("draft.md", agent(READS, STORES))
    renameSync(draft, folder.path("records/agents/scout.md"))
    await server.hears(CHANGED)
    expect(await namesOf(server)).toContain("kv_get")
    await server.client.close()
  })

  it("one that is gone or broken refuses everything in words, until it is there again", async () => {
    const folder = space(READS)
    const server = await overStdio(folder, SCOUT)
    rmSync(folder.path("records/agents"), { recursive: true })
    const { isError, text } = await call(server, "list_records")
    expect([isError, text]).toEqual([true, expect.stringContaining("there is no agent 'scout'")])
    await expect(server.client.listTools()).rejects.toThrow("there is no agent 'scout'")
    await server.client.ping()
    folder.write("records/agents/scout.md", agent(READS))
    expect((await call(server, "list_records")).isError).toBe(false)
    folder.write("bailiwick.yaml", "nonsense: true")
    expect(await call(server, "list_records")).toMatchObject({ isError: true })
    folder.write("bailiwick.yaml", "")
    expect((await call(server, "list_records")).isError).toBe(false)
    await server.client.close()
  })

  it("a personality and its toolset are looked at, too", async () => {
    const folder = new Folder({ "bailiwick.yaml": "" }).personality()
    const server = await overStdio(folder, ["--personality", "./personality"])
    expect(await namesOf(server)).toContain("kv_get")
    folder.write("personality/toolset.yaml", "[kv_set]")
    await server.hears(CHANGED)
    expect(await namesOf(server)).toEqual(["kv_set"])
    await server.client.close()
  })
})

describe("over HTTP", () => {
  it("serves those who have the token, which is in a file of its owner alone and goes with the server", async () => {
    const folder = space(READS, STORES)
    const server = await overHttp(folder, SCOUT)
    const file = folder.path(`.bailiwick/mcp/${server.url.port}.token`)
    expect(readFileSync(file, "utf8").trim()).toBe(server.token)
    expect(statSync(file).mode & 0o777).toBe(0o600)
    expect(server.token).toMatch(/^[\w-]{43}$/)
    expect((await fetch(server.url, { method: "POST" })).status).toBe(401)
    const one = await server.connect()
    expect(await namesOf(one)).toContain("kv_get")
    expect(await call(one, "web_fetch", { url: "https://example.com/" })).toMatchObject({ isError: true })
    server.child.kill("SIGTERM")
    expect(await server.end).toBe(143)
    expect(existsSync(file)).toBe(false)
    expect(server.stdout.text).toBe("")
    expect(server.stderr.text.split(server.token)).toHaveLength(2)
  })

  it("two clients are two sessions, which share no storage, and both hear of changes", async () => {
    const folder = space(READS, STORES)
    const server = await overHttp(folder, SCOUT)
    const [one, two] = [await server.connect(), await server.connect()]
    expect(one.transport.sessionId).not.toBe(two.transport.sessionId)
    await call(one, "kv_set", { key: "a", value: "mine" })
    expect((await call(two, "kv_get", { key: "a" })).text).not.toContain("mine")
    expect((await call(one, "kv_get", { key: "a" })).text).toContain("mine")
    folder.write("records/agents/scout.md", agent(READS))
    await Promise.all([one.hears(CHANGED), two.hears(CHANGED)])
    expect(await namesOf(two)).not.toContain("kv_get")
    await one.transport.terminateSession()
    await expect(one.client.ping()).rejects.toThrow()
    await two.client.ping()
    server.child.kill("SIGINT")
    expect(await server.end).toBe(130)
  })

  it("a port that is taken is a sentence", async () => {
    const folder = space(READS)
    const first = await overHttp(folder, SCOUT)
    const second = await started(folder, [...SCOUT, "--http", first.url.port])
    expect(await second.end).toBe(2)
    expect(second.stderr.text).toContain("another program listens on port")
    first.child.kill("SIGTERM")
    await first.end
  })
})
