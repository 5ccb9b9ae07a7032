/** The threat: files that an agent or a stranger wrote, on their way to the terminal of the operator and to programs. */
import { execFileSync } from "node:child_process"
import { chmodSync, lstatSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs"
import { describe, expect, it } from "vitest"
import { Folder, type Options } from "../cli/workspace.js"

const ESC = "\u001b"
const NASTY = `${ESC}]0;owned\u0007${ESC}[2J${ESC}[1;31mroot\u202egnp\u2066\u009b31m\u0085\u2028x\u200by\u00adz\ufeff\u2060`

const FORGING =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: finding them is the point
  /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u00ad\u200b\u200e\u200f\u2028-\u202e\u2060-\u2069\ufeff]/

const plain = { NO_COLOR: "1", TERM: "xterm" }

const workspace = () =>
  new Folder({
    "bailiwick.yaml": "records_dir: records\n",
    "records/agents/scout.md": "---\nclass: agent\ncapabilities: [records.read]\n---\nScout\n",
    "records/agents/nasty.md": `---\nclass: agent\ntitle: "t \\e]0;x\\a \\u202e \\x9b31m"\nid: "other\\e[2J"\ncapabilities:\n  - "net.get{hosts=[a]}"\n  - "fs.read{in=/\\e[2J}"\n  - "records.update{classes=[x\\u202ey]}"\n  - "bad\\e[2J.verb"\n  - net.get: { "k\\e[2J": [a] }\naccess: "\\e[2J"\nsandbox: "/x\\u202e\\e[2J"\n"capabilitie\\e[2J": x\n---\nbody ${NASTY}\n`,
    [`records/agents/${NASTY.replaceAll("/", "")}.md`]: "---\nclass: agent\ncapabilities: [net.get]\n---\n",
    [`records/notes/${ESC}[2J.md`]: "---\nclass: note\n---\n",
    "skills/ok/SKILL.md": `---\nname: ok\ndescription: "d \\e]0;x\\a \\u202e"\nlicense: "\\e[2J"\ncompatibility: "\\e[2J"\nmetadata: {"a\\e[2J": "\\e[2J"}\nallowed-tools: "Bash(git\\e[2J) Read(\\u202e)"\n---\nbody ${NASTY}\n`,
    [`skills/${ESC}[2J/SKILL.md`]: `---\nname: "\\e[2J"\ndescription: x\nallowed-tools: [Read]\n---\nb\n`,
    [`skills/loose${ESC}[2J.md`]: `---\nname: __proto__\ndescription: x\n---\nb\n`,
    "skills/__proto__/SKILL.md": "---\nname: __proto__\ndescription: x\nallowed-tools: Read\n---\nb\n"
  })

const commands: ReadonlyArray<ReadonlyArray<string>> = [
  ["agents"],
  ["agents", "capabilities", "nasty"],
  ["agents", "capabilities", `x${NASTY}`],
  ["agents", "grant", "nasty", "records.create", "--yes"],
  ["agents", "grant", "scout", `records.create{classes=[${NASTY}]}`, "--yes"],
  ["agents", "revoke", "nasty", `net.get{hosts=[${NASTY}]}`],
  ["tools", "list", "--agent", "nasty"],
  ["tools", "list", "--agent", "scout"],
  ["doctor"],
  ["doctor", "--strict"],
  ["skills", "list"],
  ["skills", "list", "--agent", "scout"],
  ["skills", "show", "ok"],
  ["skills", "show", "ok", "--agent", "scout"],
  ["skills", "show", "__proto__"],
  ["skills", "show", `${ESC}[2J`],
  ["skills", "check"],
  ["skills", "check", "--agent", "scout"],
  ["explain", "-", "--agent", "nasty"],
  ["run", "-", "--agent", "nasty"],
  [NASTY],
  ["agents", NASTY, "x"]
]

