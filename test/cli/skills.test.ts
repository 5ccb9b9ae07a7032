/** Skills as an operator sees them: from two places, each for the agents that can use them. */
import { symlinkSync, writeFileSync } from "node:fs"
import { describe, expect, it } from "vitest"
import { Folder } from "./workspace.js"

const skill = (name: string, tools: string, ...extra: ReadonlyArray<string>): string =>
  [
    "---",
    `name: ${name}`,
    `description: Does ${name}`,
    ...extra,
    `allowed-tools: ${tools}`,
    "---",
    `# ${name}`,
    ""
  ].join("\n")

const agent = (...lines: ReadonlyArray<string>): string =>
  ["---", "class: agent", ...lines, "---", ""].join("\n")

const workspace = (files: Readonly<Record<string, string>> = {}) =>
  new Folder({
    "bailiwick.yaml": "",
    "skills/git-log/SKILL.md": skill("git-log", "Bash(git log *) Read"),
    "skills/fetch.md": skill("fetch", "WebFetch(domain:github.com)"),
    "records/skills/tidy.md": skill("tidy", "[update_record]", "class: skill"),
    "records/notes/a.md": "---\nclass: note\n---\nclass: skill\n",
    "records/agents/scout.md": agent("access: rw", "sandbox: /w"),
    "records/agents/idle.md": agent("capabilities: []"),
    ...files
  })

const json = async (folder: Folder, ...args: ReadonlyArray<string>) => {
  const outcome = await folder.bailiwick(["skills", ...args, "--json"])
  return { ...outcome, data: JSON.parse(outcome.stdout) }
}

const names = ({ data }: { readonly data: { readonly skills: ReadonlyArray<{ readonly name: string }> } }) =>
  data.skills.map(({ name }) => name)

