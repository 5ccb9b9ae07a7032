/** `audit --html`: what is put into the page of a workspace, and into which file. */
import { mkdirSync, readdirSync, readFileSync, statSync, symlinkSync } from "node:fs"
import { describe, expect, it } from "vitest"
import { sampleEntries, writeSample } from "../../scripts/page/sample.js"
import type { AuditEntry, Decision } from "../../src/audit/AuditEntry.js"
import { Collected, MOST } from "../../src/cli/commands/audit/page/Collected.js"
import type { PageData, Subject } from "../../src/page/PageData.js"
import { call } from "../cli/auditLog.js"
import { Folder, type Options } from "../cli/workspace.js"

const LOG = ".bailiwick/audit/2026-11-18.jsonl"

const lines = (entries: ReadonlyArray<AuditEntry>): string =>
  entries.map((one) => `${JSON.stringify(one)}\n`).join("")

const workspace = () => {
  const folder = new Folder()
  writeSample(folder.root)
  const entries = sampleEntries(folder.root, 300)
  folder.write(LOG, lines(entries))
  return { folder, entries, decisions: entries.filter((one): one is Decision => one.type === "decision") }
}

const dataIn = (file: string): PageData =>
  JSON.parse(
    /<script id="data" type="application\/json">(.*?)<\/script>/s.exec(readFileSync(file, "utf8"))?.[1] ?? ""
  )

const written = async (
  folder: Folder,
  args: ReadonlyArray<string> = [],
  options: Options = {}
): Promise<PageData> => {
  const { code, stderr } = await folder.bailiwick(["audit", "--html", "page.html", ...args], options)
  expect([code, stderr]).toEqual([0, ""])
  return dataIn(folder.path("page.html"))
}

const holder = ({ subjects = [] }: PageData, id: string): Subject => {
  const found = subjects.find((one) => one.id === id)
  if (found === undefined) throw new Error(`${id} is not on the page`)
  return found
}

const unusedOf = (subject: Subject): ReadonlyArray<string> =>
  subject.grants
    .filter(({ isUnused }) => isUnused)
    .map(({ file, line, written }) => `${file}:${line} ${written}`)