const stdin = JSON.stringify([
  { id: `1${NASTY}`, name: "get_record", args: { id: `agents/${NASTY}` } },
  { id: "2", name: NASTY, args: { [NASTY]: NASTY } },
  { id: "3", name: "grant_capability", args: { agent: NASTY, grants: [NASTY] } },
  { id: "4", name: "list_records", args: {} },
  { id: "5", name: "read_file", args: { path: `/x${NASTY}` } },
  { id: "6", name: "web_fetch", args: { url: `https://a/${NASTY}` } }
])

describe("what strangers wrote, on a terminal", () => {
  it.each(commands.map((args) => [args.join(" ").replace(new RegExp(FORGING, "g"), "?"), args] as const))(
    "%s writes no control of its own",
    async (_, args) => {
      for (const options of [{ isTTY: true, columns: 80 }, { isTTY: false }] as ReadonlyArray<Options>) {
        const { stderr, stdout } = await workspace().bailiwick(args, { ...options, stdin, env: plain })
        expect(FORGING.exec(stdout)?.input?.slice(0, 400) ?? "").toBe("")
        expect(FORGING.exec(stderr)?.input?.slice(0, 400) ?? "").toBe("")
      }
    }
  )

  it.each(
    commands
      .slice(0, -2)
      .map((args) => [args.join(" ").replace(new RegExp(FORGING, "g"), "?"), args] as const)
  )("%s --json is one document, or nothing", async (_, args) => {
    const { stdout } = await workspace().bailiwick([...args, "--json"], { stdin, env: plain })
    expect(stdout === "" || typeof JSON.parse(stdout) === "object").toBe(true)
  })
})

describe("what agents grant and revoke write to", () => {
  const text = "---\nclass: agent\ncapabilities: [records.read]\n---\n"
  const spec = "records.create"

  it("without a terminal and without --yes, nothing is granted, whatever is on standard input", async () => {
    const here = new Folder({ "bailiwick.yaml": "", "records/agents/a.md": text })
    const outcome = await here.bailiwick(["agents", "grant", "a", spec], { stdin: "y\ny\nyes\n" })
    expect([outcome.code, readFileSync(here.path("records/agents/a.md"), "utf8")]).toEqual([1, text])
  })

  it("an id with '..' is not looked for outside of the records", async () => {
    const here = new Folder({ "bailiwick.yaml": "", "outside/x.md": text, "records/agents/a.md": text })
    mkdirSync(here.path("elsewhere"))
    const outcome = await here.bailiwick(["agents", "grant", "../outside/x", spec, "--yes"], {
      cwd: here.path("elsewhere")
    })
    expect([outcome.code, readFileSync(here.path("outside/x.md"), "utf8")]).toEqual([2, text])
  })

  it("a link among the records is not followed by id, a directory and a queue are no records", async () => {
    const here = new Folder({ "bailiwick.yaml": "", "outside/x.md": text, "records/agents/a.md": text })
    symlinkSync(here.path("outside/x.md"), here.path("records/agents/link.md"))
    symlinkSync(here.path("outside"), here.path("records/linked"))
    mkdirSync(here.path("records/agents/folder.md"))
    execFileSync("mkfifo", [here.path("records/agents/fifo.md")])
    for (const id of [
      "agents/link",
      "linked/x",
      "agents/folder",
      "agents/fifo",
      "fifo",
      "records/agents/fifo.md"
    ]) {
      const { code } = await here.bailiwick(["agents", "grant", id, spec, "--yes"])
      expect([id, code]).toEqual([id, 2])
    }
    expect(readFileSync(here.path("outside/x.md"), "utf8")).toBe(text)
    expect((await here.bailiwick(["doctor"])).code).toBe(0)
    expect((await here.bailiwick(["agents", "grant", "a", spec, "--yes"])).code).toBe(0)
  })

  it("a record that nobody may write stays as it is", async () => {
    const here = new Folder({ "bailiwick.yaml": "", "records/agents/a.md": text })
    chmodSync(here.path("records/agents/a.md"), 0o444)
    const { code } = await here.bailiwick(["agents", "grant", "a", spec, "--yes"])
    expect([code, readFileSync(here.path("records/agents/a.md"), "utf8")]).toEqual([2, text])
    expect(lstatSync(here.path("records/agents/a.md")).mode & 0o777).toBe(0o444)
  })

  it("a record that is no text is no end to what is said of the others", async () => {
    const here = new Folder({ "bailiwick.yaml": "", "records/agents/a.md": text })
    writeFileSync(here.path("records/agents/b.md"), Buffer.from([0x2d, 0x2d, 0x2d, 0x0a, 0xff, 0xfe]))
    writeFileSync(here.path("records/notes.md"), Buffer.from([0xff, 0xfe]))
    for (const args of [
      ["doctor"],
      ["agents"],
      ["agents", "capabilities", "a"],
      ["skills", "list"],
      ["tools", "list", "--agent", "a"]
    ]) {
      expect([args.join(" "), (await here.bailiwick(args)).code]).toEqual([args.join(" "), 0])
    }
  })
})