describe("skills list", () => {
  it("lists those of the directory and those among the records", async () => {
    const folder = workspace()
    const listed = await json(folder, "list")
    expect(listed.code).toBe(0)
    expect(listed.data.skills.map((one: { name: string; source: string }) => [one.name, one.source])).toEqual(
      [
        ["fetch", "skills_dir"],
        ["git-log", "skills_dir"],
        ["tidy", "records"]
      ]
    )
    expect((await folder.bailiwick(["skills", "list"])).stdout).toBe(
      "fetch  Does fetch\ngit-log  Does git-log\ntidy  Does tidy\n\n3 skills\n"
    )
  })

  it("[N19] shows an agent what it can satisfy, by all that it holds, and is silent of the rest", async () => {
    const folder = workspace()
    expect(names(await json(folder, "list", "--agent", "scout"))).toEqual(["git-log", "tidy"])
    expect(names(await json(folder, "list", "--agent", "idle"))).toEqual([])
    const { stderr, stdout } = await folder.bailiwick(["skills", "list", "--agent", "scout"])
    expect([stdout, stderr]).toEqual(["git-log  Does git-log\ntidy  Does tidy\n\n2 skills\n", ""])
  })

  it("[N2, N3] a host is enough, and so is more than it", async () => {
    const folder = workspace({
      "records/agents/exact.md": agent('capabilities: ["net.get{hosts=[github.com]}"]'),
      "records/agents/broad.md": agent('capabilities: ["net.get{hosts=[*.github.com]}"]'),
      "records/agents/other.md": agent('capabilities: ["net.get{hosts=[example.com]}"]')
    })
    expect(names(await json(folder, "list", "--agent", "exact"))).toEqual(["fetch"])
    expect(names(await json(folder, "list", "--agent", "broad"))).toEqual(["fetch"])
    expect(names(await json(folder, "list", "--agent", "other"))).toEqual([])
  })

  it("[N23] marks what is broken, and never offers it", async () => {
    const folder = workspace({ "skills/bad/SKILL.md": skill("other", "search_records") })
    const { data } = await json(folder, "list")
    expect(data.skills[0]).toMatchObject({
      name: "bad",
      broken: true,
      problems: [{ code: "NAME_MISMATCH", line: 1 }]
    })
    expect(names(await json(folder, "list", "--agent", "scout"))).not.toContain("bad")
    const { code, stdout } = await folder.bailiwick(["skills", "list"])
    expect(stdout).toMatch(/^✗ bad {2}NAME_MISMATCH: .*SKILL\.md:1:1 /)
    expect(stdout).toContain("4 skills, 1 broken")
    expect(code).toBe(0)
  })

  it("a name that comes twice is that of the directory, and said", async () => {
    const folder = workspace({
      "skills/tidy/SKILL.md": skill("tidy", "search_records"),
      "skills/tidy.md": skill("tidy", "WebSearch")
    })
    const { data } = await json(folder, "list")
    expect(data.skills.filter(({ name }: { name: string }) => name === "tidy")).toMatchObject([
      { file: folder.path("skills/tidy/SKILL.md"), source: "skills_dir" }
    ])
    expect(data.warnings).toEqual([
      `there are two skills 'tidy': ${folder.path("skills/tidy/SKILL.md")} is used, and ${folder.path("skills/tidy.md")} is not`,
      `there are two skills 'tidy': ${folder.path("skills/tidy/SKILL.md")} is used, and ${folder.path("records/skills/tidy.md")} is not`
    ])
    const { stderr } = await folder.bailiwick(["skills", "list"])
    expect(stderr.split("\n").filter((line) => line.startsWith("there are two skills"))).toHaveLength(2)
  })

  it("a broken skill of the directory is not replaced by a record of its name", async () => {
    const folder = workspace({ "skills/tidy/SKILL.md": "---\nname: tidy\n---\n" })
    expect(names(await json(folder, "list", "--agent", "scout"))).toEqual(["git-log"])
  })

  it("follows skills_dir; links, hidden files, READMEs and directories without a skill are none", async () => {
    const folder = workspace({
      "bailiwick.yaml": "skills_dir: tools/skills",
      "tools/skills/one/SKILL.md": skill("one", "Read"),
      "tools/skills/README.md": "# Skills",
      "tools/skills/.hidden.md": "x",
      "tools/skills/empty/notes.txt": "x",
      "elsewhere/linked/SKILL.md": skill("linked", "Read")
    })
    symlinkSync(folder.path("elsewhere/linked"), folder.path("tools/skills/linked"))
    symlinkSync(folder.path("elsewhere/linked/SKILL.md"), folder.path("tools/skills/empty/SKILL.md"))
    const listed = await json(folder, "list")
    expect(names(listed)).toEqual(["one", "tidy"])
    expect(listed.data.warnings).toEqual([
      `${folder.path("tools/skills/empty/SKILL.md")} is a link, and links to skills are not followed`,
      `${folder.path("tools/skills/linked")} is a link, and links to skills are not followed`
    ])
  })

  it("a directory of skills among the records is read once", async () => {
    const folder = workspace({
      "bailiwick.yaml": "skills_dir: records/skills",
      "records/skills/one/SKILL.md": skill("one", "Read", "class: skill")
    })
    const listed = await json(folder, "list")
    expect([names(listed), listed.data.warnings]).toEqual([["one", "tidy"], []])
  })

  it("a record that cannot be read and says that it is a skill is a broken one", async () => {
    const folder = workspace({
      "records/skills/odd.md": "---\nclass: skill\nname: [\n---\nx",
      "records/notes/odd.md": "---\nname: [\n---\nskill"
    })
    const { data } = await json(folder, "list")
    expect(data.skills.filter(({ broken }: { broken: boolean }) => broken)).toMatchObject([
      { name: "odd", file: folder.path("records/skills/odd.md"), problems: [{ code: "YAML_INVALID" }] }
    ])
  })

  it("a file that cannot be read is one broken skill, and no end to the others", async () => {
    const folder = workspace({ "skills/raw/SKILL.md": "" })
    writeFileSync(folder.path("skills/raw/SKILL.md"), Buffer.from([0x2d, 0xff, 0xfe]))
    const { data } = await json(folder, "list")
    expect(data.skills.map(({ broken, name }: { broken: boolean; name: string }) => [name, broken])).toEqual([
      ["fetch", false],
      ["git-log", false],
      ["raw", true],
      ["tidy", false]
    ])
    expect(data.skills[2].problems).toMatchObject([
      { code: "FILE_UNREADABLE", detail: "the file is not text in UTF-8" }
    ])
  })

  it("without a workspace there are none to look for", async () => {
    const { code, stderr } = await new Folder().bailiwick(["skills", "list"])
    expect([code, stderr]).toEqual([
      2,
      "bailiwick: there is no workspace here to look for skills in; write a bailiwick.yaml\n"
    ])
  })
})

