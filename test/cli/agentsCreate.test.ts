/** A new agent holds what was asked for and nothing else, and takes nobody's place. */
import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync } from "node:fs"
import { describe, expect, it } from "vitest"
import { FakeTty, keys, plain } from "./fakeTty.js"
import { Folder, type Options } from "./workspace.js"

const HELPER = "records/agents/helper.md"

const workspace = (files: Readonly<Record<string, string>> = {}) =>
  new Folder({ "bailiwick.yaml": "", ...files })

const create = (folder: Folder, args: ReadonlyArray<string>, options: Options = {}) =>
  folder.bailiwick(["agents", "create", ...args], options)

const held = async (folder: Folder, id = "agents/helper"): Promise<ReadonlyArray<string>> => {
  const { stdout } = await folder.bailiwick(["agents", "capabilities", id, "--json"])
  return JSON.parse(stdout).grants.map(({ grant }: { grant: string }) => grant)
}

describe("agents create", () => {
  it("without a SPEC and a terminal the agent holds nothing, not even what holds by default", async () => {
    const folder = workspace()
    const { code, stderr, stdout } = await create(folder, ["helper"])
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" })
    expect(stdout).toContain(`✓ Created agents/helper (${folder.path(HELPER)})`)
    expect(stdout).toContain("it holds nothing; 'bailiwick agents grant agents/helper SPEC' widens it")
    expect(await held(folder)).toEqual([])
    expect(readFileSync(folder.path(HELPER), "utf8")).toBe(
      "---\nclass: agent\ncapabilities: []\n---\n\n# helper\n"
    )
  })

  it.each([
    ["ibis", "Ibis"],
    ["bi", "BI"],
    ["Scout", "scout"]
  ])("takes no id that is another but for the case of letters: %s and %s", async (there, id) => {
    const folder = workspace({ [`records/agents/${there}.md`]: "---\nclass: agent\n---\n" })
    const { code, stderr } = await create(folder, [id])
    expect(code).toBe(1)
    expect(stderr).toContain("but for the case or the encoding of letters")
    expect(readdirSync(folder.path("records/agents"))).toEqual([`${there}.md`])
  })

  it("with a SPEC it holds exactly that", async () => {
    const folder = workspace()
    const spec = "records.read net.get{hosts=[api.example.com]}"
    expect((await create(folder, ["helper", spec, "--yes"])).code).toBe(0)
    expect(new Set(await held(folder))).toEqual(new Set(["records.read", "net.get{hosts=[api.example.com]}"]))
    expect(readdirSync(folder.path("records/agents"))).toEqual(["helper.md"])
  })

  it("an id with a slash is the whole id", async () => {
    const folder = workspace()
    expect((await create(folder, ["team/night/owl", "records.read", "--yes"])).code).toBe(0)
    expect(await held(folder, "team/night/owl")).toEqual(["records.read"])
  })

  it("beyond the root of the workspace nothing is given", async () => {
    const folder = new Folder({ "bailiwick.yaml": "sandbox: /w\n" })
    const { code, stderr } = await create(folder, ["helper", "fs.read{in=/etc}", "--yes"])
    expect(code).toBe(1)
    expect(stderr).toContain("a root can only narrow")
    expect(existsSync(folder.path(HELPER))).toBe(false)
  })

  it.each([
    ["records.reed", "did you mean 'records.read'?"],
    ["net.get{hosts=[a]", "missing closing brace"]
  ])("a SPEC that is none is refused: %s", async (spec, words) => {
    const folder = workspace()
    const { code, stderr } = await create(folder, ["helper", spec, "--yes"])
    expect(code).toBe(1)
    expect(stderr).toContain(words)
    expect(existsSync(folder.path(HELPER))).toBe(false)
  })

  it.each([
    "../x",
    "agents/../../x",
    "/etc/x",
    "./x",
    "agents//x",
    "agents/.hidden",
    "agents/x.md",
    "agents/x ",
    "agents/a\\b",
    "agents/c:d",
    "agents/*",
    "agents/bo\u200bss",
    "agents/sc\u043eut",
    "agents/a\nb",
    "x".repeat(300),
    ""
  ])("the id %j is refused, and nothing is written", async (id) => {
    const folder = workspace()
    const { code, stderr, stdout } = await create(folder, [id, "--yes"])
    expect({ code, stdout }).toEqual({ code: 1, stdout: "" })
    expect(stderr.trim().split("\n")).toHaveLength(1)
    expect(existsSync(folder.path("records"))).toBe(false)
    expect(existsSync(folder.path("x.md"))).toBe(false)
  })

  it("what is there is never replaced: a record, a link to nothing, one but for its case", async () => {
    const folder = workspace({ [HELPER]: "mine", "records/agents/Owl.md": "mine" })
    symlinkSync(folder.path("outside.md"), folder.path("records/agents/linked.md"))
    for (const id of ["helper", "linked", "owl", "0wl"]) {
      const { code, stderr } = await create(folder, [id, "records.read", "--yes"])
      expect(code).toBe(1)
      expect(stderr).toContain("choose")
    }
    expect(readFileSync(folder.path(HELPER), "utf8")).toBe("mine")
    expect(existsSync(folder.path("outside.md"))).toBe(false)
    expect(readdirSync(folder.path("records/agents")).sort()).toEqual(["Owl.md", "helper.md", "linked.md"])
  })

  it("no link on the way is followed", async () => {
    const folder = workspace({ "records/x.md": "" })
    mkdirSync(folder.path("outside"))
    symlinkSync(folder.path("outside"), folder.path("records/agents"))
    const { code, stderr } = await create(folder, ["helper", "--yes"])
    expect(code).toBe(1)
    expect(stderr).toContain("symbolic link")
    expect(readdirSync(folder.path("outside"))).toEqual([])
  })

  it("of many at the same time one creates it", async () => {
    const folder = workspace()
    const specs = ["records.read", "records.create", "agent.update", "records.delete"]
    const all = await Promise.all(specs.map((spec) => create(folder, ["helper", spec, "--yes"])))
    expect(all.map(({ code }) => code).sort()).toEqual([0, 1, 1, 1])
    const winner = specs[all.findIndex(({ code }) => code === 0)]
    expect(await held(folder)).toEqual([winner])
  })

  it("without a workspace there is nowhere to create it", async () => {
    const { code, stderr } = await create(new Folder(), ["helper"])
    expect(code).toBe(2)
    expect(stderr).toContain("there is no workspace here")
  })

  it("with --json it says what was created, and asks for --yes where there is something to hold", async () => {
    const folder = workspace()
    const refused = await create(folder, ["helper", "records.delete", "--json"])
    expect(refused.code).toBe(1)
    expect(JSON.parse(refused.stdout)).toMatchObject({ command: "agents create", outcome: "refused" })
    expect(existsSync(folder.path(HELPER))).toBe(false)
    const done = await create(folder, ["helper", "records.delete", "--json", "--yes"])
    expect(JSON.parse(done.stdout)).toMatchObject({
      command: "agents create",
      outcome: "created",
      agent: "agents/helper",
      file: folder.path(HELPER),
      grants: [{ grant: "records.delete", risk: "high" }]
    })
  })
})

