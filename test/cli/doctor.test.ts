/**
 * The doctor at work on real directories: it says what is wrong and where, blocks nothing, and breaks on nothing that
 * it is there to find.
 */
import { chmodSync, writeFileSync } from "node:fs"
import { describe, expect, it } from "vitest"
import { has } from "../../scripts/lib/system.js"
import { Folder, type Options } from "./workspace.js"

const agent = (...lines: ReadonlyArray<string>): string =>
  ["---", "class: agent", ...lines, "---", "A body.", ""].join("\n")

const clean = {
  "bailiwick.yaml": "",
  "records/agents/scout.md": agent("capabilities: [records.read]"),
  "records/notes/a.md": "no front matter here"
}

/** Whether this machine holds children, as these tests find it. */
const isEquipped = has("bwrap")

const look = async (folder: Folder, options: Options = {}, ...args: ReadonlyArray<string>) => {
  const outcome = await folder.bailiwick(["doctor", "--json", ...args], options)
  return { ...outcome, ...JSON.parse(outcome.stdout) }
}

/** Without what depends on the machine that the tests run on. */
const ofWorkspace = async (folder: Folder, options: Options = {}) =>
  (await look(folder, options)).findings.filter(({ check }: { check: string }) => check !== "sandbox")

describe("a workspace in order", () => {
  it("has a line for every check, a summary, and exit code 0", async () => {
    const folder = new Folder(clean)
    const { code, stderr, stdout } = await folder.bailiwick(["doctor"])
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" })
    expect(stdout).toContain("✓ grants: 1 grant of 1 agent, all of them understood\n")
    expect(stdout).toContain(`✓ records: 2 records in ${folder.path("records")}\n`)
    expect(stdout).toMatch(/\n\d+ passed(, \d+ failed)?(, \d+ warnings)?\n$/)
    expect(stdout).not.toContain("(no agent records)")
  })

  it("is one JSON document with --json", async () => {
    const folder = new Folder(clean)
    const report = await look(folder)
    expect(report).toMatchObject({ workspace: folder.root, agents: 1, personalities: 0 })
    expect(report.summary.passed).toBe(report.passed.length)
    expect(await ofWorkspace(folder)).toEqual([])
  })

  it.runIf(isEquipped)("passes --strict", async () => {
    const folder = new Folder(clean)
    expect((await folder.bailiwick(["doctor", "--strict"])).code).toBe(0)
  })

  it("Q31: without agents says so", async () => {
    const folder = new Folder({ "bailiwick.yaml": "", "records/a.md": "x" })
    expect((await folder.bailiwick(["doctor"])).stdout).toContain("(no agent records)\n")
  })
})

describe("findings", () => {
  const wrong = {
    ...clean,
    "records/agents/scout.md": agent("capabilities:", "  - records.reed", "  - net.get")
  }

  it("Q1/Q23/Q30: name severity, place, what is wrong and what to write", async () => {
    const folder = new Folder(wrong)
    const { stdout } = await folder.bailiwick(["doctor"])
    expect(stdout).toContain(
      "! agents/scout: unknown capability 'records.reed'  records/agents/scout.md:4 CAPABILITY_UNKNOWN  → did you mean 'records.read'?\n"
    )
    expect(stdout).toContain("records/agents/scout.md:5 GRANT_INERT")
    expect(stdout).toMatch(/\n\d+ passed(, 1 failed)?, 2 warnings\n$/)
  })

  it("Q28/Q29: do not block; they are exit code 1 with --strict alone", async () => {
    const folder = new Folder(wrong)
    expect((await folder.bailiwick(["doctor"])).code).toBe(0)
    expect((await folder.bailiwick(["doctor", "--strict"])).code).toBe(1)
    const listed = await folder.bailiwick(["doctor", "--strict", "--json"])
    expect(listed.code).toBe(1)
    expect(JSON.parse(listed.stdout).findings.length).toBeGreaterThan(1)
  })

  it("show what nobody would see in an id", async () => {
    const folder = new Folder({ ...clean, "records/agents/bo\u200bss.md": "---\nclass: agent\n---\n" })
    const { stdout } = await folder.bailiwick(["doctor"])
    expect(stdout).toContain("records/agents/bo\\u200bss.md")
    expect(stdout).not.toContain("\u200b")
  })

  it("fit a terminal, in colour", async () => {
    const folder = new Folder(wrong)
    const { stdout } = await folder.bailiwick(["doctor"], { isTTY: true, columns: 60 })
    expect(stdout).toContain("\u001b[33m!\u001b[0m")
    for (const line of stdout.split("\n")) {
      const seen = line.split("\u001b[").map((part, at) => (at === 0 ? part : part.replace(/^\d+m/, "")))
      expect([...seen.join("")].length).toBeLessThanOrEqual(60)
    }
  })
})

