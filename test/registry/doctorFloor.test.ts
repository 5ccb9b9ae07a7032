/** What names a path of the floor. The threat: an operator takes for opened what is not, or lifts more than was meant. */
import { describe, expect, it } from "vitest"
import { codes, examine, found, holding, ofAgent, personality, RECORDS } from "./doctorInput.js"

describe("the part that no policy lifts", () => {
  it.each([
    ["fs.read: { in: ~/.ssh }", "/home/u/.ssh", "keys of SSH"],
    [
      "fs.read: { in: ~/.claude/.credentials.json }",
      "/home/u/.claude/.credentials.json",
      "tokens of Claude Code"
    ],
    [
      "fs.write: { in: ~/.ws/package.json }",
      "/home/u/.ws/package.json",
      "it decides which code a command loads"
    ],
    ["fs.delete: { in: /etc/passwd }", "/etc/passwd", "accounts"]
  ])("%s opens nothing, and the doctor says why", (grant, path, reason) => {
    const [finding, ...others] = ofAgent("floor", grant)
    expect(finding).toMatchObject({
      severity: "warning",
      subject: "agents/scout",
      code: "FLOOR_CLOSED",
      file: `${RECORDS}/agents/scout.md`,
      line: 4
    })
    expect(finding?.detail).toContain(
      `${path}: it is on the part of the floor that no policy lifts (${reason})`
    )
    expect(others).toEqual([])
  })
})

describe("the part that a policy lifts", () => {
  it.each([
    ["fs.write: { in: /work/app/.github/workflows }", "/work/app/.github/workflows (GitHub Actions)"],
    ['fs.write: { in: /work/app, paths: [".envrc"] }', "/work/app/.envrc (what entering the directory runs)"],
    ["fs.write: { in: /opt/app }", "/opt/app (programs of the system)"],
    ["fs.delete: { in: /home/bob }", "/home/bob (the home of somebody else)"]
  ])("%s lifts it, and the doctor says what", (grant, words) => {
    const [finding] = ofAgent("floor", grant)
    expect(finding).toMatchObject({ severity: "warning", code: "FLOOR_LIFTED" })
    expect(finding?.detail).toContain(words)
  })

  it("a personality is told once, for writing and deleting", () => {
    const findings = found("floor", {
      personalities: [personality("fs_reach: { read: [/work], write: [/work, /work/.vscode/tasks.json] }")]
    })
    expect(codes(findings)).toEqual(["FLOOR_LIFTED"])
    expect(findings[0]?.detail).toContain("/work/.vscode/tasks.json (tasks of Visual Studio Code)")
  })
})

it("what only reaches the floor is not named, and passes", () => {
  const agents = [
    holding("fs.read: { in: / }", "fs.write: { in: /work }", 'fs.write: { in: /w, paths: ["**"] }')
  ]
  const { findings, passed } = examine({ agents })
  expect(findings.filter(({ check }) => check === "floor")).toEqual([])
  expect(passed.map(({ check }) => check)).toContain("floor")
})
