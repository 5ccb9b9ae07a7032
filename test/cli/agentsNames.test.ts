/** Names of agents and personalities that are not there: what was meant, or why what is there is not taken. */
import { symlinkSync } from "node:fs"
import { describe, expect, it } from "vitest"
import { Folder } from "./workspace.js"

const AGENT = "---\nclass: agent\ncapabilities: [records.read]\n---\nBody\n"

const workspace = () =>
  new Folder({
    "bailiwick.yaml": "",
    "records/agents/scout.md": AGENT,
    "personalities/writer/config.yaml": "id: writer\n",
    "calls.json": "[]"
  })

const commands = (agent: string): ReadonlyArray<ReadonlyArray<string>> => [
  ["agents", "capabilities", agent],
  ["agents", "grant", agent, "records.read", "--yes"],
  ["agents", "revoke", agent, "records.read"],
  ["run", "calls.json", "--agent", agent],
  ["explain", "calls.json", "--agent", agent],
  ["tools", "list", "--agent", agent],
  ["skills", "list", "--agent", agent]
]

describe("an agent that is not there", () => {
  it.each([
    ["scuot", "did you mean 'scout'?"],
    ["agents/scuot", "did you mean 'agents/scout'?"],
    ["agent/scout", "did you mean 'agents/scout'?"],
    ["SCOUT", "did you mean 'scout'?"],
    ["somebody", "'bailiwick agents' lists those that there are"]
  ])("%s: every command says %s", async (name, words) => {
    const folder = workspace()
    for (const args of commands(name)) {
      const { code, stderr, stdout } = await folder.bailiwick(args)
      expect({ code, stdout }).toEqual({ code: 2, stdout: "" })
      expect(stderr).toContain(words)
    }
  })
})

describe("a personality that is not there", () => {
  it("is answered with the one that was probably meant", async () => {
    const { code, stderr } = await workspace().bailiwick(["run", "calls.json", "--personality", "wirter"])
    expect(code).toBe(2)
    expect(stderr).toContain("did you mean 'writer'?")
  })
})

describe("an agent's record that is a link", () => {
  const linked = (target: string, at: string) => {
    const folder = workspace()
    folder.write("elsewhere/spy.md", AGENT)
    symlinkSync(folder.path(target), folder.path(at))
    return folder
  }

  it.each([
    ["spy", "elsewhere/spy.md", "records/agents/spy.md"],
    ["agents/spy", "elsewhere/spy.md", "records/agents/spy.md"],
    ["agents/spy", "nowhere", "records/agents/spy.md"],
    ["team/spy", "elsewhere", "records/team"]
  ])("%s is not taken, and every command says why", async (name, target, at) => {
    const folder = linked(target, at)
    for (const args of commands(name)) {
      const { code, stderr, stdout } = await folder.bailiwick(args)
      expect({ code, stdout }).toEqual({ code: 2, stdout: "" })
      expect(stderr).toContain(`${folder.path(at)} is a link, and no link among the records is followed`)
      expect(stderr).toContain("put the file itself there")
    }
  })

  it("is not listed, and does not hide one of the same short name", async () => {
    const folder = linked("elsewhere/spy.md", "records/agents/spy.md")
    folder.write("records/other/spy.md", AGENT)
    const { code, stdout } = await folder.bailiwick(["agents", "capabilities", "spy", "--json"])
    expect(code).toBe(0)
    expect(JSON.parse(stdout).agent).toBe("other/spy")
    const listed = await folder.bailiwick(["agents"])
    expect(listed.stdout).not.toContain("agents/spy")
    expect(listed.stderr).toBe(
      `${folder.path("records/agents/spy.md")} is a link, and no link among the records is followed: whoever can write where it leads could write records; put the file itself there\n`
    )
  })
})
