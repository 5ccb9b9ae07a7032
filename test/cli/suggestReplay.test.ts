/** The whole way: an agent works, what it did not need is taken away, and it works as before. */
import { once } from "node:events"
import { rmSync, symlinkSync } from "node:fs"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { describe, expect, it } from "vitest"
import { afterTest } from "../cleanup.js"
import { held, record, SCOUT } from "./scout.js"
import { Folder } from "./workspace.js"

const calls = (root: string, port: number) =>
  [
    { name: "read_file", args: { path: `${root}/docs/a.md` } },
    { name: "read_file", args: { path: `${root}/docs/b.md` } },
    { name: "list_files", args: { path: `${root}/src`, recursive: true } },
    { name: "search_files", args: { path: `${root}/src`, pattern: "needle" } },
    { name: "write_file", args: { path: `${root}/out/report.md`, content: "x" } },
    { name: "read_file", args: { path: `${root}/docs/link/deep/x.ts` } },
    { name: "delete_file", args: { path: `${root}/out/old.md` } },
    { name: "run_command", args: { command: "echo", args: ["one", "two"], cwd: `${root}/docs` } },
    { name: "run_command", args: { command: "git", args: ["--version"] } },
    { name: "run_shell", args: { script: "echo three", cwd: `${root}/docs` } },
    { name: "web_fetch", args: { url: `http://127.0.0.1:${port}/a?token=b` } },
    { name: "web_fetch", args: { url: `http://127.0.0.1:${port}/a`, method: "POST", body: "b" } },
    {
      name: "grant_capability",
      args: {
        agent: "agents/child",
        grants: ["records.read", "net.put{hosts=[api.github.com]}", `fs.write{in=${root}/never/used}`]
      }
    },
    {
      name: "create_record",
      args: {
        id: "agents/made",
        class: "agent",
        frontMatter: { capabilities: ["agent.delete{id=agents/x}"] }
      }
    },
    { name: "read_file", args: { path: `${root}/../elsewhere` } },
    { name: "read_file", args: { path: "/etc/hostname" } },
    { name: "kv_set", args: { key: "k", value: "v" } },
    { name: "create_record", args: { id: "notes/today", class: "note", body: "hello" } },
    { name: "get_record", args: { id: "notes/kept" } },
    { name: "search_records", args: { query: "hello" } },
    { name: "update_record", args: { id: "notes/kept", body: "more" } },
    { name: "delete_record", args: { id: "notes/old" } },
    { name: "web_fetch", args: { url: "https://not.granted.example/" } }
  ].map((call, at) => ({ id: String(at), ...call }))

/** The same calls again, on the same records. */
const answers = async (folder: Folder, port: number) => {
  for (const made of ["notes/today", "agents/made"])
    rmSync(folder.path(`records/${made}.md`), { force: true })
  folder.write("out/old.md", "old")
  folder.write("records/agents/child.md", "---\nclass: agent\ncapabilities: []\n---\n")
  for (const name of ["kept", "old"])
    folder.write(`records/notes/${name}.md`, "---\nclass: note\n---\nkept\n")
  const { stdout } = await folder.bailiwick(["run", "-", "--agent", "scout", "--json"], {
    stdin: JSON.stringify(calls(folder.root, port))
  })
  const { results } = JSON.parse(stdout)
  return results.map(({ name, result }: { name: string; result: { ok: boolean; code?: string } }) => [
    name,
    result.ok,
    result.code
  ])
}

describe.each([
  ["of this workspace", [], []],
  [
    "in files that are named",
    [".bailiwick/audit"],
    ["links were followed as they are on this machine; where the log was written they may have led elsewhere"]
  ]
])("what is behind a link, in a log %s", (_, named, notes) => {
  it("stays, so that the same call is answered as before", async () => {
    const folder = new Folder({ "bailiwick.yaml": "sandbox: off\n", "real/f.md": "x" })
    folder.write("docs/a.md", "a")
    symlinkSync("../real", folder.path("docs/link"))
    folder.write(SCOUT, record(`capabilities: ['fs.read{in=${folder.root}}']`))
    const reads = () =>
      folder.bailiwick(["call", "read_file", `path=${folder.root}/docs/link/f.md`, "--agent", "scout"])
    expect(await reads()).toMatchObject({ code: 0 })
    const files = named.map((name) => folder.path(name))
    const { stdout } = await folder.bailiwick([
      "suggest",
      "--agent",
      "scout",
      ...files,
      "--apply",
      "--yes",
      "--json"
    ])
    expect(JSON.parse(stdout)).toMatchObject({ outcome: "applied", notes })
    expect(await reads()).toMatchObject({ code: 0 })
  })
})

describe("an agent that is cut down to what it did", () => {
  it("is given the same answers as before, and holds less", async () => {
    const server = createServer((_request, response) => response.end("hello")).listen(0, "127.0.0.1")
    await once(server, "listening")
    afterTest(() => void server.close())
    const { port } = server.address() as AddressInfo
    const folder = new Folder({
      "bailiwick.yaml": `sandbox: off\nprivate_hosts: ["127.0.0.1:${port}"]\n`,
      "docs/a.md": "a",
      "docs/b.md": "b",
      "src/deep/x.ts": "needle"
    })
    folder.write("out/report.md", "")
    symlinkSync("../src", folder.path("docs/link"))
    folder.write(
      SCOUT,
      record(
        "access: rw",
        "capabilities:",
        `  - fs.read: { in: ${folder.root} } # all of it`,
        `  - fs.write: { in: ${folder.root} }`,
        "  - storage.use: { scopes: ['*'] }",
        "  - records.delete",
        "  - net.get: { hosts: ['*.github.com', 127.0.0.1] }",
        `  - fs.delete: { in: ${folder.root} }`,
        `  - proc.exec: { in: ${folder.root}, cmds: [git, ls], patterns: ["echo one *"] }`,
        `  - proc.eval: { in: ${folder.root} }`,
        "  - net.put: { hosts: ['*.github.com'] }",
        "  - agent.grant",
        "  - agent.create",
        "  - agent.delete",
        "  - agent.update"
      )
    )
    const before = await answers(folder, port)
    expect(before.filter(([, ok]: readonly [string, boolean]) => ok).length).toBe(19)
    const applied = await folder.bailiwick(["suggest", "--agent", "scout", "--apply", "--yes", "--json"])
    expect(applied).toMatchObject({ code: 0, stderr: "" })
    expect(await held(folder)).toEqual(
      expect.arrayContaining([
        `fs.write{in=${folder.root},paths=[never/used/,out/report.md]}`,
        "storage.use{scopes=[session]}",
        "records.delete{classes=[note]}",
        "records.create{classes=[note]}",
        `fs.delete{in=${folder.path("out/old.md")}}`,
        `proc.exec{in=${folder.path("docs")},patterns=[echo one *]}`,
        `proc.exec{in=${folder.root},cmds=[git]}`,
        `proc.eval{in=${folder.path("docs")}}`,
        "net.get{hosts=[127.0.0.1]}",
        "net.put{hosts=[api.github.com]}",
        "agent.grant{id=agents/child}",
        "agent.delete{id=agents/x}",
        "agent.create{id=agents/made}"
      ])
    )
    expect(JSON.parse(applied.stdout).unused).toEqual(["agent.update"])
    expect(await answers(folder, port)).toEqual(before)
    const again = await folder.bailiwick(["suggest", "--agent", "scout", "--json"])
    expect(JSON.parse(again.stdout)).toMatchObject({ outcome: "unchanged", unused: [], narrower: [] })
  })
})
