/** How an operator widens an agent: the words, the exit codes, and the bytes of the record. */
import { readdirSync, writeFileSync } from "node:fs"
import { describe, expect, it } from "vitest"
import type { Tty } from "../../src/cli/prompt/Tty.js"
import { FakeTty, keys, plain } from "./fakeTty.js"
import { agents, folderOf, held, record, SCOUT, text } from "./scout.js"

describe("agents grant", () => {
  it("R16/R17: with --yes it is done at once, said, and held from the next turn on", async () => {
    const folder = folderOf("capabilities:", "  - net.get: { hosts: [a.example.com] } # why")
    const before = text(folder)
    const { code, stderr, stdout } = await agents(folder, [
      "grant",
      "scout",
      "net.get{hosts=[b.example.com]}",
      "--yes"
    ])
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" })
    expect(stdout).toMatch(/^✓ Granted net\.get\{hosts=\[b\.example\.com\]\} to agents\/scout$/m)
    expect(stdout).toContain("next turn")
    const after = text(folder)
    expect(after).toContain("# who it is\nid: agents/scout")
    expect(after.slice(after.indexOf("\n---\n"))).toBe(before.slice(before.indexOf("\n---\n")))
    const hosts = (await held(folder)).join(" ")
    expect(hosts).toContain("a.example.com")
    expect(hosts).toContain("b.example.com")
  })

  it("R12: shorthands are written out, and it is said that they are", async () => {
    const folder = folderOf("access: rw")
    const { stdout } = await agents(folder, ["grant", "scout", "records.delete{classes=[inbox]}", "--yes"])
    expect(stdout).toContain("access: is written out as entries of capabilities:")
    expect(text(folder)).not.toContain("access:")
    expect(new Set(await held(folder))).toEqual(
      new Set(["records.read", "records.create", "records.update", "records.delete{classes=[inbox]}"])
    )
  })

  it("R15: on an empty list there is the new one only", async () => {
    const folder = folderOf("capabilities: []")
    await agents(folder, ["grant", "scout", "net.get{hosts=[*]}", "--yes"])
    expect(await held(folder)).toEqual(["net.get{hosts=[*]}"])
  })

  it("B12: several at once are separated by blanks or commas", async () => {
    const folder = folderOf("capabilities: []")
    const spec = "records.read, net.get{hosts=[a.example.com,b.example.com]} agent.update"
    expect((await agents(folder, ["grant", "scout", spec, "--yes"])).code).toBe(0)
    expect(await held(folder)).toHaveLength(3)
  })

  it("what is held already changes nothing, and nobody is asked", async () => {
    const folder = folderOf("access: rw")
    const before = text(folder)
    const { code, stdout } = await agents(folder, ["grant", "scout", "records.read"])
    expect(code).toBe(0)
    expect(stdout).toMatch(/^No change — /)
    expect(text(folder)).toBe(before)
  })

  it.each([
    ["records.reed", "did you mean 'records.read'?"],
    ["net.get{host=[a]}", "did you mean 'hosts'?"],
    ["net.get{hosts=[a]", "missing closing brace"],
    ["net.get{hosts=a}", "expected a list of strings"],
    ["fs.read{in=/w,paths=[/etc/x]}", "outside of '/w'"],
    ["fs.read{in=/w,paths=[../x]}", "'..'"],
    ["", "empty spec"],
    ["records.read nodotshere", "expected resource.verb"]
  ])("R11/C25: %j is refused in one sentence, and nothing is written", async (spec, words) => {
    const folder = folderOf("access: r")
    const before = text(folder)
    for (const verb of ["grant", "revoke"]) {
      const { code, stderr, stdout } = await agents(folder, [verb, "scout", spec, "--yes"])
      expect({ code, stdout }).toEqual({ code: 1, stdout: "" })
      expect(stderr).toMatch(/^bailiwick: Invalid capability spec: [^\n]+\n$/)
      expect(stderr).toContain(words)
    }
    expect(text(folder)).toBe(before)
  })

  it("what will be inert is granted with the reason and the fix", async () => {
    const folder = folderOf("capabilities: []")
    const { code, stdout } = await agents(folder, ["grant", "scout", "fs.read", "--yes"])
    expect(code).toBe(0)
    expect(stdout).toMatch(/! medium {2}fs\.read {2}inert: .*no root.* {2}fix: /)
  })
})

describe("roots", () => {
  it("G4/G9: one that is wider than the agent's is shown as what it is cut down to, before it is granted", async () => {
    const folder = folderOf("sandbox: /w/lib", "capabilities: []")
    const tty = new FakeTty(["y", keys.enter])
    const { code, stdout } = await agents(folder, ["grant", "scout", "fs.delete{in=/w}"], { tty })
    expect(code).toBe(0)
    expect(plain(tty.shown)).toContain("delete files below /w/lib")
    expect(plain(tty.shown)).toContain("clamped from /w to /w/lib")
    expect(stdout).toContain("Granted fs.delete{in=/w/lib} to agents/scout")
    expect(await held(folder)).toContain("fs.delete{in=/w/lib}")
  })

  it("G6: one outside the agent's is refused, and nothing is written", async () => {
    const folder = folderOf("sandbox: /w", "capabilities: []")
    const before = text(folder)
    const { code, stderr } = await agents(folder, ["grant", "scout", "fs.read{in=/etc}", "--yes"])
    expect(code).toBe(1)
    expect(stderr).toContain("a root can only narrow")
    expect(text(folder)).toBe(before)
  })
})

