/** What lies in a workspace and does nothing is named by the doctor: nothing is passed over in silence. */
import { symlinkSync } from "node:fs"
import { describe, expect, it } from "vitest"
import { Folder } from "./workspace.js"

const AGENT = "---\nclass: agent\ncapabilities: [records.read]\n---\nBody\n"

interface Finding {
  readonly check: string
  readonly code: string
  readonly subject: string
  readonly file?: string
  readonly line?: number
}

const findings = async (folder: Folder): Promise<ReadonlyArray<Finding>> => {
  const { code, stdout } = await folder.bailiwick(["doctor", "--json"])
  expect(code).toBe(0)
  return JSON.parse(stdout).findings.filter(({ check }: Finding) => check !== "sandbox")
}

describe("the doctor", () => {
  it("finds an agent without front matter, and leaves a page and a note alone", async () => {
    const folder = new Folder({
      "bailiwick.yaml": "",
      "records/agents/scout.md": "You are a scout.\n",
      "records/agents/half.md": "---\ntitle: Half\n---\n",
      "records/agents/README.md": "The agents.\n",
      "records/notes/a.md": "no front matter here"
    })
    expect(await findings(folder)).toMatchObject([
      { check: "grants", code: "NOT_AN_AGENT", subject: "agents/half" },
      {
        check: "grants",
        code: "NOT_AN_AGENT",
        subject: "agents/scout",
        file: folder.path("records/agents/scout.md")
      }
    ])
  })

  it("finds what a program that was killed left in the journal", async () => {
    const entry = ".bailiwick/quarantine.journal/unreadable-1-2-3-4_ab_1"
    const folder = new Folder({ "bailiwick.yaml": "", [entry]: "torn" })
    const { stdout } = await folder.bailiwick(["doctor", "--json"])
    expect(JSON.parse(stdout).findings).toContainEqual(
      expect.objectContaining({ check: "sandbox", code: "SWEEP_DUE", file: folder.path(entry) })
    )
  })

  it("finds links to records, to directories of them and to skills", async () => {
    const folder = new Folder({
      "bailiwick.yaml": "",
      "elsewhere/scout.md": AGENT,
      "records/agents/a.md": AGENT
    })
    folder.write("skills/x/SKILL.md", "---\nname: x\ndescription: x\n---\nBody\n")
    symlinkSync(folder.path("elsewhere/scout.md"), folder.path("records/agents/scout.md"))
    symlinkSync(folder.path("elsewhere"), folder.path("records/team"))
    symlinkSync(folder.path("nowhere"), folder.path("records/agents/gone.md"))
    symlinkSync(folder.path("elsewhere"), folder.path("skills/y"))
    const found = await findings(folder)
    expect(found.map(({ check, code, subject }) => [check, code, subject])).toEqual([
      ["records", "LINK_IGNORED", "agents/gone"],
      ["records", "LINK_IGNORED", "agents/scout"],
      ["records", "LINK_IGNORED", "team"],
      ["skills", "LINK_IGNORED", "y"]
    ])
  })

  it("finds broken skills, and two of one name", async () => {
    const folder = new Folder({
      "bailiwick.yaml": "",
      "records/agents/a.md": AGENT,
      "skills/broken.md": "no front matter",
      "skills/tidy.md": "---\nname: tidy\ndescription: x\n---\nBody\n",
      "records/skills/tidy.md": "---\nclass: skill\nname: tidy\ndescription: x\n---\nBody\n"
    })
    const found = await findings(folder)
    expect(found[0]).toMatchObject({ check: "skills", severity: "failure", subject: "broken" })
    expect(found.find(({ code }) => code === "SKILL_SHADOWED")).toMatchObject({
      subject: "tidy",
      file: folder.path("records/skills/tidy.md")
    })
  })

  it.each([
    [
      "mcp_servers:\n  github:\n    command: node\n    requires:\n      - records.reed\n",
      "mcp_servers.github",
      5
    ],
    [
      "mcp_servers:\n  - name: hub\n    requires: [records.read, {net.get: {host: [a]}}]\n",
      "mcp_servers.hub",
      3
    ],
    ["mcp_servers:\n  hub:\n    requires: records.read\n", "mcp_servers.hub", 3]
  ])("finds what is no grant in %j", async (yaml, subject, line) => {
    const folder = new Folder({ "bailiwick.yaml": yaml, "records/agents/a.md": AGENT })
    expect(await findings(folder)).toMatchObject([
      { check: "mcp servers", subject, file: folder.path("bailiwick.yaml"), line }
    ])
  })

  it.each([
    ["mcp_servers:\n  a__b:\n    command: node\n", "NAME_INVALID", 2],
    ["mcp_servers:\n  - name: hub\n  - name: hub\n", "KEY_DUPLICATE", 3]
  ])("finds what is no name of a server in %j", async (yaml, code, line) => {
    const folder = new Folder({ "bailiwick.yaml": yaml, "records/agents/a.md": AGENT })
    expect(await findings(folder)).toMatchObject([{ check: "mcp servers", code, line }])
  })

  it("finds a provider grant that opens nothing", async () => {
    const folder = new Folder({
      "bailiwick.yaml": "",
      "records/agents/a.md": AGENT.replace("records.read", "provider.web_search")
    })
    expect(await findings(folder)).toMatchObject([
      { code: "PROVIDER_OPENS_NOTHING", subject: "agents/a", line: 3 }
    ])
  })
})