describe("what cannot be read", () => {
  it("is a failure with its line, and the rest is looked at", async () => {
    const folder = new Folder({
      ...clean,
      "records/agents/broken.md": "---\nclass: agent\ncapabilities: [\n---\n",
      "records/agents/open.md": "---\nclass: agent\n",
      "personalities/p/config.yaml": "id: p\nfs_reech: {}\n",
      "personalities/empty/other.txt": "",
      "personalities/q.yaml": "id: q\ntoolset: [web_fetsh]\n"
    })
    writeFileSync(folder.path("records/agents/latin.md"), Buffer.from([0xff, 0xfe, 0x41]))
    const report = await look(folder)
    expect(report.code).toBe(0)
    const of = (subject: string) =>
      report.findings.find((finding: { subject: string }) => finding.subject === subject)
    expect(of("agents/broken")).toMatchObject({ severity: "failure", check: "records", line: 4 })
    expect(of("agents/open")).toMatchObject({ severity: "failure", code: "YAML_INVALID" })
    expect(of("agents/latin")).toMatchObject({
      severity: "failure",
      code: "FILE_UNREADABLE",
      detail: "the file is not text in UTF-8"
    })
    expect(of("p")).toMatchObject({
      severity: "failure",
      code: "KEY_UNKNOWN",
      file: folder.path("personalities/p/config.yaml"),
      line: 2
    })
    expect(of("empty")).toMatchObject({ severity: "failure", detail: "the file does not exist" })
    expect(of("q")).toMatchObject({ severity: "warning", code: "TOOL_UNKNOWN", remedy: "write 'web_fetch'" })
    expect(report.agents).toBe(1)
  })

  it("a personality that is written twice is a failure", async () => {
    const folder = new Folder({
      ...clean,
      "personalities/p/config.yaml": "id: p",
      "personalities/p.yaml": "id: p"
    })
    expect(await ofWorkspace(folder)).toMatchObject([
      { severity: "failure", subject: "p", detail: expect.stringContaining("written twice") }
    ])
  })

  it("a workspace file that is wrong is exit code 2, as everywhere", async () => {
    const outcome = await new Folder({ "bailiwick.yaml": "recordz: x" }).bailiwick(["doctor"])
    expect(outcome).toMatchObject({ code: 2, stdout: "" })
    expect(outcome.stderr).toContain("bailiwick.yaml:1:1")
  })

  it("a directory of records that is not there is told", async () => {
    expect(await ofWorkspace(new Folder({ "bailiwick.yaml": "records_dir: elsewhere" }))).toMatchObject([
      { code: "RECORDS_MISSING", severity: "warning" }
    ])
  })
})