describe("skills show", () => {
  it("shows what a skill says, what its tools need, and its text", async () => {
    const folder = workspace({
      "skills/all/SKILL.md": skill("all", "Bash(rg) Read Nope kv_get", "license: MIT", "metadata: { by: me }")
    })
    const { code, stdout } = await folder.bailiwick(["skills", "show", "all"])
    expect(code).toBe(0)
    expect(stdout).toBe(
      [
        "all",
        "description  Does all",
        `file  ${folder.path("skills/all/SKILL.md")}`,
        "license  MIT",
        'metadata  {"by":"me"}',
        "",
        "Bash(rg)  needs proc.exec{cmds=[rg]}",
        "Read  needs some fs.read",
        "! Nope  unknown tool 'Nope'; what it needs is not known and not checked",
        "kv_get  needs storage.use{scopes=[session]}",
        "",
        "# all",
        ""
      ].join("\n")
    )
    const { data } = await json(folder, "show", "all", "--agent", "idle")
    expect(data).toMatchObject({
      agent: "agents/idle",
      skill: {
        name: "all",
        license: "MIT",
        tools: [
          { token: "Bash(rg)", requires: [{ grant: "proc.exec{cmds=[rg]}", extent: "all" }] },
          { token: "Read", requires: [{ grant: "fs.read", extent: "some" }] },
          { token: "Nope", detail: "unknown tool 'Nope'" },
          { token: "kv_get", requires: [{ extent: "all", grant: "storage.use{scopes=[session]}" }] }
        ],
        body: "# all\n"
      }
    })
    expect(data.skill.missing.map(({ token }: { token: string }) => token)).toEqual([
      "Bash(rg)",
      "Read",
      "kv_get"
    ])
  })

  it("marks for an agent what it holds", async () => {
    const folder = workspace({ "skills/all/SKILL.md": skill("all", "Read WebSearch") })
    const { stdout } = await folder.bailiwick(["skills", "show", "all", "--agent", "scout"])
    expect(stdout).toContain("✓ Read  needs some fs.read\n✗ WebSearch  needs net.get{hosts=[*]}\n")
  })

  it("what a file holds does not speak to the terminal", async () => {
    const folder = workspace({ "skills/esc/SKILL.md": `${skill("esc", "Read")}\u001b]0;owned\u0007` })
    const { stdout } = await folder.bailiwick(["skills", "show", "esc"], {
      isTTY: true,
      env: { NO_COLOR: "1" }
    })
    expect(stdout).toContain("\\u001b]0;owned\\u0007")
    expect(stdout).not.toContain("\u001b")
  })

  it("a name that is none is answered with what was meant", async () => {
    const { code, stderr } = await workspace().bailiwick(["skills", "show", "gitlog"])
    expect(code).toBe(2)
    expect(stderr).toMatch(/there is no skill 'gitlog' in .*; did you mean 'git-log'\?\n$/)
  })
})

