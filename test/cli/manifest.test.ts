/** The lock of a workspace: written, compared, and attacked. */
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, statSync, symlinkSync } from "node:fs"
import { describe, expect, it } from "vitest"
import { Folder } from "./workspace.js"

const LOCK = "bailiwick.lock.json"

const workspace = (files: Readonly<Record<string, string>> = {}): Folder =>
  new Folder({ "bailiwick.yaml": "", ...files })

const textOf = (folder: Folder): string => readFileSync(folder.path(LOCK), "utf8")

interface Tool {
  capabilities: Record<string, unknown>
  services: ReadonlyArray<string>
  description: string
}

/** A workspace whose lock says something else than its tools. */
const editedBy = async (edit: (tools: Record<string, Tool>) => void): Promise<Folder> => {
  const folder = workspace()
  await folder.bailiwick(["manifest"])
  const document = JSON.parse(textOf(folder))
  edit(document.tools)
  folder.write(LOCK, document)
  return folder
}

const toolOf = (tools: Record<string, Tool>, name: string): Tool => {
  const found = tools[name]
  if (found === undefined) throw new Error(`there is no ${name}`)
  return found
}

describe("manifest", () => {
  it("writes the lock once, and leaves one that is right as it is", async () => {
    const folder = workspace({ "sub/x.txt": "" })
    const first = await folder.bailiwick(["manifest"], { cwd: folder.path("sub") })
    expect(first).toMatchObject({ code: 0, stderr: "" })
    expect(first.stdout).toMatch(/^wrote .*bailiwick\.lock\.json with \d+ tools; commit it\n$/)
    const before = statSync(folder.path(LOCK))
    expect((await folder.bailiwick(["manifest"])).stdout).toContain("is as it should be")
    expect(statSync(folder.path(LOCK)).ino).toBe(before.ino)
    expect(await folder.bailiwick(["manifest", "--check"])).toMatchObject({ code: 0, stderr: "" })
    expect(readdirSync(folder.root).sort()).toEqual(["bailiwick.lock.json", "bailiwick.yaml", "sub"])
  })

  it("leaves a lock as a formatter has laid it out", async () => {
    const folder = workspace()
    await folder.bailiwick(["manifest"])
    const laidOut = JSON.stringify(JSON.parse(textOf(folder)), null, "\t")
    folder.write(LOCK, laidOut)
    expect((await folder.bailiwick(["manifest"])).stdout).toContain("is as it should be")
    expect(textOf(folder)).toBe(laidOut)
    folder.write(LOCK, laidOut.replace('"scope": "session"', '"scope": "tool-private"'))
    expect((await folder.bailiwick(["manifest"])).stdout).toContain("✗ kv_")
    expect(JSON.parse(textOf(folder))).toEqual(JSON.parse(laidOut))
  })

  it("says what it changes", async () => {
    const folder = await editedBy((tools) => {
      toolOf(tools, "write_file").capabilities = { fs_reach: { write: ["/data"] } }
    })
    expect((await folder.bailiwick(["manifest"])).stdout).toContain(
      "✗ write_file touches more than is locked\n  + fs_reach.write: from-personality (whatever a policy allows)\n"
    )
    expect((await folder.bailiwick(["manifest", "--check"])).code).toBe(0)
  })

  it("writes a lock anew that nobody can read, and not one of another version", async () => {
    const folder = workspace({ [LOCK]: "<<<<<<< HEAD\n{}\n=======\n{}\n>>>>>>> other\n" })
    const written = await folder.bailiwick(["manifest"])
    expect(written).toMatchObject({ code: 0 })
    expect(written.stdout).toContain("could not be read (LOCK_CONFLICTED")
    folder.write(LOCK, '{ "version": 9 }')
    const refused = await folder.bailiwick(["manifest"])
    expect(refused).toMatchObject({ code: 2, stdout: "" })
    expect(refused.stderr).toMatch(/^bailiwick: LOCK_VERSION_UNKNOWN: .*update bailiwick\n$/)
    expect(textOf(folder)).toBe('{ "version": 9 }')
  })

  it("needs a workspace", async () => {
    for (const args of [["manifest"], ["manifest", "--check", "--json"]]) {
      const outcome = await new Folder().bailiwick(args)
      expect(outcome).toMatchObject({ code: 2, stdout: "" })
      expect(outcome.stderr).toContain("there is no bailiwick.yaml")
    }
  })

  it("replaces what a link leads to, and writes into no directory that is in its place", async () => {
    const folder = workspace({ "kept/lock.json": "{}" })
    symlinkSync(folder.path("kept/lock.json"), folder.path(LOCK))
    expect((await folder.bailiwick(["manifest"])).code).toBe(0)
    expect(JSON.parse(readFileSync(folder.path("kept/lock.json"), "utf8")).version).toBe(1)
    const other = workspace()
    mkdirSync(other.path(LOCK))
    expect(await other.bailiwick(["manifest"])).toMatchObject({ code: 2, stdout: "" })
  })

  it("leaves nothing where it may not write", async () => {
    const folder = workspace()
    await folder.bailiwick(["manifest"])
    folder.write(LOCK, '{ "version": 1, "tools": {} }')
    chmodSync(folder.path(LOCK), 0o444)
    const refused = await folder.bailiwick(["manifest"])
    expect(refused).toMatchObject({ code: 2, stdout: "" })
    expect(refused.stderr).toContain("was not changed")
    expect(textOf(folder)).toBe('{ "version": 1, "tools": {} }')
  })
})