describe("a file that an agent leaves in the workspace", () => {
  const scout = "---\nclass: agent\ncapabilities: [records.read]\n---\n"
  const forged = "---\nid: agents/scout\nclass: agent\ncapabilities: [records.read, records.delete]\n---\n"

  it("does not stand in for the agent of that name, nor for one that is gone", async () => {
    const here = new Folder({
      "bailiwick.yaml": "",
      "records/agents/scout.md": scout,
      scout: forged,
      "agents/scout": forged,
      gone: forged,
      "agents/gone": forged
    })
    for (const id of ["scout", "agents/scout"]) {
      const { stdout } = await here.bailiwick(["agents", "capabilities", id, "--json"])
      expect([id, JSON.parse(stdout).grants.length]).toEqual([id, 1])
    }
    for (const id of ["gone", "agents/gone"]) {
      expect([id, (await here.bailiwick(["agents", "capabilities", id])).code]).toEqual([id, 2])
    }
    await here.bailiwick(["agents", "grant", "scout", "records.create", "--yes"])
    expect(readFileSync(here.path("scout"), "utf8")).toBe(forged)
    expect(readFileSync(here.path("records/agents/scout.md"), "utf8")).toContain("records.create")
  })

  it("is still used by whoever names it as a path", async () => {
    const here = new Folder({ "bailiwick.yaml": "", scout: forged, "loose/x.md": forged })
    for (const path of ["./scout", here.path("scout"), "loose/x.md", "./loose/x.md"]) {
      const { stdout } = await here.bailiwick(["agents", "capabilities", path, "--json"])
      expect([path, JSON.parse(stdout).grants.length]).toEqual([path, 2])
    }
  })
})

describe("secrets", () => {
  it("of the environment and of .env stand in no output", async () => {
    const secret = "s3cr3t-V4lue-0123456789"
    const here = new Folder({
      "bailiwick.yaml": "",
      ".env": `API_KEY=${secret}\nTOKEN="${secret}"\nBROKEN ${secret}\n`,
      "records/agents/a.md": "---\nclass: agent\ncapabilities: [records.read]\n---\n",
      "personalities/p/config.yaml": "id: p\nsecrets: { allow: [API_KEY, TOKEN, MISSING] }\n"
    })
    for (const args of [
      ["doctor"],
      ["doctor", "--json"],
      ["agents", "capabilities", "a"],
      ["skills", "list"],
      ["tools", "list", "--agent", "a"],
      ["explain", "-", "--agent", "a", "--json"],
      ["explain", "-", "--personality", "p", "--json"]
    ]) {
      const { stderr, stdout } = await here.bailiwick(args, { env: { API_KEY: secret }, stdin })
      expect([args.join(" "), stdout.includes(secret), stderr.includes(secret)]).toEqual([
        args.join(" "),
        false,
        false
      ])
    }
  })
})
