/** The whole way: an agent works, what it did not need is taken away, and it works as before. */
import { rmSync } from "node:fs"
import { describe, expect, it } from "vitest"
import { held, record, SCOUT } from "./scout.js"
import { Folder } from "./workspace.js"

const calls = (root: string) =>
  [
    { name: "read_file", args: { path: `${root}/docs/a.md` } },
    { name: "read_file", args: { path: `${root}/docs/b.md` } },
    { name: "list_files", args: { path: `${root}/src`, recursive: true } },
    { name: "search_files", args: { path: `${root}/src`, pattern: "needle" } },
    { name: "write_file", args: { path: `${root}/out/report.md`, content: "x" } },
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
const answers = async (folder: Folder) => {
  rmSync(folder.path("records/notes/today.md"), { force: true })
  for (const name of ["kept", "old"])
    folder.write(`records/notes/${name}.md`, "---\nclass: note\n---\nkept\n")
  const { stdout } = await folder.bailiwick(["run", "-", "--agent", "scout", "--json"], {
    stdin: JSON.stringify(calls(folder.root))
  })
  const { results } = JSON.parse(stdout)
  return results.map(({ name, result }: { name: string; result: { ok: boolean; code?: string } }) => [
    name,
    result.ok,
    result.code
  ])
}

describe("an agent that is cut down to what it did", () => {
  it("is given the same answers as before, and holds less", async () => {
    const folder = new Folder({
      "bailiwick.yaml": "",
      "docs/a.md": "a",
      "docs/b.md": "b",
      "src/deep/x.ts": "needle"
    })
    folder.write("out/report.md", "")
    folder.write(
      SCOUT,
      record(
        "access: rw",
        "capabilities:",
        `  - fs.read: { in: ${folder.root} } # all of it`,
        `  - fs.write: { in: ${folder.root} }`,
        "  - storage.use: { scopes: ['*'] }",
        "  - records.delete",
        "  - net.get: { hosts: ['*.github.com'] }",
        "  - agent.update"
      )
    )
    const before = await answers(folder)
    expect(before.filter(([, ok]: readonly [string, boolean]) => ok).length).toBeGreaterThan(9)
    const applied = await folder.bailiwick(["suggest", "--agent", "scout", "--apply", "--yes", "--json"])
    expect(applied).toMatchObject({ code: 0, stderr: "" })
    expect(await held(folder)).toEqual(
      expect.arrayContaining([
        `fs.write{in=${folder.path("out")},paths=[report.md]}`,
        "storage.use{scopes=[session]}",
        "records.delete{classes=[note]}",
        "records.create{classes=[note]}"
      ])
    )
    expect(JSON.parse(applied.stdout).unused).toEqual(["net.get{hosts=[*.github.com]}", "agent.update"])
    expect(await answers(folder)).toEqual(before)
    const again = await folder.bailiwick(["suggest", "--agent", "scout", "--json"])
    expect(JSON.parse(again.stdout)).toMatchObject({ outcome: "unchanged", unused: [], narrower: [] })
  })
})
