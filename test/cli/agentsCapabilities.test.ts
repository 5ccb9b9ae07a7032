/** What an operator sees of an agent: the words, the width, the document, and how an agent is found. */
import { describe, expect, it } from "vitest"
import { helpFor } from "../../src/cli/Help.js"
import { widthOf } from "../../src/cli/report/Terminal.js"
import { plain } from "./fakeTty.js"
import { agents, folderOf, held, SCOUT } from "./scout.js"

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

describe("help", () => {
  it.each([
    ["agents", "capabilities"],
    ["agents", "grant"],
    ["agents", "revoke"],
    ["skills", "list"],
    ["skills", "check"],
    ["doctor"],
    ["run"],
    ["explain"],
    ["tools", "list"]
  ])("of %s %s is there, and the general help lists the command", (...words) => {
    expect(helpFor([...words, "--help"])).toContain(`bailiwick ${words.join(" ")}`)
    expect(helpFor(["--help"])).toContain(`bailiwick ${words.join(" ")}`)
  })

  it("names what was agreed: both authorities together, and the question", () => {
    for (const command of [["run"], ["explain"], ["tools", "list"]]) {
      expect(helpFor([...command, "--help"])).toMatch(/--agent[\s\S]*--personality[\s\S]*both allow/)
    }
    expect(helpFor(["agents", "grant", "-h"])).toContain("--yes")
    expect(helpFor(["doctor", "-h"])).toContain("--strict")
  })
})
