/** What an operator sees who has only just arrived. */
import { describe, expect, it } from "vitest"
import { World } from "./world.js"

const world = () =>
  new World({ "records/notes/a.md": "---\nclass: durable\n---\nA\n" })
    .agent("scout", "title: The scout", "sandbox: ~/p")
    .agent("typo", "capabilities: [records.reed, net.get]")
    .agent("mute", "capabilities: []")

describe("agents without a command of their own", () => {
  it("R35: lists the agents, and no other record", async () => {
    const { code, stderr, stdout } = await world().bailiwick(["agents"])
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" })
    expect(stdout.trimEnd().split("\n")).toEqual([
      "none  agents/mute  0 grants",
      "high  agents/scout  The scout  4 grants",
      "! medium  agents/typo  1 grant, 1 inert, 1 warning",
      "",
      "3 agents"
    ])
    expect((await world().bailiwick(["agents", "list"])).stdout).toBe(stdout)
  })

  it("R35: as a document", async () => {
    const folder = world()
    const { stdout } = await folder.bailiwick(["agents", "--json"])
    expect(JSON.parse(stdout)).toMatchObject({
      agents: [
        { agent: "agents/mute", risk: null, grants: [], inert: 0, warnings: 0 },
        {
          agent: "agents/scout",
          title: "The scout",
          risk: "high",
          file: folder.path("records/agents/scout.md")
        },
        { agent: "agents/typo", risk: "medium", grants: ["net.get"], inert: 1, warnings: 1 }
      ],
      unreadable: []
    })
  })

  it("R35: says of a file that cannot be read that it cannot, and lists the others", async () => {
    const folder = world()
    folder.write("records/agents/broken.md", "---\nclass: agent\ncapabilities: [a\n---\n")
    const { code, stderr, stdout } = await folder.bailiwick(["agents"])
    expect(code).toBe(0)
    expect(stdout).toContain("3 agents")
    expect(stderr).toContain("broken.md")
  })

  it("R35: without agents says so, and without a workspace that there is none", async () => {
    expect((await new World().bailiwick(["agents"])).stdout).toBe("(no agent records)\n")
    const { code, stderr } = await new World().bailiwick(["agents"], { cwd: "/" })
    expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining("there is no workspace") })
  })

  it.each([
    [["agent", "grant", "scout", "records.read"], "'agents grant'"],
    [["agent"], "'agents'"],
    [["agents", "grnt", "scout"], "'agents grant'"]
  ])("R34: %j is no command, and what was meant is suggested", async (args, suggestion) => {
    const { code, stderr, stdout } = await world().bailiwick(args)
    expect({ code, stdout }).toEqual({ code: 2, stdout: "" })
    expect(stderr).toContain(`did you mean ${suggestion}`)
  })

  it("R31: on purpose, without a terminal nothing is picked from a list, and nothing hangs", async () => {
    const { code, stderr } = await world().bailiwick(["agents", "grant", "scout"])
    expect(code).toBe(1)
    expect(stderr).toContain("write 'bailiwick agents grant agents/scout SPEC'")
  })
})