describe("the file of a page", () => {
  it("is its owner's alone, and says what is in it", async () => {
    const { decisions, folder } = workspace()
    const { code, stdout } = await folder.bailiwick(["audit", "--html", "page.html"])
    expect(code).toBe(0)
    const { mode, size } = statSync(folder.path("page.html"))
    expect(stdout).toBe(
      `wrote page.html (${Math.ceil(size / 1024)} KiB): ${decisions.length} decisions and 300 calls; open it in a browser\n`
    )
    expect(mode & 0o777).toBe(0o600)
    const { code: again, stdout: json } = await folder.bailiwick(["audit", "--html", "page.html", "--json"])
    expect(again).toBe(0)
    expect(JSON.parse(json)).toEqual({
      file: folder.path("page.html"),
      decisions: decisions.length,
      calls: 300,
      bytes: statSync(folder.path("page.html")).size
    })
    expect(readdirSync(folder.root).filter((name) => name.endsWith(".tmp"))).toEqual([])
  })

  it("is named so that its name moves nothing on a terminal", async () => {
    const { folder } = workspace()
    const { stdout } = await folder.bailiwick(["audit", "--html", "\u001b[31mpage.html"])
    expect(stdout).toMatch(/^wrote \\u001b\[31mpage\.html \(/)
  })

  it("has the newest of a log that is longer than a browser bears, and says what is left out", () => {
    const all = new Collected({})
    const [oldest, other] = [call({ call: "oldest" }), call({ call: "other" })]
    all.add([oldest, ...Array.from({ length: MOST }, () => other)])
    expect(all.notes).toEqual([
      "This page has the newest 300,000 entries; 1 older one is left out. Choose some with --since or --agent."
    ])
    expect(all.shown.entries).toHaveLength(MOST)
    expect(all.shown.entries).not.toContain(oldest)
  })

  it("takes the place of the one before, where a link leads", async () => {
    const { folder } = workspace()
    folder.write("kept/page.html", "<!doctype html>\nbefore")
    symlinkSync(folder.path("kept/page.html"), folder.path("page.html"))
    expect((await written(folder)).about).toMatch(/^bailiwick-cli-/)
    expect(readFileSync(folder.path("kept/page.html"), "utf8")).toContain("<!doctype html>")
  })

  it("is not where something else is", async () => {
    const { folder } = workspace()
    mkdirSync(folder.path("page"))
    symlinkSync("loop", folder.path("loop"))
    const log = readFileSync(folder.path(LOG), "utf8")
    for (const [file, why] of [
      ["page", "it is a directory"],
      ["/dev/null", "it is no file"],
      ["bailiwick.yaml", "something else is there, and stays; name another file"],
      [LOG, "something else is there, and stays; name another file"],
      ["loop", "it cannot be replaced (ELOOP)"],
      ["none/page.html", `there is no directory ${folder.path("none")}`]
    ] as const) {
      const { code, stderr, stdout } = await folder.bailiwick(["audit", "--html", file])
      expect([code, stdout, stderr]).toEqual([
        2,
        "",
        `bailiwick: ${file.startsWith("/") ? file : folder.path(file)} was not written: ${why}\n`
      ])
    }
    expect(readFileSync(folder.path(LOG), "utf8")).toBe(log)
  })
})

describe("what a page knows of a workspace", () => {
  it("is who holds what, with the line and what is at stake", async () => {
    const { folder } = workspace()
    const page = await written(folder)
    expect(page.subjects?.map(({ id, kind }) => `${kind} ${id}`)).toEqual([
      "agent agents/caretaker",
      "agent agents/data-analyst",
      "agent agents/release-bot",
      "agent agents/researcher",
      "agent agents/support-triage",
      "personality visitor"
    ])
    expect(holder(page, "agents/release-bot")).toMatchObject({
      title: "Publishes the site and its packages",
      file: "records/agents/release-bot.md",
      asDeclared: []
    })
    expect(holder(page, "agents/release-bot").grants.slice(0, 2)).toEqual([
      {
        written: "net.get{hosts=[api.github.com,registry.npmjs.org]}",
        file: "records/agents/release-bot.md",
        line: 5,
        capabilities: ["network.get"],
        risk: "medium",
        isUnused: false
      },
      {
        written: "net.post{hosts=[api.github.com]}",
        file: "records/agents/release-bot.md",
        line: 6,
        capabilities: ["network.post"],
        risk: "high",
        isUnused: false
      }
    ])
    expect(holder(page, "visitor").grants[0]).toMatchObject({
      written: "fs_reach.read: /srv/site/public",
      file: "personalities/visitor/config.yaml",
      line: 5,
      capabilities: ["files.read"]
    })
  })

  it("is what nothing in the log needed, line by line", async () => {
    const { folder } = workspace()
    const page = await written(folder)
    expect(unusedOf(holder(page, "agents/release-bot"))).toEqual([
      "records/agents/release-bot.md:7 net.put{hosts=[api.github.com]}"
    ])
    expect(unusedOf(holder(page, "agents/data-analyst"))).toEqual([
      "records/agents/data-analyst.md:7 fs.delete{in=/srv/warehouse/reports}"
    ])
    expect(unusedOf(holder(page, "agents/caretaker"))).toHaveLength(4)
    expect(unusedOf(holder(page, "visitor"))).toEqual([
      "personalities/visitor/config.yaml:9 safety.network.allow: status.example.com"
    ])
  })

  it("is of the whole log, whoever is asked about", async () => {
    const { decisions, folder } = workspace()
    const page = await written(folder, ["--agent", "researcher", "--denied"])
    expect(page.log.decisions.time).toHaveLength(
      decisions.filter(({ agent, allowed }) => agent === "agents/researcher" && !allowed).length
    )
    expect(unusedOf(holder(page, "agents/release-bot"))).toHaveLength(1)
    expect(page.covers).toEqual([Date.parse(decisions[0]?.time ?? ""), expect.any(Number)])
  })

  it("is what is left to the declarations of tools", async () => {
    const { folder } = workspace()
    folder.write("personalities/open/config.yaml", "id: open\nfs_reach: { read: [/srv] }\n")
    expect(holder(await written(folder), "open").asDeclared).toEqual([
      "process.exec",
      "process.eval",
      "secrets.read",
      "secrets.seal",
      "storage.use",
      "attachments.read"
    ])
  })

  it("is what a grant that gives nothing lacks", async () => {
    const { folder } = workspace()
    folder.write("records/agents/idle.md", "---\nclass: agent\ncapabilities: [fs.read, net.get]\n---\n")
    const { grants } = holder(await written(folder), "agents/idle")
    expect(grants.map(({ inert, isUnused }) => [typeof inert, isUnused])).toEqual([
      ["string", false],
      ["string", false]
    ])
  })

  it("is the surface of each tool, where it comes from, and what is at stake", async () => {
    const { folder } = workspace()
    const { tools = [] } = await written(folder)
    expect(tools.find(({ name }) => name === "web_fetch")).toEqual({
      name: "web_fetch",
      origin: "builtin",
      surface: ["network: *"],
      risk: "high"
    })
    expect(tools.find(({ name }) => name === "kv_get")?.risk).toBe("low")
    expect(tools).toHaveLength(21)
  })

  it("is nothing where files are read: then the log alone speaks", async () => {
    const { entries, folder } = workspace()
    const page = await written(folder, [LOG])
    expect([page.subjects, page.tools, page.about]).toEqual([undefined, undefined, "2026-11-18.jsonl"])
    expect(page.log.calls.time).toHaveLength(entries.filter(({ type }) => type === "call").length)
  })

  it("has what could not be read in its notes", async () => {
    const { entries, folder } = workspace()
    folder.write(LOG, `${lines(entries.slice(0, 10))}no entry\n`)
    folder.write("records/agents/broken.md", "---\nclass: agent\ncapabilities: [\n---\n")
    const { notes } = await written(folder)
    expect(notes).toHaveLength(2)
    expect(notes[0]).toContain("2026-11-18.jsonl:11:")
    expect(notes[1]).toContain("broken.md: ")
  })

  it("names lines by their place in the workspace", async () => {
    const { folder } = workspace()
    const { log } = await written(folder)
    expect(log.strings).toContain("records/agents/release-bot.md:5")
    expect(JSON.stringify(log)).not.toContain(folder.root)
  })
})
