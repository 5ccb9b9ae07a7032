/** Who may do something, and which line lets them. */
import { describe, expect, it } from "vitest"
import { Folder } from "./workspace.js"

const agent = (...lines: ReadonlyArray<string>): string =>
  ["---", "class: agent", ...lines, "---", "Body", ""].join("\n")

const team = () =>
  new Folder({
    "bailiwick.yaml": "",
    "records/agents/any.md": agent("capabilities:", "  - records.read", '  - net.get: { hosts: ["*"] }'),
    "records/agents/git.md": agent("capabilities:", '  - net.get: { hosts: ["*.github.com"] }'),
    "records/agents/one.md": agent("capabilities:", "  - net.get: { hosts: [api.github.com] }"),
    "records/agents/none.md": agent("capabilities: []"),
    "records/agents/bare.md": agent("capabilities: [net.get]"),
    "records/agents/root.md": agent("sandbox: /w"),
    "records/agents/two.md": agent(
      "capabilities:",
      "  - fs.read: { in: /w, paths: [a/**] }",
      "  - fs.read: { in: /w, paths: [b/**] }"
    ),
    "records/notes/x.md": "---\nclass: note\ncapabilities: [net.get]\n---\n"
  })

interface Found {
  readonly agent: string
  readonly file: string
  readonly by: ReadonlyArray<{ readonly file: string; readonly line: number; readonly written: string }>
}

const who = async (folder: Folder, spec: string) => {
  const { code, stderr, stdout } = await folder.bailiwick(["agents", "who", spec, "--json"])
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" })
  const found: { readonly agents: ReadonlyArray<Found>; readonly partly: ReadonlyArray<Found> } =
    JSON.parse(stdout)
  return found
}

const names = (all: ReadonlyArray<Found>) => all.map((one) => one.agent.replace("agents/", ""))

describe("agents who", () => {
  it.each([
    ["net.get{hosts=[api.github.com]}", ["any", "git", "one"], []],
    ["net.get{hosts=[*.github.com]}", ["any", "git"], ["one"]],
    ["net.get{hosts=[*]}", ["any"], ["git", "one"]],
    ["net.get{hosts=[example.com]}", ["any"], []],
    ["net.get", ["any", "git", "one"], []],
    ["net.post", [], []],
    ["fs.read{in=/w/src}", ["root"], []],
    ["fs.read{in=/w/a}", ["root"], ["two"]],
    ["fs.read{in=/}", [], ["root", "two"]],
    ["fs.read", ["root", "two"], []],
    ["proc.exec{in=/w,cmds=[rg]}", ["root"], []],
    ["records.read", ["any", "root"], []],
    ["records.read net.get{hosts=[api.github.com]}", ["any"], ["git", "one", "root"]]
  ])("%s: all of it %j, a part of it %j", async (spec, agents, partly) => {
    const found = await who(team(), spec)
    expect([names(found.agents), names(found.partly)]).toEqual([agents, partly])
  })

  const rooted = () =>
    new Folder({
      "bailiwick.yaml": "",
      "records/agents/cat.md": agent("capabilities:", "  - proc.exec: { in: /w, cmds: [cat] }"),
      "records/agents/both.md": agent(
        "capabilities:",
        "  - proc.exec: { in: /w, cmds: [rm] }",
        "  - proc.exec: { in: /w, cmds: [cat] }"
      ),
      "records/agents/file.md": agent("capabilities:", "  - fs.write: { in: /w, paths: [a/**] }"),
      "records/agents/etc.md": agent("capabilities:", "  - fs.write: { in: /etc }"),
      "records/agents/net.md": agent("capabilities:", "  - net.get: { hosts: [a.example.com] }")
    })

  it.each([
    ["proc.exec{cmds=[rm]}", ["both"], []],
    ["proc.exec{cmds=[cat]}", ["both", "cat"], []],
    ["proc.exec{cmds=[rm,cat]}", ["both"], ["cat"]],
    ["proc.exec{patterns=[rm -rf *]}", ["both"], []],
    ["proc.exec{cmds=[curl]}", [], []],
    ["proc.exec", ["both", "cat"], []],
    ["fs.write{paths=[/etc/passwd]}", ["etc"], []],
    ["fs.write{paths=[/etc/passwd,/w/a/x]}", [], ["etc", "file"]],
    ["fs.write{paths=[a/x]}", ["etc", "file"], []],
    ["fs.write{paths=[b/x]}", ["etc"], []],
    ["fs.write{paths=[/root/x]}", [], []]
  ])("%s without a root: all of it %j, a part of it %j", async (spec, agents, partly) => {
    const found = await who(rooted(), spec)
    expect([names(found.agents), names(found.partly)]).toEqual([agents, partly])
  })

  it.each([
    ["net.get{hosts=[]}", "an empty list"],
    ["proc.exec{cmds=[]}", "an empty list"],
    ["fs.write{in=/w,paths=[]}", "an empty list"],
    ["records.create{classes=[]}", "an empty list"],
    ["fs.write{paths=[/etc/passwd,a]}", "as 'in'"]
  ])("%s is no question, and is refused", async (spec, words) => {
    const { code, stderr, stdout } = await rooted().bailiwick(["agents", "who", spec])
    expect({ code, stdout }).toEqual({ code: 1, stdout: "" })
    expect(stderr).toContain(words)
  })

  it("names the file and the line that let them, and no other", async () => {
    const folder = team()
    const { agents } = await who(folder, "net.get{hosts=[api.github.com]}")
    const file = folder.path("records/agents/any.md")
    expect(agents[0]).toEqual({
      agent: "agents/any",
      file,
      by: [{ file, line: 5, written: "net.get{hosts=[*]}" }]
    })
  })

  it("for a reader has a line for each, and how many", async () => {
    const folder = team()
    const { code, stdout } = await folder.bailiwick(["agents", "who", "net.get{hosts=[*.github.com]}"])
    expect(code).toBe(0)
    expect(stdout).toContain(
      `✓ all  agents/git  net.get{hosts=[*.github.com]} in ${folder.path("records/agents/git.md")}:4\n`
    )
    expect(stdout).toContain("! part  agents/one  ")
    expect(stdout).toMatch(/\n2 agents may do net\.get\{hosts=\[\*\.github\.com\]\}, 1 a part of it\n$/)
    const nobody = await folder.bailiwick(["agents", "who", "net.delete"])
    expect(nobody).toMatchObject({ code: 0, stdout: "no agent may do net.delete\n" })
  })

  it("a SPEC that is none is refused with what was meant", async () => {
    const { code, stderr, stdout } = await team().bailiwick(["agents", "who", "net.gte"])
    expect({ code, stdout }).toEqual({ code: 1, stdout: "" })
    expect(stderr).toContain("did you mean 'net.get'?")
  })

  it("without a workspace there is nobody to ask about", async () => {
    expect((await new Folder().bailiwick(["agents", "who", "net.get"])).code).toBe(2)
  })

  it("of many agents each is read once, and it stops when it is told to", async () => {
    const folder = new Folder({ "bailiwick.yaml": "" })
    for (let at = 0; at < 600; at++) {
      folder.write(`records/agents/a${at}.md`, agent(`capabilities: ['net.get{hosts=[h${at}.example.com]}']`))
    }
    expect(names((await who(folder, "net.get{hosts=[h77.example.com]}")).agents)).toEqual(["a77"])
    expect((await who(folder, "net.get")).agents).toHaveLength(600)
    const stopped = await folder.bailiwick(["agents", "who", "net.get"], { signal: AbortSignal.abort() })
    expect(stopped).toEqual({ code: 130, stdout: "", stderr: "" })
  })
})
