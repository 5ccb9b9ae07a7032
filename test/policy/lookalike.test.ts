/**
 * Names that are not what they look like. What is threatened: a reader who takes one agent, host or class for another,
 * and an agent that changes its own record under another spelling of its id.
 */
import { Either, FastCheck as fc } from "effect"
import { describe, expect, it } from "vitest"
import * as AgentRecord from "../../src/policy/agent/AgentRecord.js"
import * as Attenuation from "../../src/policy/grant/Attenuation.js"
import * as Grant from "../../src/policy/grant/Grant.js"
import * as Authority from "../../src/policy/lattice/Authority.js"
import { agentId, recordPath } from "../../src/policy/lattice/dimensions/Id.js"
import { recordClass } from "../../src/policy/lattice/dimensions/Name.js"
import * as Request from "../../src/policy/lattice/Request.js"
import { deceives, folded, skeleton } from "../../src/policy/text/Lookalike.js"
import { times } from "../deep.js"
import { left } from "./agents.js"

const unseen = [
  ["a zero-width space", "\u200b"],
  ["a zero-width joiner", "\u200d"],
  ["a word joiner", "\u2060"],
  ["a soft hyphen", "\u00ad"],
  ["a byte order mark", "\ufeff"],
  ["a variation selector", "\ufe0f"],
  ["a tag", "\u{e0061}"],
  ["a Hangul filler", "\u3164"],
  ["a blank of Braille", "\u2800"],
  ["a no-break space", "\u00a0"],
  ["an ideographic space", "\u3000"]
] as const

describe("what nobody sees", () => {
  it.each(unseen)("%s is refused in ids, hosts, classes and commands", (_, character) => {
    expect(left(agentId.parse(`agents/bo${character}ss`)).detail).toMatch(/cannot be seen|no plain blank/)
    for (const text of [
      `agent.update{ids=[agents/bo${character}ss]}`,
      `agent.grant{id=agents/bo${character}ss}`,
      `records.update{paths=[notes/a${character}b]}`,
      `records.create{classes=[in${character}box]}`,
      `net.get{hosts=[a${character}b.com]}`,
      `net.get{hosts=[*.a${character}b.com]}`,
      `proc.exec{in=/w,cmds=[g${character}it]}`,
      `proc.exec{in=/w,patterns=[g${character}it log *]}`
    ]) {
      expect([text, Either.isLeft(Grant.parse(text))]).toEqual([text, true])
    }
    for (const made of [
      Request.agent("grant", `agents/bo${character}ss`),
      Request.record("read", `notes/a${character}b`, "note"),
      Request.record("read", "notes/a", `no${character}te`)
    ]) {
      expect(Either.isLeft(made)).toBe(true)
    }
  })

  it("is shown in the message, and never as itself", () => {
    const { detail } = left(recordPath.parse("notes/a\u200bb"))
    expect(detail).toContain("\\u200b")
    expect(detail).not.toContain("\u200b")
  })
})