describe("the question", () => {
  const spec = "net.post{hosts=[api.example.com]}"

  const asked = async (typed: ReadonlyArray<string>, folder = folderOf("access: r")) => {
    const tty = new FakeTty(typed)
    const before = text(folder)
    const outcome = await agents(folder, ["grant", "scout", spec], { tty, env: { NO_COLOR: "1" } })
    return { ...outcome, tty, changed: text(folder) !== before }
  }

  it("comes after what is at stake, what it allows and what else changes, and y grants", async () => {
    const { changed, code, stdout, tty } = await asked(["y", keys.enter])
    expect({ changed, code, opened: tty.opened, taken: tty.taken }).toEqual({
      changed: true,
      code: 0,
      opened: 1,
      taken: 0
    })
    const shown = plain(tty.shown)
    expect(shown).toContain("Grant to agents/scout")
    expect(shown).toContain(`high  ${spec}`)
    expect(shown).toContain("send to api.example.com")
    expect(shown).toContain("access: is written out as entries")
    expect(shown).toContain("Grant this? [y/N] ")
    expect(stdout).toContain(`Granted ${spec} to agents/scout`)
  })

  it.each([
    ["net.get{hosts=[*.com]}", "HOSTS_OF_ANYBODY", "a whole public suffix"],
    ["proc.exec{in=/w}", "COMMANDS_UNRESTRICTED", "it allows any command"],
    ["proc.exec{in=/w,patterns=[git*]}", "COMMAND_OPEN", "leaves open which command"],
    ["agent.grant", "GRANTS_TO_ANYBODY", ""],
    ["provider.web_search", "PROVIDER_OPENS_NOTHING", "net.get"]
  ])("shows what the doctor would say of %s: %s", async (given, finding, words) => {
    const folder = folderOf("capabilities: []")
    const tty = new FakeTty(["n", keys.enter], { columns: 400 })
    await agents(folder, ["grant", "scout", given], { tty, env: { NO_COLOR: "1" } })
    const shown = plain(tty.shown)
    expect(shown.slice(0, shown.indexOf("Grant this?"))).toContain(finding)
    expect(shown).toContain(words)
    const refused = await agents(folder, ["grant", "scout", given, "--json"])
    expect(JSON.parse(refused.stdout).warnings).toMatchObject([{ code: finding }])
    const done = await agents(folder, ["grant", "scout", given, "--yes"])
    expect(done.stdout).toContain(finding)
  })

  it("shows that a grant reaches where authority is written, and nothing of what was held before", async () => {
    const folder = folderOf("capabilities:", '  - net.get: { hosts: ["*.com"] }')
    const tty = new FakeTty(["n", keys.enter], { columns: 400 })
    await agents(folder, ["grant", "scout", `fs.write{in=${folder.root}}`], { tty, env: { NO_COLOR: "1" } })
    expect(plain(tty.shown)).toContain("WRITES_AUTHORITY")
    expect(plain(tty.shown)).not.toContain("HOSTS_OF_ANYBODY")
  })

  it("says nothing of a grant that the doctor has nothing to say of", async () => {
    const { tty } = await asked(["n", keys.enter])
    expect(plain(tty.shown)).not.toContain("doctor")
  })

  it("says before it is answered that the grant will be inert here", async () => {
    const tty = new FakeTty(["n", keys.enter])
    await agents(folderOf("capabilities: []"), ["grant", "scout", "fs.read"], { tty })
    expect(plain(tty.shown)).toContain("inert: 'fs.read' has no root")
  })

  it.each([
    [["n", keys.enter], 1],
    [[keys.enter], 1],
    [["x", keys.enter], 1],
    [[keys.escape, "late"], 1],
    [[keys.endOfInput], 1],
    [["y"], 1],
    [["y", keys.interrupt], 130]
  ])("%j grants nothing, and exits with %i", async (typed, expected) => {
    const { changed, code, stderr, stdout, tty } = await asked(typed)
    expect({ changed, code, stdout, taken: tty.taken }).toEqual({
      changed: false,
      code: expected,
      stdout: "",
      taken: 0
    })
    expect(stderr).toBe("bailiwick: nothing was granted\n")
  })

  it("is about the file that was shown: one that changed meanwhile is left alone", async () => {
    const folder = folderOf("access: r")
    const edited = record("access: r", "title: other")
    const tty = new FakeTty(["y", keys.enter])
    const meanwhile: Tty = {
      ...tty,
      open: () => {
        writeFileSync(folder.path(SCOUT), edited)
        return tty.open()
      }
    }
    const { code, stderr } = await agents(folder, ["grant", "scout", spec], { tty: meanwhile })
    expect(code).toBe(1)
    expect(stderr).toContain("somebody else changed it meanwhile")
    expect(text(folder)).toBe(edited)
    expect(readdirSync(folder.path("records/agents"))).toEqual(["scout.md"])
  })
})
