/** The support desk, as its operator uses it. */
import { existsSync, readFileSync } from "node:fs"
import { Tool } from "bailiwick"
import { Effect, Schema } from "effect"
import { describe, expect, it, vi } from "vitest"
import { afterTest } from "../cleanup.js"
import { followRemedies, runEveryCommand, TeamSpace } from "./everyCommand.js"

const opened = (): TeamSpace => {
  const space = new TeamSpace("support-desk")
  vi.stubEnv("DESK_DATABASE", space.path("desk.db"))
  afterTest(() => vi.unstubAllEnvs())
  return space
}

const draft = { name: "draft_reply", args: { id: 1, text: "We correct it today." } }

describe("the support desk", () => {
  it("answers to every command", async () => {
    const space = opened()
    const seen = await runEveryCommand(space, {
      name: "support-desk",
      agent: "clerk",
      personality: "clerk",
      calls: [{ name: "find_tickets", args: { text: "invoice", status: "open" } }, draft],
      skill: "answer-a-ticket",
      held: "storage.use{scopes=[session]}",
      wanted: "records.read"
    })
    const said = (command: string) => seen.find((one) => one.command === command)?.stdout
    expect(said("call find_tickets text=invoice status=open --agent clerk")).toContain("ada@example.com")
    expect(said("call find_tickets --help")).toContain("services: desk/Desk")
    expect(said("skills list --agent clerk")).toContain("answer-a-ticket")
  })

  it("keeps its rows from one command to the next, and drafts in a session", async () => {
    const space = opened()
    const clerk = ["--agent", "clerk", "--session", "morning"]
    await space.bailiwick(["call", "draft_reply", "id=1", "text=We correct it today.", ...clerk])
    expect((await space.bailiwick(["call", "send_reply", "id=1", ...clerk])).code).toBe(0)
    const { stdout } = await space.bailiwick(["call", "show_ticket", "id=1", ...clerk, "--json"])
    expect(JSON.parse(stdout).value).toMatchObject({
      status: "answered",
      messages: [{}, { author: "desk", text: "We correct it today." }]
    })
    expect(existsSync(space.original("desk.db-wal"))).toBe(false)
  })

  it("gives the auditor what the refusal advises, and the skill is satisfied by the same", async () => {
    const space = opened()
    expect(await followRemedies(space, "auditor", draft)).toBe(1)
    const { stdout } = await space.bailiwick(["skills", "check", "--agent", "auditor"])
    expect(stdout).toContain("✓ answer-a-ticket")
  })

  it("does what skills check advises", async () => {
    const space = opened()
    const { stdout } = await space.bailiwick(["skills", "check", "--agent", "auditor"])
    expect(stdout).toContain("bailiwick agents grant agents/auditor 'storage.use{scopes=[session]}'")
    expect(stdout).not.toContain("names no scope")
  })

  it("offers a reader no tool that answers", async () => {
    const { code, stderr } = await opened().bailiwick([
      "call",
      "send_reply",
      "id=1",
      "--personality",
      "reader"
    ])
    expect(code).toBe(1)
    expect(stderr).toContain("Tool send_reply is not permitted for this personality")
    expect(stderr).toContain("add send_reply to the toolset")
  })

  it("says what is missing when no module gives the database", async () => {
    const space = opened()
    space.write("bailiwick.yaml", 'tools: ["./tools/index.ts"]\n')
    const { code, stderr } = await space.bailiwick(["call", "find_tickets", "--agent", "clerk"])
    expect(code).toBe(1)
    expect(stderr).toContain("find_tickets lists the service desk/Desk, which this program does not provide")
    expect(stderr).toContain("export it as 'layer' from a module under 'tools' in bailiwick.yaml")
  })

  it("finds a service and a host that the lock does not have", async () => {
    const space = opened()
    const before = readFileSync(space.path("bailiwick.lock.json"), "utf8")
    space.instead["tools/index.ts"] = async () => ({
      ...(await import("../../examples/workspaces/support-desk/tools/index.js")),
      findTickets: Tool.make({
        name: "find_tickets",
        description: "Tickets by their subject or customer, the newest first",
        parameters: Schema.Struct({}),
        capabilities: { network: { allowedHosts: ["tickets.example.com"] } },
        execute: () => Effect.succeed([])
      })
    })
    const { code, stdout } = await space.bailiwick(["manifest", "--check"])
    expect(code).toBe(1)
    expect(stdout).toContain(
      "✗ find_tickets touches more than is locked\n  + network.allowedHosts: tickets.example.com\n"
    )
    expect(stdout).toContain("- services: desk/Desk")
    expect(readFileSync(space.path("bailiwick.lock.json"), "utf8")).toBe(before)
  })
})