describe("skills check", () => {
  it("[N21] prints one line to paste for each grant that is missing, and exits 0", async () => {
    const folder = workspace({
      "skills/more/SKILL.md": skill("more", "Read Grep Bash(jq) WebFetch(github.com)")
    })
    const { code, stdout } = await folder.bailiwick(["skills", "check", "more", "--agent", "idle"])
    expect(code).toBe(0)
    expect(stdout).toBe(
      [
        "✗ more",
        "  missing: Read Grep Bash(jq) WebFetch(github.com)",
        `    bailiwick agents grant agents/idle 'fs.read{in=${folder.root}}'`,
        `    bailiwick agents grant agents/idle 'proc.exec{in=${folder.root},cmds=[jq]}'`,
        "    bailiwick agents grant agents/idle 'net.get{hosts=[github.com]}'",
        "",
        "1 skill, 1 not satisfied",
        ""
      ].join("\n")
    )
  })

  it("[N21] the lines stay whole in a narrow terminal", async () => {
    const folder = workspace()
    const { stdout } = await folder.bailiwick(["skills", "check", "git-log", "--agent", "idle"], {
      isTTY: true,
      columns: 40,
      env: { NO_COLOR: "1" }
    })
    expect(stdout.split("\n")).toContain(
      `    bailiwick agents grant agents/idle 'proc.exec{in=${folder.root},patterns=[git log *]}'`
    )
  })

  it("[N21] a record outside of the workspace is called by its file, and quoted for the shell", async () => {
    const folder = workspace({ "loose/my agent.md": agent("id: loose", "capabilities: []") })
    const { data } = await json(folder, "check", "fetch", "--agent", "loose/my agent.md")
    expect(data.skills[0].missing).toEqual([
      {
        token: "WebFetch(domain:github.com)",
        line: 4,
        grant: "net.get{hosts=[github.com]}",
        command: "bailiwick agents grant 'loose/my agent.md' 'net.get{hosts=[github.com]}'"
      }
    ])
  })

  it("[N21] what was missing is satisfied once the printed grants are in the record", async () => {
    const folder = workspace({
      "skills/more/SKILL.md": skill("more", "Read(src/**) Bash(jq) WebSearch create_record")
    })
    const before = await json(folder, "check", "--agent", "idle")
    const grants = before.data.skills.flatMap(({ missing }: { missing: ReadonlyArray<{ grant: string }> }) =>
      missing.map(({ grant }) => JSON.stringify(grant))
    )
    expect(grants.length).toBeGreaterThan(4)
    folder.write("records/agents/idle.md", agent(`capabilities: [${grants.join(", ")}]`))
    const after = await json(folder, "check", "--agent", "idle")
    expect(after.data.skills.flatMap(({ missing }: { missing: ReadonlyArray<unknown> }) => missing)).toEqual(
      []
    )
    expect(names(await json(folder, "list", "--agent", "idle"))).toEqual(["fetch", "git-log", "more", "tidy"])
  })

  it("[N14, N19] says what is satisfied, and warns of what is unknown", async () => {
    const folder = workspace({ "skills/more/SKILL.md": skill("more", "Read Nope(x) mcp__gh__list") })
    const { code, stdout } = await folder.bailiwick(["skills", "check", "more", "--agent", "scout"])
    const file = folder.path("skills/more/SKILL.md")
    expect(code).toBe(0)
    expect(stdout.split("\n")).toEqual([
      "! more",
      "  satisfied: Read",
      `  ! ${file}:4 Nope(x): unknown tool 'Nope'; what it needs is not known and not checked`,
      `  ! ${file}:4 mcp__gh__list: unknown server 'gh'; what it needs is not known and not checked`,
      "",
      "1 skill",
      ""
    ])
  })

  it("a grant that the workspace would keep out is said to be none", async () => {
    const folder = workspace({
      "bailiwick.yaml": "sandbox: /w",
      "skills/more/SKILL.md": skill("more", "Read(/etc/hosts)")
    })
    const { stdout } = await folder.bailiwick(["skills", "check", "more", "--agent", "scout"])
    expect(stdout).toContain("'fs.read{in=/etc,paths=[hosts]}'\n  ! 'in' of 'fs.read' is '/etc', ")
  })

  it("[N23] without an agent looks at the files: 1 when one is broken, else 0", async () => {
    const folder = workspace()
    const good = await folder.bailiwick(["skills", "check"])
    expect([good.code, good.stdout]).toEqual([0, "✓ fetch\n\n✓ git-log\n\n✓ tidy\n\n3 skills\n"])
    folder.write("skills/Bad--Name/SKILL.md", skill("Bad--Name", "Read(../x)"))
    const bad = await folder.bailiwick(["skills", "check"])
    expect(bad.code).toBe(1)
    expect(bad.stdout).toContain("NAME_INVALID: ")
    expect(bad.stdout).toContain("TOOL_INVALID: ")
    expect(bad.stdout).toContain("4 skills, 1 broken")
    expect((await folder.bailiwick(["skills", "check", "fetch"])).code).toBe(0)
    expect((await json(folder, "check", "Bad--Name")).code).toBe(1)
    expect((await json(folder, "check", "--agent", "scout")).code).toBe(1)
  })

  it("an agent that is none is an error", async () => {
    const { code, stderr } = await workspace().bailiwick(["skills", "check", "--agent", "nobody"])
    expect([code, stderr]).toEqual([2, expect.stringContaining("there is no agent 'nobody'")])
  })
})
