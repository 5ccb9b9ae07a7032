/** The names of servers' tools in a registry: a server chooses its own, and takes nobody's. */
import { describe, expect, it } from "vitest"
import { namesOf } from "../../src/mcp/gateway/toolNames.js"
import { isToolName, looksLike, serverOf } from "../../src/policy/ToolOrigin.js"

const check = (server: string, tools: ReadonlyArray<string>) => {
  const names = namesOf(server, tools)
  const all = [...names.values()]
  expect(all.every(isToolName)).toBe(true)
  expect(new Set(all.map(looksLike)).size).toBe(all.length)
  expect(all.every((name) => serverOf(name) === server)).toBe(true)
  return names
}

describe("the name of a server's tool", () => {
  it("is plain where it can be [P5]", () => {
    expect(check("gh", ["list_repos"]).get("list_repos")).toBe("mcp__gh__list_repos")
  })

  it("is shortened with a digest where it is too long, and two long ones stay two", () => {
    const long = "a".repeat(80)
    const names = check("gh", [`${long}1`, `${long}2`])
    expect(names.size).toBe(2)
    for (const name of names.values()) expect(name.length).toBe(64)
  })

  it("has no characters that names do not have, and those that differ in them alone stay apart", () => {
    expect(check("gh", ["a.b", "a/b", "a b", "ä"]).size).toBe(4)
  })

  it("is told from one that looks like it", () => {
    expect(check("gh", ["read-file", "read_file", "Read_File"]).size).toBe(3)
  })

  it("cannot be that of another server, whatever it is", () => {
    check("gh", ["__other__x", "mcp__other__x", "x__y"])
  })

  it("is nobody's where a server makes two that cannot be told apart", () => {
    const [dotted] = namesOf("gh", ["a.b"]).values()
    const forged = (dotted ?? "").replace("mcp__gh__", "")
    expect(check("gh", ["a.b", forged]).size).toBe(2)
  })
})
