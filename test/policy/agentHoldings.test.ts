/**
 * Secrets, storage and attachments of an agent, which it holds by grants alone. What is threatened: a tool takes what
 * its declaration names from an agent whose record never spoke of it.
 */
import { Either } from "effect"
import { describe, expect, it } from "vitest"
import * as AgentRecord from "../../src/policy/agent/AgentRecord.js"
import * as Grant from "../../src/policy/grant/Grant.js"
import * as Authority from "../../src/policy/lattice/Authority.js"
import { authority, codes, left, record, right, spec, verdict, within } from "./agents.js"

const asked = ["secret KEY", "secret a/b", "storage session", "storage tool-private", "attachment image"]

describe("an agent whose record does not speak of them", () => {
  it.each([["class: agent"], ["access: rw"], ["sandbox: /w"], ["capabilities: []"], ["capabilities:"]])(
    "holds none with %s",
    (yaml) => {
      const agent = record(yaml === "class: agent" ? "title: x" : yaml)
      for (const line of asked) expect([line, verdict(agent, line)]).toEqual([line, "capability_absent"])
      expect(AgentRecord.policy(agent).asDeclared.size).toBe(0)
    }
  )

  it("with capabilities: [] may touch nothing at all", () => {
    const agent = record("capabilities: []")
    expect(Authority.isNothing(agent.authority)).toBe(true)
    expect(agent.held).toEqual([])
  })
})

describe("the three families", () => {
  it.each([
    ["secrets.read{refs=[KEY,a/*]}", ["secret KEY", "secret a/b"], ["secret OTHER", "secret b/a"]],
    ["secrets.read{refs=[*]}", ["secret KEY", "secret a/b"], ["storage session"]],
    ["storage.use{scopes=[session]}", ["storage session"], ["storage tool-private"]],
    ["storage.use{scopes=[*]}", ["storage session", "storage personality"], ["attachment image"]],
    ["attachments.read{kinds=[image]}", ["attachment image"], ["attachment file"]],
    ["attachments.read{kinds=[*]}", ["attachment image", "attachment audio"], ["secret KEY"]]
  ])("%s gives what it names", (text, open, closed) => {
    const agent = record(`capabilities: [${JSON.stringify(text)}]`)
    for (const line of open) expect([line, verdict(agent, line)]).toEqual([line, "allowed"])
    for (const line of closed) expect([line, verdict(agent, line)]).not.toEqual([line, "allowed"])
  })

  it.each([
    ["secrets.read", "names no ref", "secrets.read{refs=[API_KEY]}"],
    ["storage.use", "names no scope", "storage.use{scopes=[session]}"],
    ["attachments.read", "names no kind", "attachments.read{kinds=[image]}"]
  ])("bare %s gives nothing, and says what to write", (name, detail, remedy) => {
    const agent = record(`capabilities: [${name}]`)
    expect(Authority.isNothing(agent.authority)).toBe(true)
    expect(agent.held[0]?.inert?.detail).toContain(detail)
    expect(agent.held[0]?.inert?.remedy).toContain(remedy)
    expect(verdict(agent, asked.find((line) => line.startsWith(name.slice(0, 5))) ?? "secret KEY")).toBe(
      "scope_violation"
    )
  })

  it.each([
    "secrets.read{refs=[..]}",
    "secrets.read{refs=[a//b]}",
    "storage.use{scopes=[sessions]}",
    "attachments.read{kinds=[video]}",
    "secrets.read{scopes=[session]}"
  ])("%s is no grant", (text) => {
    expect(Either.isLeft(Grant.parse(text))).toBe(true)
  })

  it("a value in the place of a ref is not repeated: it may be the secret", () => {
    for (const text of ["secrets.read{refs=hunter2}", "secrets.read{refs=[hun ter2!]}"]) {
      expect(left(Grant.parse(text)).message).not.toContain("hun")
    }
    expect(codes(record("capabilities: [secrets.read: { refs: [{ hunter2: 1 }] }]"))).toEqual([
      "SCOPE_VALUE_INVALID"
    ])
  })

  it("are compared, described and rated as the others are", () => {
    expect(within(["secrets.read{refs=[a/b]}"], ["secrets.read{refs=[a/*]}"])).toBe(true)
    expect(within(["secrets.read{refs=[a/*]}"], ["secrets.read{refs=[a/b]}"])).toBe(false)
    expect(within(["storage.use{scopes=[session]}"], ["storage.use{scopes=[*]}"])).toBe(true)
    expect(Grant.describe(spec("secrets.read{refs=[KEY]}"))).toBe("read secrets of ref KEY")
    expect(Grant.describe(spec("storage.use{scopes=[*]}"))).toBe("use storage of every scope")
    expect(Grant.risk(spec("secrets.read{refs=[KEY]}"))).toBe("high")
    expect(Grant.risk(spec("storage.use{scopes=[session]}"))).toBe("low")
    expect(Grant.risk(spec("attachments.read{kinds=[file]}"))).toBe("low")
  })

  it("what they lack is closed by a grant that can be written as it is told", () => {
    const wanted = authority([
      "secrets.read{refs=[a/b]}",
      "storage.use{scopes=[session]}",
      "attachments.read{kinds=[file]}"
    ])
    const remedies = Authority.gaps(wanted, Authority.nothing).map(({ remedy }) => remedy)
    expect(remedies).toEqual([
      "secrets.read{refs=[a/b]}",
      "storage.use{scopes=[session]}",
      "attachments.read{kinds=[file]}"
    ])
    expect(Authority.within(wanted, authority(remedies))).toBe(true)
  })

  it("are suggested with a scope that gives something", () => {
    for (const capability of ["secrets.read", "storage.use", "attachments.read"] as const) {
      const suggested = Grant.suggest(capability)
      expect(suggested && right(Grant.compile(suggested, {})).inert).toBeUndefined()
    }
  })
})
