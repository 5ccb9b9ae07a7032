/** What an operator sees, widens and narrows of an agent: the words, the exit codes, and the bytes of the record. */
import {
  chmodSync,
  lstatSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync
} from "node:fs"
import { describe, expect, it } from "vitest"
import type { Tty } from "../../src/cli/prompt/Tty.js"
import { widthOf } from "../../src/cli/Terminal.js"
import { FakeTty, keys, plain } from "./fakeTty.js"
import { Folder, type Options } from "./workspace.js"

const record = (...front: ReadonlyArray<string>): string =>
  [
    "---",
    "# who it is",
    "id: agents/scout",
    "class: agent",
    ...front,
    "---",
    "",
    "# Scout",
    "",
    "Body  \n"
  ].join("\n")

const SCOUT = "records/agents/scout.md"

const folderOf = (...front: ReadonlyArray<string>): Folder =>
  new Folder({ "bailiwick.yaml": "", [SCOUT]: record(...front) })

const text = (folder: Folder): string => readFileSync(folder.path(SCOUT), "utf8")

const agents = (folder: Folder, args: ReadonlyArray<string>, options: Options = {}) =>
  folder.bailiwick(["agents", ...args], options)

const held = async (folder: Folder): Promise<ReadonlyArray<string>> => {
  const { stdout } = await agents(folder, ["capabilities", "scout", "--json"])
  return JSON.parse(stdout).grants.map(({ grant }: { grant: string }) => grant)
}

