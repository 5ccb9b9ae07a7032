/** How an operator narrows an agent, and what holds for both: no terminal, documents, and the file itself. */
import { chmodSync, lstatSync, readdirSync, statSync, symlinkSync } from "node:fs"
import { describe, expect, it } from "vitest"
import { FakeTty, keys } from "./fakeTty.js"
import { agents, folderOf, held, SCOUT, text } from "./scout.js"
import type { Folder } from "./workspace.js"

describe("agents revoke", () => {
  it("R19: a part of a scope is taken, and the rest stays and is said", async () => {
    const folder = folderOf("capabilities:", "  - net.get: { hosts: [a.example.com, b.example.com] }")
    const { code, stdout } = await agents(folder, ["revoke", "scout", "net.get{hosts=[a.example.com]}"])
    expect(code).toBe(0)
    expect(stdout).toMatch(/^✓ Revoked net\.get\{hosts=\[a\.example\.com\]\} from agents\/scout$/m)
    expect(stdout).toContain("it still holds net.get{hosts=[b.example.com]}")
    expect(await held(folder)).toEqual(["net.get{hosts=[b.example.com]}"])
  })

  it("R20: what is not held is no change, and a shorthand stays as it is", async () => {
    const folder = folderOf("access: rw")
    const before = text(folder)
    const { code, stdout } = await agents(folder, ["revoke", "scout", "net.get"])
    expect(code).toBe(0)
    expect(stdout).toMatch(/^No change — agents\/scout does not hold net\.get\n$/)
    expect(text(folder)).toBe(before)
  })

  it("R23: one verb of a shorthand leaves the others, written out", async () => {
    const folder = folderOf("access: rw")
    expect((await agents(folder, ["revoke", "scout", "records.update", "--yes"])).code).toBe(0)
    expect(new Set(await held(folder))).toEqual(new Set(["records.read", "records.create"]))
    expect(text(folder)).not.toContain("access:")
  })

  it("what would be left and cannot be written down is refused, and nothing is changed", async () => {
    const folder = folderOf("capabilities:", '  - net.get: { hosts: ["*"] }')
    const before = text(folder)
    const { code, stderr, stdout } = await agents(folder, [
      "revoke",
      "scout",
      "net.get{hosts=[a.example.com]}"
    ])
    expect({ code, stdout }).toEqual({ code: 1, stdout: "" })
    expect(stderr.trim().split("\n")).toHaveLength(1)
    expect(text(folder)).toBe(before)
  })
})

describe("without a terminal", () => {
  it.each([
    [["grant", "scout", "records.delete"], "add --yes"],
    [["grant", "scout"], "write 'bailiwick agents grant agents/scout SPEC'"]
  ])("%j is refused, the input is never read, and nothing is written", async (args, words) => {
    const folder = folderOf()
    const before = text(folder)
    const { code, stderr, stdout } = await agents(folder, args, { stdin: "y\n" })
    expect({ code, stdout }).toEqual({ code: 1, stdout: "" })
    expect(stderr).toContain(words)
    expect(text(folder)).toBe(before)
  })

  it("R20/R21: revoke asks nothing", async () => {
    expect((await agents(folderOf("access: rw"), ["revoke", "scout", "records.update"])).code).toBe(0)
  })
})

describe("with --json nobody is asked", () => {
  const json = async (folder: Folder, ...args: ReadonlyArray<string>) => {
    const tty = new FakeTty(["y", keys.enter])
    const { code, stdout } = await agents(folder, [...args, "--json"], { tty })
    expect(tty.opened).toBe(0)
    return { code, ...JSON.parse(stdout) }
  }

  it("and every outcome is a document", async () => {
    const folder = folderOf("access: r")
    const spec = "net.get{hosts=[a.example.com]}"
    const grants = [{ grant: spec, risk: "medium", effect: "fetch from a.example.com", inert: null }]
    const agent = "agents/scout"
    expect(await json(folder, "grant", "scout", spec)).toMatchObject({
      code: 1,
      outcome: "refused",
      agent,
      grants,
      reason: expect.stringContaining("--yes")
    })
    expect(await json(folder, "grant", "scout")).toMatchObject({ code: 1, outcome: "refused", grants: [] })
    expect(await json(folder, "grant", "scout", "records.reed", "--yes")).toMatchObject({
      code: 1,
      outcome: "refused"
    })
    expect(await json(folder, "grant", "scout", spec, "--yes")).toMatchObject({
      code: 0,
      outcome: "granted",
      agent,
      grants,
      dissolved: ["access"],
      reason: null
    })
    expect(await json(folder, "grant", "scout", spec, "--yes")).toMatchObject({
      code: 0,
      outcome: "unchanged"
    })
    expect(await json(folder, "revoke", "scout", spec)).toMatchObject({ code: 0, outcome: "revoked", agent })
    expect(await json(folder, "revoke", "scout", spec)).toMatchObject({ code: 0, outcome: "unchanged" })
  })
})

describe("the file", () => {
  it("keeps its permissions, and nothing is left beside it", async () => {
    const folder = folderOf("access: r")
    chmodSync(folder.path(SCOUT), 0o640)
    await agents(folder, ["grant", "scout", "records.create", "--yes"])
    expect(statSync(folder.path(SCOUT)).mode & 0o777).toBe(0o640)
    expect(readdirSync(folder.path("records/agents"))).toEqual(["scout.md"])
  })

  it("behind a link is replaced, and the link stays", async () => {
    const folder = folderOf("access: r")
    symlinkSync(folder.path(SCOUT), folder.path("link.md"))
    expect((await agents(folder, ["grant", "link.md", "records.create", "--yes"])).code).toBe(0)
    expect(lstatSync(folder.path("link.md")).isSymbolicLink()).toBe(true)
    expect(await held(folder)).toContain("records.create")
  })
})

describe("two operators at the same time", () => {
  it("lose nothing: what was granted is there, and who was refused has been told", async () => {
    const folder = folderOf("capabilities: []")
    const classes = Array.from({ length: 8 }, (_, at) => `class-${at}`)
    const outcomes = await Promise.all(
      classes.map((one) => agents(folder, ["grant", "scout", `records.delete{classes=[${one}]}`, "--yes"]))
    )
    const there = (await held(folder)).join(" ")
    outcomes.forEach(({ code, stderr }, at) => {
      expect(there.includes(classes[at] as string)).toBe(code === 0)
      if (code !== 0)
        expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringContaining("meanwhile") })
    })
    expect(outcomes.filter(({ code }) => code === 0).length).toBeGreaterThan(0)
  })

  it("leave no lock behind", async () => {
    const folder = folderOf("capabilities: []")
    await agents(folder, ["grant", "scout", "records.read", "--yes"])
    expect(readdirSync(folder.path("records/.lock"))).toEqual([])
  })
})