describe("manifest --check", () => {
  it("fails without a lock, in one sentence, and writes none", async () => {
    const folder = workspace()
    const outcome = await folder.bailiwick(["manifest", "--check"])
    expect(outcome).toMatchObject({ code: 1, stderr: "" })
    expect(outcome.stdout).toMatch(/^there is no .*; run 'bailiwick manifest', and commit what it writes\n$/)
    expect(existsSync(folder.path(LOCK))).toBe(false)
  })

  it("has one line for each thing, in a pipe as on a terminal", async () => {
    const folder = await editedBy((tools) => {
      toolOf(tools, "web_fetch").capabilities = { network: { allowedHosts: ["a.com"] }, secrets: ["OLD"] }
      toolOf(tools, "kv_get").capabilities = { storage: { scope: "tool-private", kind: "kv" } }
      toolOf(tools, "kv_set").services = ["app/Db"]
      toolOf(tools, "kv_list").description = `sha256:${"0".repeat(64)}`
      tools.gone = toolOf(tools, "kv_get")
      delete tools.read_file
    })
    const before = textOf(folder)
    const outcome = await folder.bailiwick(["manifest", "--check"])
    expect(outcome).toMatchObject({ code: 1, stderr: "" })
    expect(outcome.stdout).toMatchInlineSnapshot(`
      "! gone is gone
      ✗ kv_get touches more than is locked
        + storage.scope: session
        - storage.scope: tool-private
      ! kv_list is not as it is locked
        ~ the description changed: read it as the model does
      ! kv_set touches less than is locked
        - services: app/Db
      ✗ read_file is new
        + fs_reach.read: from-personality (whatever a policy allows)
        + attachments.kinds: * (whatever a policy allows)
      ✗ web_fetch touches more than is locked
        + network.allowedHosts: * (whatever a policy allows)
        - secrets: OLD
      3 tools to look at; if that is meant, run 'bailiwick manifest', and commit what it writes
      "
    `)
    const seen = await folder.bailiwick(["manifest", "--check"], { isTTY: true, columns: 60 })
    expect(seen.code).toBe(1)
    expect(seen.stdout).toContain("+ network.allowedHosts: *")
    expect(textOf(folder)).toBe(before)
  })

  it("passes what is gone, touches less, or is described in other words", async () => {
    const folder = await editedBy((tools) => {
      toolOf(tools, "kv_get").capabilities = { ...toolOf(tools, "kv_get").capabilities, secrets: ["OLD"] }
      toolOf(tools, "kv_list").description = `sha256:${"0".repeat(64)}`
      tools.gone = toolOf(tools, "kv_set")
    })
    const outcome = await folder.bailiwick(["manifest", "--check"])
    expect(outcome).toMatchObject({ code: 0, stderr: "" })
    expect(outcome.stdout).toContain("! kv_get touches less than is locked\n  - secrets: OLD\n")
    expect(outcome.stdout).toContain("! gone is gone\n")
    expect(outcome.stdout).toContain("~ the description changed")
  })

  it("prints one document with --json", async () => {
    const folder = await editedBy((tools) => {
      toolOf(tools, "web_fetch").capabilities = { network: { allowedHosts: ["a.com"] } }
    })
    const { code, stdout } = await folder.bailiwick(["manifest", "--check", "--json"])
    expect(code).toBe(1)
    expect(JSON.parse(stdout)).toMatchObject({
      lock: folder.path(LOCK),
      written: false,
      passes: false,
      changes: [
        {
          tool: "web_fetch",
          kind: "widened",
          passes: false,
          more: [{ key: "network.allowedHosts", value: "*", open: true }],
          less: []
        }
      ]
    })
    const written = JSON.parse((await folder.bailiwick(["manifest", "--json"])).stdout)
    expect(written).toMatchObject({ written: true, passes: false })
    expect(JSON.parse((await folder.bailiwick(["manifest", "--check", "--json"])).stdout)).toMatchObject({
      passes: true,
      changes: []
    })
  })

  it.each([
    ["{", "is not JSON"],
    ['{ "version": 1, "tools": {}, "tools": {} }', "stands here twice"],
    ['{ "version": 1, "tools": { "a\u001b[2J": 1 } }', "must be escaped"],
    ["<<<<<<< HEAD\n{", "resolve the conflict, or run 'bailiwick manifest'"]
  ])("refuses a lock that cannot be read: %j", async (text, expected) => {
    const folder = workspace({ [LOCK]: text })
    const outcome = await folder.bailiwick(["manifest", "--check"])
    expect(outcome).toMatchObject({ code: 2, stdout: "" })
    expect(outcome.stderr).toContain(expected)
    expect(outcome.stderr.split("\n")).toHaveLength(2)
    expect(textOf(folder)).toBe(text)
  })

  it("takes no words and no other options", async () => {
    expect((await workspace().bailiwick(["manifest", "x"])).stderr).toContain("one word too many")
    expect((await workspace().bailiwick(["manifest", "--strict"])).stderr).toContain("has no option --strict")
  })
})