describe("in a terminal, agents create", () => {
  const asked = async (typed: ReadonlyArray<string>, args: ReadonlyArray<string> = ["helper"]) => {
    const folder = workspace()
    const tty = new FakeTty(typed, { rows: 40 })
    const outcome = await create(folder, args, { tty, env: { NO_COLOR: "1" } })
    return { ...outcome, folder, tty, shown: plain(tty.shown), isThere: existsSync(folder.path(HELPER)) }
  }
  const { enter } = keys
  const yes = ["y", enter]

  it("asks what to hold, one after the other, and for a yes", async () => {
    const typed = [
      "records.create",
      enter,
      "note",
      enter,
      "net.get",
      enter,
      "a.example.com",
      enter,
      enter,
      ...yes
    ]
    const { code, folder, shown, tty } = await asked(typed)
    expect(code).toBe(0)
    expect(shown).toContain("What agents/helper may do")
    expect(shown).toContain("Create this? [y/N]")
    expect(new Set(await held(folder))).toEqual(
      new Set(["records.create{classes=[note]}", "net.get{hosts=[a.example.com]}"])
    )
    expect(tty.taken).toBe(0)
  })

  it("nothing is what the list begins with", async () => {
    const { code, folder, shown } = await asked([enter, ...yes])
    expect(code).toBe(0)
    expect(shown).toContain("which holds nothing")
    expect(await held(folder)).toEqual([])
  })

  it("a SPEC is shown with what the doctor says of it before it is written", async () => {
    const { isThere, shown } = await asked([...yes], ["helper", "net.get{hosts=[*.com]}"])
    expect(shown).toContain("HOSTS_OF_ANYBODY")
    expect(isThere).toBe(true)
  })

  it.each([
    ["Esc in the list", [keys.escape, "late"], 1],
    ["Esc at the question", [enter, keys.escape, "late"], 1],
    ["no", [enter, "n", enter], 1],
    ["Ctrl-C", [keys.interrupt], 130],
    ["the end", [], 1]
  ])("%s creates nothing", async (_what, typed, expected) => {
    const { code, isThere, stderr, tty } = await asked(typed)
    expect({ code, isThere, stderr, taken: tty.taken }).toEqual({
      code: expected,
      isThere: false,
      stderr: "bailiwick: nothing was created\n",
      taken: 0
    })
  })
})
