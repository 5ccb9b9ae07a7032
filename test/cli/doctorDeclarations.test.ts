/** The doctor reads the audit log of a workspace, for who wrote its tools. */
import { Tool } from "bailiwick"
import { Effect, Schema } from "effect"
import { expect, it } from "vitest"
import { call, decision, lines } from "./auditLog.js"
import { Workspace } from "./ownModules.js"

const reporter = Tool.make({
  name: "reporter",
  description: "Reports",
  parameters: Schema.Struct({}),
  capabilities: { network: { allowedHosts: ["api.github.com", "unused.example.com"] } },
  execute: () => Effect.void
})

const today = (): string => new Date().toISOString()

const found = async (workspace: Workspace) => {
  const { code, stderr, stdout } = await workspace.bailiwick(["doctor", "--json"])
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" })
  return JSON.parse(stdout).findings.filter(({ check }: { check: string }) => check === "declarations")
}

it("a declaration that no call needed is a warning, with the count of calls", async () => {
  const workspace = new Workspace({ "tools.js": { reporter } })
  expect(await found(workspace)).toEqual([])
  const time = today()
  const entries = Array.from({ length: 20 }, (_, n) => [
    decision({ time, tool: "reporter", call: String(n) }),
    call({ time, tool: "reporter", call: String(n) })
  ])
  workspace.write(`.bailiwick/audit/${time.slice(0, 10)}.jsonl`, lines(entries.flat()))
  expect(await found(workspace)).toMatchObject([
    {
      severity: "warning",
      code: "DECLARATION_UNUSED",
      subject: "reporter",
      detail: expect.stringContaining("never used network.allowedHosts 'unused.example.com'")
    }
  ])
})

it("a log that cannot be read is left to 'audit'", async () => {
  const workspace = new Workspace({ "tools.js": { reporter } })
  workspace.write(".bailiwick/audit/2026-01-01.jsonl/odd", "x")
  expect(await found(workspace)).toEqual([])
})