describe("agents capabilities", () => {
  it("R1: a header, a line for each grant with the consequential first, and a count", async () => {
    const folder = folderOf(
      "title: The scout",
      "capabilities:",
      "  - records.read",
      "  - net.get: { hosts: [api.example.com] }",
      "  - proc.exec: { in: /w, cmds: [rg, jq] }"
    )
    const { code, stderr, stdout } = await agents(folder, ["capabilities", "scout"])
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" })
    expect(stdout.replaceAll(folder.root, "/ws")).toMatchInlineSnapshot(`
      "agents/scout  The scout
      /ws/records/agents/scout.md

      high  proc.exec{in=/w,cmds=[rg,jq]}  run commands rg, jq below /w
      medium  net.get{hosts=[api.example.com]}  fetch from api.example.com
      low  records.read  read and search records of every class

      3 grants
      "
    `)
  })

  it("R1: an agent that holds nothing says so", async () => {
    const { code, stdout } = await agents(folderOf("capabilities: []"), ["capabilities", "agents/scout"])
    expect(code).toBe(0)
    expect(stdout).toContain("(none)")
    expect(stdout).toContain("0 grants")
  })

  it("R2: shorthands and the default are shown as what they give, and where it comes from", async () => {
    const short = await agents(folderOf("access: rw", "sandbox: /w"), ["capabilities", "scout"])
    expect(short.stdout).toContain("fs.write{in=/w}  write files below /w  (from sandbox: in line 6)")
    expect(short.stdout).toContain("records.update  change records of every class  (from access: in line 5)")
    const byDefault = await agents(folderOf(), ["capabilities", "scout"])
    expect(byDefault.stdout).toMatch(/low {2}records\.read .*\(by default: /)
  })

  it("R3: a grant of files is shown with the root that it has, be it the agent's or the workspace's", async () => {
    const folder = folderOf("capabilities: [fs.read]")
    folder.write("bailiwick.yaml", "sandbox: /w")
    expect(await held(folder)).toEqual(["fs.read{in=/w}"])
  })

  it("one that gives nothing is marked, with what mends it", async () => {
    const { stdout } = await agents(folderOf("capabilities: [fs.read, net.get]"), ["capabilities", "scout"])
    const lines = stdout.split("\n").filter((line) => line.startsWith("! "))
    expect(lines).toHaveLength(2)
    for (const line of lines) expect(line).toMatch(/inert: .* {2}fix: write '/)
    expect(stdout).toContain("2 grants, 2 inert")
  })

  it("what is wrong in the record is said with its place, and grants nothing", async () => {
    const folder = folderOf("capabilities: [records.reed, records.read]")
    const { code, stdout } = await agents(folder, ["capabilities", "scout"])
    expect(code).toBe(0)
    expect(stdout).toMatch(/! CAPABILITY_UNKNOWN: \S+scout\.md:5:\d+ .*did you mean 'records\.read'\?/)
    expect(await held(folder)).toEqual(["records.read"])
  })

  it("--json is one document with all of it", async () => {
    const folder = folderOf("access: r", "capabilities: [net.get, records.reed]")
    const { stdout } = await agents(folder, ["capabilities", "scout", "--json"])
    expect(JSON.parse(stdout)).toMatchObject({
      agent: "agents/scout",
      file: folder.path(SCOUT),
      grants: [
        {
          grant: "net.get",
          risk: "medium",
          effect: "fetch from no host",
          from: "capabilities",
          line: 6,
          inert: { reason: "no host" }
        },
        { grant: "records.read", risk: "low", from: "access", line: 5, inert: null }
      ],
      warnings: [{ code: "CAPABILITY_UNKNOWN", line: 6 }]
    })
  })

  it.each([40, 60, 80])("a terminal of %i columns shows all of it in its width", async (columns) => {
    const folder = folderOf(
      "capabilities:",
      `  - net.get: { hosts: [${Array.from({ length: 9 }, (_, at) => `host-${at}.example.com`).join(", ")}] }`,
      "  - fs.read"
    )
    const { stdout } = await agents(folder, ["capabilities", "scout"], {
      isTTY: true,
      columns,
      env: { NO_COLOR: "1" }
    })
    for (const line of stdout.split("\n")) expect(widthOf(line)).toBeLessThanOrEqual(columns)
    for (let at = 0; at < 9; at++) expect(stdout.replace(/\s+/g, "")).toContain(`host-${at}.example.com`)
  })

  it("a terminal shows risks in colours, and none with NO_COLOR", async () => {
    const folder = folderOf("capabilities: [agent.grant, agent.update, records.read]")
    const coloured = await agents(folder, ["capabilities", "scout"], { isTTY: true, columns: 80 })
    for (const code of [31, 33, 32]) expect(coloured.stdout).toContain(`\u001b[${code}m`)
    const without = await agents(folder, ["capabilities", "scout"], {
      isTTY: true,
      columns: 80,
      env: { NO_COLOR: "1" }
    })
    expect(without.stdout).toBe(plain(coloured.stdout))
  })
})

describe("an agent", () => {
  it.each(["scout", "agents/scout", SCOUT, `./${SCOUT}`])("is found as %s", async (given) => {
    expect((await agents(folderOf(), ["capabilities", given])).code).toBe(0)
  })

  it.each(["capabilities", "grant", "revoke"])(
    "R10: a record that is none is an error with its class for %s",
    async (verb) => {
      const folder = folderOf()
      folder.write("records/notes/todo.md", "---\nclass: note\n---\n")
      const spec = verb === "capabilities" ? [] : ["records.read"]
      for (const given of ["notes/todo", "todo"]) {
        const { code, stderr, stdout } = await agents(folder, [verb, given, ...spec])
        expect({ code, stdout }).toEqual({ code: 1, stdout: "" })
        expect(stderr).toContain("is not an agent: its class is 'note'")
      }
    }
  )

  it("that is not there is bad usage, with what was probably meant", async () => {
    const { code, stderr } = await agents(folderOf(), ["capabilities", "scuot"])
    expect(code).toBe(2)
    expect(stderr).toContain("did you mean 'scout'?")
  })

  it("R34: in the singular is not a command, and the plural is suggested", async () => {
    const { code, stderr } = await folderOf().bailiwick(["agent", "grant", "scout", "records.read"])
    expect(code).toBe(2)
    expect(stderr).toContain("'agents ")
  })
})

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

describe("the picker", () => {
  const picked = async (
    typed: ReadonlyArray<string>,
    front: ReadonlyArray<string> = [],
    options: Options = {}
  ) => {
    const folder = folderOf(...front)
    const before = text(folder)
    const tty = new FakeTty(typed)
    const outcome = await agents(folder, ["grant", "scout"], { tty, env: { NO_COLOR: "1" }, ...options })
    return { ...outcome, tty, folder, shown: plain(tty.shown), changed: text(folder) !== before }
  }

  const enter = keys.enter
  const yes = ["y", enter]

  it("R24: offers the catalog from low risk to high, with what each does", async () => {
    const { shown } = await picked([keys.escape, "late"])
    const offered = [...shown.matchAll(/^[› ] (\S+) +(low|medium|high) {2}/gm)].map(([, name, risk]) => ({
      name,
      risk
    }))
    expect(offered).toHaveLength(17)
    const ranks = offered.map(({ risk }) => ["low", "medium", "high"].indexOf(risk ?? ""))
    expect(ranks).toEqual([...ranks].sort())
    expect(offered[0]).toEqual({ name: "records.read", risk: "low" })
  })

  it("R25: hosts are asked for, with any host as what Enter stands for", async () => {
    const { code, folder, shown } = await picked(["net.get", enter, enter, ...yes], ["capabilities: []"])
    expect(code).toBe(0)
    expect(shown).toContain("hosts [*]: ")
    expect(shown).toContain("fetch from any host")
    expect(await held(folder)).toEqual(["net.get{hosts=[*]}"])
  })

  it("R26: the root is asked for first, then the paths below it", async () => {
    const { folder, shown } = await picked(
      ["fs.read", enter, "/w", enter, "lib/**, a b.txt", enter, ...yes],
      ["capabilities: []"]
    )
    expect(shown.indexOf("in, a directory: ")).toBeLessThan(shown.indexOf("paths below it"))
    expect(await held(folder)).toEqual(["fs.read{in=/w,paths=[lib/**,a b.txt]}"])
  })

  it("R26: without a root there would be nothing to hold, so none is granted", async () => {
    const { changed, code, shown, stdout } = await picked(["fs.read", enter, enter], ["capabilities: []"])
    expect({ changed, code, stdout }).toEqual({ changed: false, code: 0, stdout: "Cancelled.\n" })
    expect(shown).toContain("would be inert")
  })

  it("the agent's root is what Enter stands for", async () => {
    const { folder, shown } = await picked(
      ["fs.delete", enter, enter, enter, ...yes],
      ["sandbox: /w", "capabilities: []"]
    )
    expect(shown).toContain("in [/w]: ")
    expect(await held(folder)).toContain("fs.delete{in=/w}")
  })

  it("R27: commands, then patterns; with neither it is cancelled", async () => {
    const both = await picked(
      ["proc.exec", enter, "/w", enter, "rg jq", enter, "git log *, npm test", enter, ...yes],
      ["capabilities: []"]
    )
    expect(await held(both.folder)).toEqual(["proc.exec{in=/w,cmds=[rg,jq],patterns=[git log *,npm test]}"])
    const neither = await picked(["proc.exec", enter, "/w", enter, enter, enter], ["capabilities: []"])
    expect(neither).toMatchObject({ changed: false, code: 0, stdout: "Cancelled.\n" })
  })

  it("R28: classes are optional", async () => {
    const all = await picked(["records.delete", enter, enter, ...yes], ["capabilities: []"])
    expect(await held(all.folder)).toEqual(["records.delete"])
    const some = await picked(
      ["records.update", enter, "inbox, note", enter, "notes/**", enter, ...yes],
      ["capabilities: []"]
    )
    expect(await held(some.folder)).toEqual(["records.update{classes=[inbox,note],paths=[notes/**]}"])
  })

  it("R29: reading records has no scope, and agents are any without one", async () => {
    const read = await picked(["records.read", enter, ...yes], ["capabilities: []"])
    expect(await held(read.folder)).toEqual(["records.read"])
    const grant = await picked(["agent.grant", enter, "agents/a", enter, ...yes], ["capabilities: []"])
    expect(await held(grant.folder)).toEqual(["agent.grant{id=agents/a}"])
    const update = await picked(["agent.update", enter, enter, enter, ...yes], ["capabilities: []"])
    expect(await held(update.folder)).toEqual(["agent.update"])
  })

  it("an answer that is none is asked for again, with the sentence", async () => {
    const { folder, shown } = await picked(
      ["net.post", enter, "http://x/", enter, "x.example.com", enter, ...yes],
      ["capabilities: []"]
    )
    expect(shown).toContain("SCOPE_VALUE_INVALID")
    expect(await held(folder)).toEqual(["net.post{hosts=[x.example.com]}"])
  })

  it.each([
    ["Esc in the list", [keys.escape, "late"]],
    ["Ctrl-C in the list", [keys.interrupt]],
    ["Esc in a question", ["net.get", enter, keys.escape, "late"]],
    ["Ctrl-D in a question", ["net.get", enter, keys.endOfInput]],
    ["the end of the input", []]
  ])("R30: %s is cancelled, and nothing is written", async (_what, typed) => {
    const { changed, code, stdout, tty } = await picked(typed)
    expect({ changed, code, stdout, taken: tty.taken }).toEqual({
      changed: false,
      code: 0,
      stdout: "Cancelled.\n",
      taken: 0
    })
  })

  it("what is picked is confirmed as what is written: no is no", async () => {
    const { changed, code } = await picked(["net.get", enter, enter, "n", enter])
    expect({ changed, code }).toEqual({ changed: false, code: 1 })
  })
})
