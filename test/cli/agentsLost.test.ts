/** What `agents grant` and `revoke` take out of a record beside what was asked: said before the question, and in JSON. */
import { describe, expect, it } from "vitest"
import { FakeTty, keys, plain } from "./fakeTty.js"
import { agents, folderOf, text } from "./scout.js"

const fenced = [
  "sandbox: /w",
  "capabilities:",
  "  - records.read",
  "  - fs.read: { in: /etc } # ask Ann first"
]

describe("a grant outside of the fence, which an edit takes out", () => {
  it("is named before the question, and stays when the answer is no", async () => {
    const folder = folderOf(...fenced)
    const before = text(folder)
    const tty = new FakeTty(["n", keys.enter])
    const { code } = await agents(folder, ["grant", "scout", "records.create"], { tty })
    const seen = plain(tty.shown).replace(/\s+/g, " ")
    expect(code).toBe(1)
    expect(seen).toContain("line 8 goes: fs.read: { in: /etc } # ask Ann first")
    expect(seen.indexOf("# ask Ann first")).toBeLessThan(seen.indexOf("Grant this?"))
    expect(text(folder)).toBe(before)
  })

  it.each([
    ["granted", ["grant", "scout", "records.create", "--yes"], 0],
    ["refused", ["grant", "scout", "records.create"], 1],
    ["revoked", ["revoke", "scout", "proc.exec"], 0]
  ] as const)("is in the document of what is %s", async (outcome, args, code) => {
    const folder = folderOf(...fenced)
    const done = await agents(folder, [...args, "--json"])
    expect(done.code).toBe(code)
    expect(JSON.parse(done.stdout)).toMatchObject({
      outcome,
      lost: [{ line: 8, text: "fs.read: { in: /etc } # ask Ann first", why: expect.stringContaining("/w") }]
    })
  })

  it("is said when it is done", async () => {
    for (const args of [
      ["grant", "scout", "records.create", "--yes"],
      ["revoke", "scout", "proc.exec"]
    ]) {
      const folder = folderOf(...fenced)
      expect((await agents(folder, args)).stdout).toContain("line 8 goes: fs.read: { in: /etc }")
      expect(text(folder)).not.toContain("/etc")
    }
  })

  it("is nothing where nothing goes", async () => {
    const { stdout } = await agents(folderOf("access: rw"), [
      "grant",
      "scout",
      "storage.use{scopes=[session]}",
      "--yes",
      "--json"
    ])
    expect(JSON.parse(stdout)).toMatchObject({ outcome: "granted", lost: [] })
  })
})

describe("grants of equal risk", () => {
  it("are listed by name", async () => {
    const folder = folderOf(
      "capabilities: [records.read, 'storage.use{scopes=[session]}', 'attachments.read{kinds=[image]}',",
      "  records.update, 'net.get{hosts=[a.com]}', agent.update, 'secrets.read{refs=[K]}', agent.grant]"
    )
    const { stdout } = await agents(folder, ["capabilities", "scout", "--json"])
    expect(JSON.parse(stdout).grants.map(({ grant }: { grant: string }) => grant)).toEqual([
      "agent.grant",
      "secrets.read{refs=[K]}",
      "agent.update",
      "net.get{hosts=[a.com]}",
      "records.update",
      "attachments.read{kinds=[image]}",
      "records.read",
      "storage.use{scopes=[session]}"
    ])
  })
})
