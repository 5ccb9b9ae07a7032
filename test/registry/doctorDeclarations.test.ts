/** What the doctor tells authors of tools: what they declare, and no call was seen to need. */
import { Registry, Tool } from "bailiwick"
import { Effect, Schema } from "effect"
import { describe, expect, it } from "vitest"
import type { AuditEntry } from "../../src/audit/AuditEntry.js"
import { ToolUses } from "../../src/audit/suggest/ToolUse.js"
import type * as Doctor from "../../src/registry/doctor/Doctor.js"
import { call, decision, refusal } from "../cli/auditLog.js"
import { examine, found } from "./doctorInput.js"

const reporter = Tool.make({
  name: "reporter",
  description: "x",
  parameters: Schema.Struct({}),
  capabilities: {
    network: { allowedHosts: ["api.github.com", "*.example.com"] },
    secrets: ["TOKEN", "OTHER"],
    fs_reach: { read: ["/data"] },
    process: { allowedBinaries: ["git"] },
    records: { verbs: ["read"] }
  },
  execute: () => Effect.void
})

const asks = (capability: string, asked: string, n = 0) =>
  decision({ tool: "reporter", call: String(n), capability, asked, scope: "*" })

const calls = (count: number, over: Parameters<typeof call>[0] = {}) =>
  Array.from({ length: count }, (_, n) => call({ tool: "reporter", call: String(n), ...over }))

const audited = (entries: ReadonlyArray<AuditEntry>, over: Partial<Doctor.Audited> = {}): Doctor.Audited => {
  const uses = new ToolUses()
  for (const entry of entries) uses.add(entry)
  return {
    since: "2026-01-01T00:00:00.000Z",
    entries: entries.length,
    isCut: false,
    tools: uses.tools,
    ...over
  }
}

const look = (entries: ReadonlyArray<AuditEntry>, over: Partial<Doctor.Audited> = {}) =>
  found("declarations", { tools: Registry.make(reporter), audit: audited(entries, over) })

/** Each of its calls is heard of, so that none of them could have searched. */
const heard = Array.from({ length: 25 }, (_, n) => asks("network.get", "GET https://api.github.com/x", n))

describe("a tool that was called often", () => {
  it("is told what of its declaration was never used, with how many calls say so", () => {
    expect(look([...heard, ...calls(25)])).toEqual([
      {
        severity: "warning",
        check: "declarations",
        subject: "reporter",
        code: "DECLARATION_UNUSED",
        detail:
          "in 25 calls since 2026-01-01 reporter never used network.allowedHosts '*.example.com', secrets 'TOKEN', secrets 'OTHER', fs_reach.read '/data', process.allowedBinaries 'git', records.verbs 'read', which it declares",
        remedy: "declare less, unless it is for what happens seldom"
      }
    ])
  })

  it("is told which few of a wildcard it used", () => {
    const [finding] = look([
      ...heard,
      asks("network.post", "POST https://one.example.com/"),
      asks("network.get", "GET https://two.example.com/"),
      ...calls(25)
    ])
    expect(finding?.detail).toContain(
      "network.allowedHosts '*.example.com' beyond one.example.com, two.example.com"
    )
  })

  it("is told nothing when it used all of it, be it that it was refused", () => {
    const all = [
      ...heard,
      ...["a", "b", "c", "d"].map((name) => asks("network.get", `GET https://${name}.example.com/`)),
      asks("secrets.read", "secret TOKEN"),
      refusal({ tool: "reporter", capability: "secrets.read", asked: "a secret that is not held" }),
      asks("files.read", "read /data/x"),
      refusal({ tool: "reporter", capability: "process.exec", asked: "exec git with 2 arguments in /w" }),
      asks("records.read", "records.read notes/a of class note"),
      ...calls(25)
    ]
    expect(look(all)).toEqual([])
    expect(
      examine({ tools: Registry.make(reporter), audit: audited(all) }).passed.filter(
        ({ check }) => check === "declarations"
      )
    ).toEqual([
      {
        check: "declarations",
        detail:
          "1 tool that the audit log has often enough since 2026-01-01, and each used all that it declares"
      }
    ])
  })

  it("is not told of what nobody hears of: what a search saw, and what a command read", () => {
    const [finding] = look([asks("process.exec", "exec git in /w", 99), ...calls(25)])
    expect(finding?.detail).not.toContain("records")
    expect(finding?.detail).not.toContain("fs_reach")
    expect(finding?.detail).toContain("secrets 'TOKEN'")
  })

  it("is told how much of the log was read, where that was not all", () => {
    expect(look([...heard, ...calls(25)], { isCut: true })[0]?.detail).toContain(
      "since 2026-01-01, of which 50 entries were read"
    )
  })
})

describe("nothing is told", () => {
  it.each([
    ["of a tool that was called seldom", [...heard.slice(0, 19), ...calls(19)], {}],
    ["of calls that did not run", [...heard, ...calls(25, { code: "input_invalid" })], {}],
    [
      "of calls that broke or ran too long",
      [...heard, ...calls(19), ...calls(9, { code: "execution_failed" })],
      {}
    ],
    ["of a tool that comes along", [...heard, ...calls(25)], { bundled: new Set(["reporter"]) }]
  ])("%s", (_, entries, over) => {
    expect(
      found("declarations", { tools: Registry.make(reporter), audit: audited(entries), ...over })
    ).toEqual([])
  })

  it("where there is no log", () => {
    const { findings, passed } = examine({ tools: Registry.make(reporter) })
    expect([...findings, ...passed].filter(({ check }) => check === "declarations")).toEqual([])
  })
})
