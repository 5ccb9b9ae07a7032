/** The threat: a short text that costs its reader hours or all memory, or that reads as one thing and prints as another. */

import { describe, expect, it } from "@effect/vitest"
import { Either, FastCheck as fc } from "effect"
import * as AgentRecord from "../../src/policy/agent/AgentRecord.js"
import * as Catalog from "../../src/policy/grant/Catalog.js"
import * as Grant from "../../src/policy/grant/Grant.js"
import * as Authority from "../../src/policy/lattice/Authority.js"
import { times } from "../deep.js"

const places = { home: "/home/u", sandbox: "/home/u" }

const listed = (count: number, letter: string): string =>
  Array.from({ length: count }, (_, at) => `${letter}${at}`).join(",")

describe("what a grant costs", () => {
  it("a spec of a few kilobytes does not stand for a hundred thousand alternatives", () => {
    const spec = `records.update{classes=[${listed(400, "c")}],paths=[${listed(400, "p")}]}`
    const compiled = Either.flatMap(Grant.parse(spec), (grant) => Grant.compile(grant, places))
    const alternatives = Either.match(compiled, {
      onLeft: () => 0,
      onRight: ({ piece }) => piece.alternatives.length
    })
    expect(alternatives).toBeLessThanOrEqual(20_000)
  })
})

const record = (front: string) =>
  AgentRecord.parse(
    { file: "agents/a.md", id: "agents/a", text: `---\nclass: agent\n${front}\n---\n` },
    places
  )

describe("names that objects have by themselves", () => {
  it.each([
    "capabilities: [__proto__]",
    "capabilities: [{__proto__: {hosts: ['*']}}]",
    "capabilities: [{net.get: {__proto__: {hosts: ['*']}}}]",
    "capabilities: [{net.get: {constructor: ['*']}}]",
    "capabilities: ['net.get{toString=[*]}']",
    "capabilities: [constructor.prototype]",
    "capabilities: {length: 1, 0: records.delete}",
    "__proto__: {capabilities: [records.delete]}\ncapabilities: []",
    "access: constructor",
    "access: __proto__",
    "sandbox: {}"
  ])("%s gives nothing", (front) => {
    expect(Authority.isNothing(record(front).authority)).toBe(true)
  })
})

describe("one grant, one meaning", () => {
  const odd = fc.string({
    unit: fc.constantFrom(
      ..."abz*?~/.[]{}=,:\\'\"#&!|>%@`-_ \t".split(""),
      "**",
      "é",
      "e\u0301",
      "\u00a0",
      "\u202e",
      "\u2028",
      "\ufeff",
      "\u0000",
      "𝟙",
      "ＡB"
    ),
    maxLength: 12
  })
  const drawn = fc.constantFrom(...Catalog.catalog).chain((entry) =>
    fc.record({
      name: fc.constant(entry.name),
      scope: fc.dictionary(
        entry.keys.length === 0 ? fc.constant("in") : fc.constantFrom(...entry.keys),
        fc.oneof(
          odd,
          fc.array(odd, { maxLength: 3 }),
          odd.map((text) => `/home/u/${text}`)
        ),
        { maxKeys: entry.keys.length }
      )
    })
  )

  it("what is printed is read back as the same, in one line and in YAML, and gives the same", () => {
    let sound = 0
    fc.assert(
      fc.property(drawn, ({ name, scope }) => {
        const made = Grant.make(name, scope)
        if (Either.isLeft(made)) return
        const grant = made.right
        const compact = Grant.print(grant)
        expect(Either.getOrUndefined(Grant.parse(compact))).toEqual(grant)
        expect(Grant.parseAll(`records.read ${compact}, ${compact}`).map(Either.isRight)).toEqual([
          true,
          true,
          true
        ])
        const compiled = Grant.compile(grant, places)
        const expected = Either.isRight(compiled) ? Grant.authority([compiled.right]) : Authority.nothing
        for (const written of [JSON.stringify([compact]), JSON.stringify(compact)]) {
          const { authority } = record(`capabilities: ${written}`)
          const alone = Either.isRight(
            Grant.compile(grant, { ...places, bound: record("capabilities: []").bound })
          )
          if (!alone) continue
          const within = Authority.within(authority, expected) || grant.scope.in === undefined
          expect([written, within]).toEqual([written, true])
        }
        const asYaml = record(`capabilities:\n  - ${Grant.toYaml(grant)}`)
        const asText = record(`capabilities:\n  - ${JSON.stringify(compact)}`)
        expect(asYaml.held.map(({ grant: one }) => one)).toEqual(asText.held.map(({ grant: one }) => one))
        sound++
      }),
      { numRuns: times(400) }
    )
    expect(sound).toBeGreaterThan(times(30))
  })
})
