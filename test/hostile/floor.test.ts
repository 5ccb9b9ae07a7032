/** The threat: a file tool that writes what authority is read from, by another name for it. */
import { existsSync, linkSync, mkdirSync, readFileSync, symlinkSync } from "node:fs"
import { describe, expect, it } from "vitest"
import { Folder } from "../cli/workspace.js"

const agent = (...front: ReadonlyArray<string>) => ["---", "class: agent", ...front, "---", ""].join("\n")

const forged = agent("capabilities: [records.delete]")

const here = (config = "") => {
  const folder = new Folder({
    "ws/bailiwick.yaml": config,
    "ws/.env": "KEY=value-of-the-key\n",
    "ws/personalities/p/config.yaml": "id: p\n",
    "ws/personalities/q.yaml": "id: q\n",
    "ws/records/team/other.md": agent("capabilities: [records.read]"),
    "ws/src/a.txt": "a"
  })
  folder.write(
    "ws/records/agents/me.md",
    agent(
      `capabilities: ${JSON.stringify([
        `fs.read{in=${folder.root}}`,
        `fs.write{in=${folder.root}}`,
        `fs.delete{in=${folder.root}}`
      ])}`
    )
  )
  symlinkSync(folder.path("ws/records"), folder.path("ws/link"))
  symlinkSync(folder.path("ws/records/agents/me.md"), folder.path("ws/src/me.txt"))
  symlinkSync(folder.path("ws/bailiwick.yaml"), folder.path("ws/src/b.txt"))
  symlinkSync(folder.path("ws/records/agents/planted.md"), folder.path("ws/src/dangling.md"))
  return folder
}

const runs = async (folder: Folder, calls: ReadonlyArray<{ name: string; args: object }>) => {
  const outcome = await folder.bailiwick(["run", "-", "--agent", "agents/me", "--json"], {
    cwd: folder.path("ws"),
    stdin: JSON.stringify(calls.map((call, at) => ({ id: String(at), ...call })))
  })
  if (outcome.code !== 0) throw new Error(outcome.stderr)
  return JSON.parse(outcome.stdout).results.map(({ result }: { result: { ok: boolean } }) => result)
}

const guarded = (folder: Folder) => [
  folder.path("ws/records/agents/me.md"),
  folder.path("ws/records/agents/new.md"),
  folder.path("ws/records/agents/deep/er/new.md"),
  folder.path("ws/records/team/other.md"),
  folder.path("ws/records/notes/new.md"),
  folder.path("ws/records/.trash/x.md"),
  folder.path("ws/RECORDS/agents/new.md"),
  folder.path("ws/records/./agents//me.md"),
  folder.path("ws/bailiwick.yaml"),
  folder.path("ws/src/bailiwick.yaml"),
  folder.path("ws/src/Bailiwick.YAML"),
  folder.path("ws/src/bailiwick\u200d.yaml"),
  folder.path("ws/personalities/p/config.yaml"),
  folder.path("ws/personalities/new.yaml"),
  folder.path("ws/personalities/p/toolset.yaml"),
  folder.path("ws/sub/records/agents/x.md"),
  folder.path("ws/sub/personalities/x/config.yaml"),
  folder.path("ws/link/agents/new.md"),
  folder.path("ws/link/agents/me.md"),
  folder.path("ws/src/me.txt"),
  folder.path("ws/src/b.txt"),
  folder.path("ws/src/dangling.md"),
  folder.path("ws/.env"),
  folder.path("ws/.bailiwick/x")
]

describe("an agent whose root is the workspace", () => {
  it("writes and deletes nothing that authority is read from, by any name for it", async () => {
    const folder = here()
    const before = readFileSync(folder.path("ws/records/agents/me.md"), "utf8")
    for (const path of guarded(folder)) {
      const [write] = await runs(folder, [{ name: "write_file", args: { path, content: forged } }])
      // A link of one's own may be deleted: that takes nothing away from what it leads to.
      const [remove] = /\/src\/(?:me|b)\.txt$|dangling/.test(path)
        ? [{ ok: false }]
        : await runs(folder, [{ name: "delete_file", args: { path } }])
      expect([path, write.ok, remove.ok]).toEqual([path, false, false])
    }
    expect(readFileSync(folder.path("ws/records/agents/me.md"), "utf8")).toBe(before)
    const [plain] = await runs(folder, [
      { name: "write_file", args: { path: folder.path("ws/src/ok.txt"), content: "x" } }
    ])
    expect(plain.ok).toBe(true)
  })

  it("deletes no directory that holds what authority is read from", async () => {
    const folder = here()
    for (const path of ["ws", "ws/records", "ws/records/agents", "ws/personalities", "ws/link"]) {
      const [removed] = await runs(folder, [{ name: "delete_file", args: { path: folder.path(path) } }])
      expect([path, removed.ok && !existsSync(folder.path("ws/records/agents/me.md"))]).toEqual([path, false])
    }
    expect(existsSync(folder.path("ws/personalities/p/config.yaml"))).toBe(true)
  })

  it("does not write records that lie elsewhere, be it behind a link", async () => {
    const folder = here("records_dir: /nowhere\n")
    mkdirSync(folder.path("real/agents"), { recursive: true })
    folder.write("real/agents/me.md", readFileSync(folder.path("ws/records/agents/me.md"), "utf8"))
    symlinkSync(folder.path("real"), folder.path("ws/store"))
    folder.write("ws/bailiwick.yaml", `records_dir: store\n`)
    for (const path of ["real/agents/new.md", "ws/store/agents/new.md", "real/agents/me.md", "real/n.md"]) {
      const [write] = await runs(folder, [
        { name: "write_file", args: { path: folder.path(path), content: forged } }
      ])
      expect([path, write.ok]).toEqual([path, false])
    }
  })

  it("does not change a record through a second name for its file", async () => {
    const folder = here()
    linkSync(folder.path("ws/records/agents/me.md"), folder.path("ws/src/hard.txt"))
    const before = readFileSync(folder.path("ws/records/agents/me.md"), "utf8")
    await runs(folder, [
      { name: "write_file", args: { path: folder.path("ws/src/hard.txt"), content: forged } }
    ])
    expect(readFileSync(folder.path("ws/records/agents/me.md"), "utf8")).toBe(before)
  })
})
