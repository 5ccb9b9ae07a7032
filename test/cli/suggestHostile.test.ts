/**
 * Threat: what agents and strangers put into a log, so that a suggestion grants something, breaks the record it is written
 * to, or shows a reader something else than it does.
 */
import { describe, expect, it } from "vitest"
import * as AgentRecord from "../../src/policy/agent/AgentRecord.js"
import * as Authority from "../../src/policy/lattice/Authority.js"
import { at, call, decision, LOG, lines, refusal } from "./auditLog.js"
import { record, SCOUT, text } from "./scout.js"
import { Folder } from "./workspace.js"

const GRANTS = [
  "capabilities:",
  "  - fs.read: { in: /work }",
  "  - net.get: { hosts: ['*'] }",
  "  - proc.exec: { in: /work }",
  "  - records.update"
]

const folderWith = (...entries: ReadonlyArray<object | string>): Folder =>
  new Folder({ "bailiwick.yaml": "", [SCOUT]: record(...GRANTS), [LOG]: lines(entries) })

const authorityOf = (folder: Folder): Authority.Authority =>
  AgentRecord.parse({ file: "a.md", id: "agents/scout", text: text(folder) }, {}).authority

const applied = async (folder: Folder) => {
  const before = authorityOf(folder)
  const outcome = await folder.bailiwick(["suggest", "--agent", "scout", "--apply", "--yes", "--json"])
  expect({ code: outcome.code, stderr: outcome.stderr }).toEqual({ code: 0, stderr: "" })
  const after = authorityOf(folder)
  expect(Authority.within(after, before)).toBe(true)
  return { ...JSON.parse(outcome.stdout), after }
}

const file = (path: string) =>
  decision({ capability: "files.read", asked: `read ${JSON.stringify(path)}`, scope: "/work/" })

describe("names that would break out of what they are written into", () => {
  it.each([
    "/work/a\": { hosts: ['*'] }",
    "/work/], fs.write: { in: / }",
    "/work/x\n  - fs.write: { in: / }",
    "/work/---",
    "/work/# no comment",
    "/work/- net.get{hosts=[*]}",
    "/work/{a,b}/[c]",
    "/work/~",
    "/work/ü\u{1F600}\u202Egnp",
    "/work/null",
    "/work/**/x",
    "/work/a*b?",
    "/work/ends with: ",
    `/work/${"long".repeat(900)}`
  ])("%j is a path and nothing else", async (path) => {
    const folder = folderWith(file(path), file("/work/plain"))
    const { after } = await applied(folder)
    expect(text(folder).startsWith("---\n# who it is\nid: agents/scout\nclass: agent\n")).toBe(true)
    expect(text(folder).endsWith("\n# Scout\n\nBody  \n")).toBe(true)
    expect(Object.keys(after.toJSON())).toEqual(["files"])
  })
})

describe("lines that look like something else", () => {
  it("are what their scope held, and no more", async () => {
    const odd = (asked: string) => decision({ capability: "files.read", asked, scope: "/work/docs/" })
    const folder = folderWith(
      odd("read /work/x read /etc"),
      odd("fs.write{in=/}"),
      odd("GET https://x.example/")
    )
    const { after, narrower } = await applied(folder)
    expect(after.toJSON()).toEqual({ files: { read: ["/work/docs/"] } })
    expect(narrower).toMatchObject([{ from: "fs.read{in=/work}", to: "fs.read{in=/work/docs}", seen: 3 }])
  })

  it("keep all of a capability where neither line nor scope can be read", async () => {
    const { after } = await applied(
      folderWith(decision({ asked: "GET [redacted]", scope: "[redacted]" }), file("/work/a"))
    )
    expect(after.toJSON()).toEqual({ files: { read: ["/work/a/"] }, network: { get: ["*"] } })
  })

  it("of commands are never taken for arguments", async () => {
    const folder = folderWith(
      decision({
        capability: "process.exec",
        asked: "exec git in /work/my in /it",
        scope: "git:* in /work/"
      })
    )
    const { after } = await applied(folder)
    expect(after.toJSON()).toEqual({ process: { exec: [{ argv: "git:*", in: "/work/my in /it/" }] } })
  })

  it("grant nothing that is not held", async () => {
    const folder = folderWith(
      decision({ capability: "files.write", asked: "write /etc/passwd", scope: "/" }),
      decision({ capability: "agents.grant", asked: "agents.grant agents/scout", scope: "**" }),
      file("/work/a")
    )
    const { after, leftOut } = await applied(folder)
    expect(leftOut).toBe(2)
    expect(after.toJSON()).toEqual({ files: { read: ["/work/a/"] } })
  })
})

describe("entries of others", () => {
  it.each([
    "agents/scout\n",
    "agents/scout ",
    "Agents/scout",
    "agents/scout\u0000",
    "scout",
    "agents/../agents/scout"
  ])("%j is another agent", async (agent) => {
    const folder = folderWith(
      decision({ agent }),
      decision({ agent: undefined, personality: "agents/scout" })
    )
    const { stdout } = await folder.bailiwick(["suggest", "--agent", "scout", "--json"])
    expect(JSON.parse(stdout)).toMatchObject({ outcome: "nothing", decisions: 0 })
  })
})

describe("what is shown", () => {
  it("holds no control character, be it in a terminal", async () => {
    const evil = "\u001b[2J\u0007\u202e"
    const folder = folderWith(
      decision(),
      ...[1, 2, 3].map((n) =>
        refusal({ time: at(n), tool: `web${evil}`, asked: `GET https://x.example/${evil}` })
      ),
      ...[1, 2, 3].map((n) =>
        refusal({
          time: at(n),
          capability: "files.read",
          asked: `read "/data/${evil}"`,
          code: "PATH_NOT_REACHABLE"
        })
      ),
      ...[1, 2, 3].map((n) =>
        refusal({
          time: at(n),
          tool: `a${evil}\u009b`,
          capability: "network.delete",
          asked: "DELETE https://refused.example/"
        })
      ),
      call({ tool: evil })
    )
    for (const [isTTY, ...more] of [[true], [false], [true, "--json"]] as const) {
      const { stdout } = await folder.bailiwick(["suggest", "--agent", "scout", ...more], {
        isTTY,
        env: { NO_COLOR: "1" }
      })
      // biome-ignore lint/suspicious/noControlCharactersInRegex: that there are none is the point
      expect(stdout).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202a-\u202e]/)
    }
  })
})

describe("lines that are no entries", () => {
  it("are left out and said", async () => {
    const folder = folderWith(
      decision(),
      "{ not json",
      JSON.stringify({ v: 2, type: "decision" }),
      '{"v":1,"type":'
    )
    const { notes } = JSON.parse((await folder.bailiwick(["suggest", "--agent", "scout", "--json"])).stdout)
    expect(notes.join("\n")).toMatch(/left out|no entr|torn|another version/)
  })
})
