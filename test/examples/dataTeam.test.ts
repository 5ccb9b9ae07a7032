/** The data team, with real files: large ones, attached ones, and ones that are out of reach. */
import { existsSync, readFileSync, symlinkSync, writeFileSync } from "node:fs"
import { pathToFileURL } from "node:url"
import { describe, expect, it } from "vitest"
import { followRemedies, runEveryCommand, TeamSpace, words } from "./everyCommand.js"

const team = (): TeamSpace => new TeamSpace("data-team")

const sums = { path: "data/orders.csv", by: "region", of: "amount" }

describe("the data team", () => {
  it("answers to every command", async () => {
    const seen = await runEveryCommand(team(), {
      name: "data-team",
      agent: "analyst",
      personality: "analyst",
      calls: [
        { name: "sum_by", args: sums },
        { name: "write_sums", args: { ...sums, to: "reports/2026-01.csv" } },
        { name: "list_files", args: { path: "data" } }
      ],
      skill: "monthly-report",
      held: "storage.use{scopes=[personality]}",
      wanted: "net.get{hosts=[data.example.com]}"
    })
    const called = seen.find(({ command }) => command.startsWith("call sum_by"))
    expect(called?.stdout).toBe("group  rows  sum\nsouth  2     28\nnorth  2     16.75\neast   1     0\n")
  })

  it("remembers for the personality what a file was like", async () => {
    const space = team()
    const described = async () => {
      const { stdout } = await space.bailiwick([
        "call",
        "describe_csv",
        "path=data/orders.csv",
        "--personality",
        "analyst",
        "--json"
      ])
      return JSON.parse(stdout).value
    }
    expect(await described()).toMatchObject({ rows: 5, before: null })
    space.write("data/orders.csv", "region,amount\nnorth,1\n")
    expect(await described()).toMatchObject({ rows: 1, before: 5 })
  })

  it("lets the intern write what the refusal advises, and nothing beside it", async () => {
    const space = team()
    const report = { name: "write_sums", args: { ...sums, to: "reports/mine.csv" } }
    expect(await followRemedies(space, "intern", report)).toBe(1)
    expect(readFileSync(space.path("reports/mine.csv"), "utf8")).toContain("south,2,28")
    const over = words({ name: "write_sums", args: { ...sums, to: "data/orders.csv" } })
    const other = await space.bailiwick(["call", ...over, "--agent", "intern"])
    expect(other).toMatchObject({ code: 1, stdout: "" })
  })

  it("asks of the intern what the skill of the analyst needs", async () => {
    const { stdout } = await team().bailiwick(["skills", "check", "--agent", "intern", "--json"])
    const [skill] = JSON.parse(stdout).skills
    expect(skill.missing.map(({ token }: { token: string }) => token)).toEqual(["describe_csv", "write_sums"])
  })

  it.each([
    ["../secret.csv", "PATH_NOT_REACHABLE"],
    ["/etc/passwd", "PATH_NOT_REACHABLE"],
    ["data/out.csv", "PATH_NOT_REACHABLE"],
    ["data/missing.csv", "NOT_FOUND"]
  ])("reads nothing at %s", async (path, code) => {
    const space = team()
    writeFileSync(space.path("secret.csv"), "a\nhush\n")
    symlinkSync(space.path("secret.csv"), space.path("data/out.csv"))
    for (const holder of [
      ["--agent", "analyst"],
      ["--personality", "analyst"]
    ]) {
      const outcome = await space.bailiwick(["call", "sum_by", `path=${path}`, "by=a", "of=a", ...holder])
      expect(outcome).toMatchObject({ code: 1, stdout: "" })
      expect(outcome.stderr).toContain(code)
      expect(outcome.stderr).not.toContain("hush")
    }
  })

  it("reads what came with the turn, and not what it lies beside", async () => {
    const space = team()
    const file = space.write("inbox/orders.csv", "a,b\n1,2\n")
    space.write("attached.json", [
      {
        type: "file",
        ref: "att-0",
        url: pathToFileURL(file).href,
        mimeType: "text/csv",
        filename: "orders.csv"
      }
    ])
    const call = (...more: ReadonlyArray<string>) =>
      space.bailiwick(["call", "describe_attached_csv", "--attachments", "attached.json", "--json", ...more])
    for (const holder of [
      ["--agent", "analyst"],
      ["--personality", "analyst"]
    ]) {
      const { code, stdout } = await call(...holder)
      expect(code).toBe(0)
      expect(JSON.parse(stdout).value).toMatchObject([{ file: "orders.csv", rows: 1 }])
    }
    expect((await call("--agent", "intern")).code).toBe(1)
  })

  it("writes no tool, and no policy", async () => {
    const space = team()
    await space.bailiwick(["agents", "grant", "analyst", `fs.write{in=${space.root}}`, "--yes"])
    for (const to of [
      "tools/csv.ts",
      "bailiwick.lock.json",
      "personalities/intern/config.yaml",
      "tools/new.ts"
    ]) {
      const before = existsSync(space.path(to)) ? readFileSync(space.path(to), "utf8") : undefined
      const over = words({ name: "write_sums", args: { ...sums, to } })
      const { code } = await space.bailiwick(["call", ...over, "--agent", "analyst"])
      const after = existsSync(space.path(to)) ? readFileSync(space.path(to), "utf8") : undefined
      expect({ to, code, changed: before !== after }).toEqual(
        to === "tools/new.ts" ? { to, code: 0, changed: true } : { to, code: 1, changed: false }
      )
    }
  })
})

describe("on a narrow terminal", () => {
  it("the command of a remedy stays whole, so that it can be copied", async () => {
    const space = team()
    const call = words({ name: "write_sums", args: { ...sums, to: "reports/mine.csv" } })
    const { stderr } = await space.bailiwick(["call", ...call, "--agent", "intern"], {
      isTTY: true,
      stderrIsTTY: true,
      columns: 40,
      env: { NO_COLOR: "1" }
    })
    expect(stderr).toContain(
      `\nremedy  bailiwick agents grant agents/intern 'fs.write{in=${space.path("reports")}}'\n`
    )
  })
})