describe("letters that look like others", () => {
  it.each(["agents/b\u043ess", "agents/sc\u03bfut", "agents/\u0430lice", "agents/\u0441\u043e\u0440"])(
    "%s is refused as an id",
    (id) => {
      expect(left(agentId.parse(id)).code).toBe("ID_INVALID")
    }
  )

  it.each([
    "\u0430pple.com",
    "\u0430\u0440\u0440\u04cf\u0435.com",
    "ex\u0430mple.com",
    "\uff41.com",
    "a\u3002com"
  ])("%s is refused as a host", (host) => {
    expect(left(Grant.parse(`net.get{hosts=[${host}]}`)).code).toBe("SCOPE_VALUE_INVALID")
  })

  it.each([
    "agents/gr\u00f6\u00dfe",
    "заметки/сахар",
    "\u65e5\u672c\u8a9e/memo",
    "agents/\u043a\u043e\u0442",
    "a b"
  ])("%s is a name like any other", (id) => {
    expect(Either.isRight(agentId.parse(id))).toBe(true)
    expect(Either.isRight(recordClass.parse(id.replaceAll("/", "-")))).toBe(true)
  })

  it.each([
    ["a wide letter", "b\uff4fss"],
    ["a mathematical letter", "b\u{1d428}ss"],
    ["a ligature", "\ufb01le"],
    ["a Kelvin sign", "\u212aid"],
    ["a sign of ohms", "\u2126"],
    ["a Greek question mark", "a\u037eb"],
    ["a long s", "bo\u017fs"],
    ["a division slash", "a\u2215b"],
    ["a fraction slash", "a\u2044b"],
    ["a one dot leader", "a\u2024b"],
    ["an ideographic full stop", "a\u3002b"],
    ["a wide slash", "a\uff0fb"],
    ["a control character", "a\u0007b"],
    ["half of a character", "a\ud800b"],
    ["a character of private use", "a\ue000b"]
  ])("%s is refused in ids, hosts, classes and commands", (_, name) => {
    expect(deceives(name)).toBeDefined()
    expect(Either.isLeft(agentId.parse(`agents/${name}`))).toBe(true)
    expect(Either.isLeft(recordClass.parse(name))).toBe(true)
    expect(Either.isLeft(Grant.make("net.get", { hosts: [`${name}.com`] }))).toBe(true)
    expect(Either.isLeft(Grant.make("proc.exec", { in: "/w", cmds: [name] }))).toBe(true)
  })

  it.each([
    "\u0e17\u0e33\u0e07\u0e32\u0e19",
    "\u0e9a\u0eb3/\u0edd\u0eb2",
    "\u0565\u0582\u0587",
    "\ud55c\uad6d\uc5b4",
    "\u30d0\u30b0",
    "\u0939\u093f\u0928\u094d\u0926\u0940",
    "\u05e9\u05dc\u05d5\u05dd",
    "\u0639\u0631\u0628\u064a",
    "\u0915\u093c\u0932\u092e/\u0958\u0932\u092e",
    "\u1f71\u03bd\u03b5\u03bc\u03bf\u03c2",
    "Ti\u1ebfng Vi\u1ec7t",
    "Vie\u0323\u0302t",
    "\u03ba\u03cc\u03c3\u03bc\u03bf\u03c2",
    "\u0451\u043b\u043a\u0430"
  ])("%s is written as its speakers write it, and is a name", (id) => {
    expect(deceives(id)).toBeUndefined()
    expect(Either.isRight(agentId.parse(id))).toBe(true)
  })

  it("no word of a pattern hides anything, and each may be in any alphabet", () => {
    const pattern = (text: string) => Grant.make("proc.exec", { in: "/w", patterns: [text] })
    for (const [, character] of unseen) {
      for (const text of [`git lo${character}g *`, `git log -${character}* x`, `git log x${character}`]) {
        expect([text, Either.isLeft(pattern(text))]).toEqual([text, true])
      }
    }
    for (const text of ["git add \u65e5\u672c.md", "git add \u0441\u043er.md", "grep \uff21 *"]) {
      expect([text, Either.isRight(pattern(text))]).toEqual([text, true])
    }
  })

  it("hosts of one alphabet are hosts", () => {
    for (const host of [
      "m\u00fcnchen.de",
      "\u043f\u0440\u0438\u043c\u0435\u0440.\u0440\u0444",
      "xn--mnchen-3ya.de"
    ]) {
      expect(Either.isRight(Grant.parse(`net.get{hosts=[${host}]}`))).toBe(true)
    }
  })

  it("names of plain letters never deceive, and are their own", () => {
    fc.assert(
      fc.property(fc.stringMatching(/^[a-z0-9 ._-]{1,20}$/), (name) => {
        expect(deceives(name)).toBeUndefined()
        expect(folded(name.toUpperCase())).toBe(name)
        expect(skeleton(name)).toBe(skeleton(name.toUpperCase().toLowerCase()))
      }),
      { numRuns: times(100) }
    )
  })
})

describe("an agent whose own id deceives", () => {
  it("holds nothing, and its record says why", () => {
    const agent = AgentRecord.parse(
      { file: "a.md", id: "agents/bo\u200bss", text: "---\nclass: agent\naccess: rw\n---\n" },
      {}
    )
    expect(Authority.isNothing(agent.authority)).toBe(true)
    expect(agent.warnings).toMatchObject([{ code: "NAME_INVALID", line: 1 }])
    expect(agent.warnings[0]?.detail).toContain("\\u200b")
  })
})

describe("self-modification", () => {
  const refused = (agent: string, target: string) =>
    Attenuation.selfModification({ agent, authority: Authority.everything }, target, "grant")?.reason

  it.each([
    ["agents/boss", "agents/boss"],
    ["agents/boss", "agents/Boss"],
    ["agents/boss", "AGENTS/BOSS"],
    ["agents/caf\u00e9", "agents/cafe\u0301"],
    ["agents/stra\u00dfe", "agents/STRASSE"],
    ["agents/kid", "agents/\u212aid"],
    ["agents/boss", "agents/bo\u017fs"],
    ["agents/boss", "agents/bo\u200bss"]
  ])("of %s as %s is refused: to some file system they are one", (agent, target) => {
    expect(refused(agent, target)).toBe("self_modification")
  })

  it("is not what another agent does", () => {
    expect(refused("agents/boss", "agents/kid")).toBeUndefined()
    expect(
      Attenuation.selfModification(
        { agent: undefined, authority: Authority.everything },
        "agents/kid",
        "delete"
      )
    ).toBeUndefined()
  })
})