describe("what is looked for", () => {
  it("Q14: a sandbox of the workspace that covers the records is found for each agent that writes", async () => {
    const folder = new Folder({
      ...clean,
      "bailiwick.yaml": "sandbox: ./",
      "records/agents/writer.md": agent("capabilities: [fs.write]")
    })
    expect(await ofWorkspace(folder)).toMatchObject([
      {
        subject: "agents/writer",
        code: "WRITES_AUTHORITY",
        file: folder.path("records/agents/writer.md"),
        line: 3
      }
    ])
  })

  it("secrets are looked for in the environment and in .env, and are never shown", async () => {
    const folder = new Folder({
      ...clean,
      ".env": "IN_FILE=hush-file\n",
      "personalities/p/config.yaml": "id: p\nsecrets:\n  allow: [IN_FILE, IN_ENV, NOWHERE]\n"
    })
    const options = { env: { IN_ENV: "hush-env" } }
    expect(await ofWorkspace(folder, options)).toMatchObject([
      { subject: "p", code: "SECRET_MISSING", line: 3, detail: expect.stringContaining("NOWHERE") }
    ])
    const { stderr, stdout } = await folder.bailiwick(["doctor"], options)
    expect(`${stdout}${stderr}`).not.toContain("hush")
  })

  it("a .env that cannot be read is a failure, in words that show nothing of it", async () => {
    const folder = new Folder({
      ...clean,
      ".env": "hush hush\n",
      "personalities/p/config.yaml": "id: p\nsecrets: { allow: [KEY] }\n"
    })
    const [failure] = await ofWorkspace(folder)
    expect(failure).toMatchObject({ severity: "failure", code: "SECRETS_FAILED" })
    expect(JSON.stringify(failure)).not.toContain("hush")
  })

  it.runIf(process.platform === "linux")("Q26: bwrap is looked for on the path", async () => {
    const folder = new Folder(clean)
    folder.write("bare/bwrap", "not a program")
    for (const PATH of [folder.path("bare"), "", "bare"]) {
      const { findings } = await look(folder, { env: { PATH } })
      expect(findings).toMatchObject([{ severity: "failure", check: "sandbox", code: "SANDBOX_MISSING" }])
      for (const command of ["apt install bubblewrap", "dnf install bubblewrap", "pacman -S bubblewrap"]) {
        expect(findings[0].remedy).toContain(command)
      }
    }
  })

  it.runIf(isEquipped)("what holds children is started, and named", async () => {
    const { findings, passed } = await look(new Folder(clean))
    expect(findings).toEqual([])
    expect(passed.at(-1)).toEqual({
      check: "sandbox",
      detail: expect.stringMatching(/^\/.*\/bwrap holds child processes$/)
    })
  })

  it.runIf(process.platform === "linux")(
    "[P20] a bwrap that others may replace is not used, and where there is no other that is said",
    async () => {
      const folder = new Folder(clean)
      chmodSync(folder.write("bin/bwrap", "#!/bin/sh\nexit 0\n"), 0o755)
      const alone = await look(folder, { env: { PATH: folder.path("bin") } })
      expect(alone.findings).toMatchObject([
        { severity: "failure", code: "SANDBOX_UNUSABLE", detail: expect.stringContaining("others than root") }
      ])
      if (!isEquipped) return
      const both = await look(folder, { env: { PATH: `${folder.path("bin")}:${process.env.PATH}` } })
      expect(both.findings).toEqual([])
    }
  )

  it("whoever has it off is named, loudly", async () => {
    const folder = new Folder({
      ...clean,
      "personalities/p/config.yaml":
        'id: p\nfs_reach: { read: [/srv] }\nprocess: { allow: ["git"] }\nsandbox: off\n'
    })
    const { findings } = await look(folder)
    expect(findings).toContainEqual(
      expect.objectContaining({
        severity: "warning",
        code: "CHILDREN_NOT_HELD",
        detail: expect.stringContaining("commands of p are not held by the kernel: 'sandbox: off' is written")
      })
    )
  })

  it("many records are read with a sign of life on a terminal, and none on a pipe", async () => {
    const many = Array.from({ length: 2000 }, (_, at) => [`records/notes/${at}.md`, "x"] as const)
    const folder = new Folder({ ...clean, ...Object.fromEntries(many) })
    const seen = await folder.bailiwick(["doctor"], { stderrIsTTY: true })
    expect(seen.stderr).toContain("reading records: ")
    expect(seen.stderr.endsWith("\r\u001b[K")).toBe(true)
    expect((await folder.bailiwick(["doctor"])).stderr).toBe("")
    const stopped = await folder.bailiwick(["doctor"], { signal: AbortSignal.abort() })
    expect(stopped).toMatchObject({ code: 130, stdout: "" })
  })

  it("without a workspace only the machine is looked at", async () => {
    const folder = new Folder()
    const { code, stdout } = await folder.bailiwick(["doctor"])
    expect(code).toBe(0)
    expect(stdout).toContain("there is no workspace here")
    const { passed, findings, workspace } = await look(folder)
    expect(workspace).toBeNull()
    expect([...passed, ...findings].map(({ check }: { check: string }) => check)).toEqual(["sandbox"])
  })
})
