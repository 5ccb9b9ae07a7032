/** What would change, as a diff, and nothing is written. */
import { execFileSync } from "node:child_process"
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs"
import { FastCheck as fc } from "effect"
import { describe, expect, it } from "vitest"
import { difference } from "../../src/cli/report/Difference.js"
import { times } from "../deep.js"
import { FakeTty, keys } from "./fakeTty.js"
import { agents, folderOf, SCOUT, text } from "./scout.js"
import { Folder } from "./workspace.js"

const spec = "net.get{hosts=[b.example.com]}"

const listed = () => folderOf("capabilities:", "  - net.get: { hosts: [a.example.com] } # why")

/** What is said to change is what changes: the same command without --dry-run makes it so. */
const applies = (before: string, diff: string, after: string): void => {
  const folder = new Folder({ file: before })
  writeFileSync(folder.path("diff"), diff)
  if (diff !== "") execFileSync("git", ["apply", "--unsafe-paths", "-p0", "diff"], { cwd: folder.root })
  expect(readFileSync(folder.path("file"), "utf8")).toBe(after)
}

describe("--dry-run", () => {
  it.each([
    ["grant", ["grant", "scout", spec]],
    ["revoke", ["revoke", "scout", "net.get{hosts=[a.example.com]}"]]
  ])("of %s prints the diff, asks nothing, and writes nothing", async (_what, args) => {
    const folder = listed()
    const before = text(folder)
    const tty = new FakeTty([])
    const { code, stderr, stdout } = await agents(folder, [...args, "--dry-run"], { tty })
    expect({ code, stderr, opened: tty.opened }).toEqual({ code: 0, stderr: "", opened: 0 })
    expect(text(folder)).toBe(before)
    expect(readdirSync(folder.path("records"))).toEqual(["agents"])
    expect(stdout).toContain(`--- ${folder.path(SCOUT)}\n+++ ${folder.path(SCOUT)}\n@@ -`)
    expect(stdout).toContain("nothing was written: --dry-run\n")
    const planned = JSON.parse((await agents(folder, [...args, "--dry-run", "--json"])).stdout)
    expect(planned).toMatchObject({ outcome: "planned", agent: "agents/scout", reason: null })
    expect(text(folder)).toBe(before)
    expect(stdout).toContain(planned.diff)
    expect((await agents(folder, [...args, "--yes"])).code).toBe(0)
    expect(difference(folder.path(SCOUT), before, text(folder))).toBe(planned.diff)
  })

  it("has colours in a terminal, and none with NO_COLOR", async () => {
    const shown = async (env: Record<string, string>) =>
      (await agents(listed(), ["grant", "scout", spec, "--dry-run"], { isTTY: true, columns: 200, env }))
        .stdout
    expect(await shown({})).toContain("\u001b[32m+")
    expect(await shown({ NO_COLOR: "1" })).not.toContain("\u001b")
  })

  it("of create shows the file that would be", async () => {
    const folder = new Folder({ "bailiwick.yaml": "" })
    const { code, stdout } = await agents(folder, ["create", "helper", "records.read", "--dry-run"])
    expect(code).toBe(0)
    expect(stdout).toContain("--- /dev/null\n")
    expect(stdout).toContain("+class: agent\n")
    expect(stdout).toMatch(/^\+.*records\.read/m)
    expect(existsSync(folder.path("records"))).toBe(false)
  })

  it("shows what is written out, what the doctor says, and is no with --yes either", async () => {
    const folder = folderOf("access: r")
    const before = text(folder)
    const { stdout } = await agents(folder, [
      "grant",
      "scout",
      "net.get{hosts=[*.com]}",
      "--dry-run",
      "--yes"
    ])
    expect(stdout).toContain("-access: r\n")
    expect(stdout).toContain("access: is written out as entries of capabilities:")
    expect(stdout).toContain("HOSTS_OF_ANYBODY")
    expect(text(folder)).toBe(before)
  })

  it("of what changes nothing says so, and of what is refused refuses", async () => {
    const folder = listed()
    const same = await agents(folder, ["grant", "scout", "net.get{hosts=[a.example.com]}", "--dry-run"])
    expect(same).toMatchObject({ code: 0, stdout: expect.stringMatching(/^No change — /) })
    expect((await agents(folder, ["grant", "scout", "records.reed", "--dry-run"])).code).toBe(1)
    const wide = folderOf("capabilities:", '  - net.get: { hosts: ["*"] }')
    expect((await agents(wide, ["revoke", "scout", spec, "--dry-run"])).code).toBe(1)
  })

  it("of what is picked in a terminal shows the diff in the place of the question", async () => {
    const folder = folderOf("capabilities: []")
    const before = text(folder)
    const tty = new FakeTty(["net.get", keys.enter, "b.example.com", keys.enter])
    const { code, stdout } = await agents(folder, ["grant", "scout", "--dry-run"], { tty })
    expect(code).toBe(0)
    expect(stdout).toContain("b.example.com")
    expect(tty.shown).not.toContain("Grant this?")
    expect(text(folder)).toBe(before)
  })
})

describe("a difference", () => {
  it("is nothing between a text and itself", () => {
    expect(difference("file", "a\nb\n", "a\nb\n")).toBe("")
  })

  it("has three lines around a change, and one header for changes that are near", () => {
    const lines = Array.from({ length: 20 }, (_, at) => `line ${at}\n`)
    const after = lines.map((line, at) => (at === 10 ? "other\n" : line)).join("")
    expect(difference("file", lines.join(""), after)).toBe(
      "--- file\n+++ file\n@@ -8,7 +8,7 @@\n line 7\n line 8\n line 9\n-line 10\n+other\n line 11\n line 12\n line 13\n"
    )
  })

  it("is what git makes of one text the other with", () => {
    const some = fc.array(fc.constantFrom("a", "b", "c", "- x", "\ttab", "é"), { maxLength: 12 })
    const end = fc.constantFrom("", "\n")
    const body = fc
      .tuple(some, end)
      .map(([lines, last]) => (lines.length === 0 ? "" : lines.join("\n") + last))
    fc.assert(
      fc.property(body, body, (before, after) => {
        // A file that comes or goes is another kind of patch.
        if (before === "" || after === "") return
        applies(before, difference("file", before, after), after)
      }),
      { numRuns: times(25) }
    )
  })

  it("of long texts that differ all over is found without comparing every pair", () => {
    const [a, b] = ["a", "b"].map((name) =>
      Array.from({ length: 20_000 }, (_, at) => `${name}${at}\n`).join("")
    )
    expect(difference("file", a ?? "", b ?? "").split("\n").length).toBe(40_004)
  })
})
