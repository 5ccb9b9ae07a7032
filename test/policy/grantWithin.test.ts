/** What may be passed on: what is proposed must lie within what is held, over its whole scope. */
import { Either } from "effect"
import { describe, expect, it } from "vitest"
import * as Grant from "../../src/policy/grant/Grant.js"
import * as Authority from "../../src/policy/lattice/Authority.js"
import { authority, record, within } from "./agents.js"

const cases: ReadonlyArray<readonly [row: string, held: string, proposed: string, allowed: boolean]> = [
  ["L3", "net.get{hosts=[*.github.com]}", "net.get{hosts=[*]}", false],
  ["L4", "net.get{hosts=[*]}", "net.get{hosts=[api.github.com]}", true],
  ["L5", "net.get{hosts=[*.github.com]}", "net.get{hosts=[*.api.github.com]}", true],
  ["L6 (it is read, and is not within)", "net.get{hosts=[*.github.com]}", "net.get{hosts=[*.com]}", false],
  ["S", "net.get{hosts=[*.github.com]}", "net.get{hosts=[github.com]}", true],
  ["L8", "net.get{hosts=[a]}", "net.get", true],
  ["L9", "net.get", "net.get{hosts=[a]}", false],
  ["L14", "records.update{classes=[inbox]}", "records.update{classes=[inbox]}", true],
  ["L14", "records.update{classes=[inbox]}", "records.update{classes=[durable]}", false],
  ["L14", "records.update{classes=[inbox]}", "records.update", false],
  ["L15", "records.update{paths=[notes/**]}", "records.update{paths=[notes/a/**]}", true],
  ["L17", "fs.read{in=/a}", "fs.read{in=/}", false],
  ["L19", "fs.read{in=/a}", "fs.read{in=/a,paths=[x]}", true],
  ["L20", "fs.read{in=/a,paths=[lib/**]}", "fs.read{in=/a}", false],
  ["L26", "proc.exec{in=/a,patterns=[git:*]}", "proc.exec{in=/a,patterns=[git log *]}", true],
  ["L27", "proc.exec{in=/a,cmds=[git]}", "proc.exec{in=/a,patterns=[git log *]}", true],
  ["L27", "proc.exec{in=/a,cmds=[git]}", "proc.exec{in=/,patterns=[git log *]}", false],
  ["L28", "agent.update{ids=[a,b]}", "agent.update{ids=[a]}", true],
  ["L28", "agent.update{ids=[a,b]}", "agent.update", false],
  ["L29", "agent.update{ids=[a]}", "agent.update{id=a}", true],
  ["a command is no script", "proc.exec{in=/a}", "proc.eval{in=/a}", false],
  ["to write is not to delete", "fs.write{in=/a}", "fs.delete{in=/a}", false],
  ["a provider's tool is its own", "net.get{hosts=[*]}", "provider.code_execution", false]
]

describe("what may be passed on", () => {
  it.each(cases)("%s: who holds %s and proposes %s", (_, held, proposed, allowed) => {
    expect(within([proposed], [held])).toBe(allowed)
    expect(Authority.gaps(authority([proposed]), authority([held])).length === 0).toBe(allowed)
  })

  it("L13, K24: on purpose, records.read with classes is no grant at all, and not a narrower one", () => {
    expect(Either.isLeft(Grant.parse("records.read{classes=[x]}"))).toBe(true)
  })

  it("L32: a sandbox for another needs what it stands for", () => {
    const proposed = record("sandbox: ~/x\ncapabilities: []").authority
    expect(Authority.within(proposed, authority(["records.read", "agent.grant"]))).toBe(false)
    expect(Authority.within(proposed, record("sandbox: ~").authority)).toBe(false)
    expect(Authority.within(proposed, record('sandbox: "~"').authority)).toBe(true)
  })

  it("L33: nothing is always within", () => {
    expect(within([], [])).toBe(true)
    expect(Authority.within(record("capabilities: []").authority, Authority.nothing)).toBe(true)
  })

  it("L38: what is malformed is an error before anything is asked, with what was meant", () => {
    expect(Either.flip(Grant.parse("records.updat"))).toMatchObject({
      right: { remedy: "did you mean 'records.update'?" }
    })
  })
})
