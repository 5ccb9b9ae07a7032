/** The page on grants says what the code does: its tables are the catalog, and its grammar is the parser's. */

import { Either, FastCheck as fc } from "effect"
import { describe, expect, it } from "vitest"
import { type Catalog, Grant } from "../../src/index.js"
import { keys } from "../../src/policy/grant/Catalog.js"
import { hasControl } from "../../src/policy/text/Quote.js"
import { times } from "../deep.js"
import { recognizer } from "./ebnf.js"
import { quoted, table, textBlock } from "./page.js"

const PAGE = "docs/grants.md"

describe("the catalog on the page", () => {
  const rows = table(PAGE, "Grant", "Keys", "Risk", "Lets an agent")

  it("A1, A2, A5, A7, A9, A10, A12: is the catalog of the code, pair by pair", () => {
    const written = rows.map(([name, given, risk, effect]) => ({
      name: quoted(name)[0],
      keys: quoted(given),
      risk,
      effect
    }))
    expect(written).toEqual(
      Grant.catalog.map(({ effect, keys, name, risk }: Catalog.Entry) => ({
        name,
        keys: [...keys],
        risk,
        effect
      }))
    )
  })

  it("says of every key whether it takes one string, a list, or a flag", () => {
    const written = table(PAGE, "Key", "Takes").map(([key, takes]) => [quoted(key)[0], takes])
    expect(Object.fromEntries(written)).toEqual(
      Object.fromEntries(Object.entries(keys).map(([key, type]) => [key, type === "strings" ? "list" : type]))
    )
  })
})

describe("the grammar on the page", () => {
  const has = recognizer(textBlock(PAGE, "grant "), {
    any: (character) => !hasControl(character),
    blank: (character) => /\s/.test(character) && !hasControl(character),
    letter: (character) => /[A-Za-z]/.test(character),
    digit: (character) => /[0-9]/.test(character)
  })

  /** What is well formed may still be no capability; what is not is refused as such. */
  const isWellFormed = (spec: string) =>
    Either.match(Grant.parse(spec), { onLeft: ({ code }) => code !== "GRANT_MALFORMED", onRight: () => true })

  const agrees = (spec: string) => {
    const text = spec.trim()
    return has(text) === isWellFormed(text)
  }

  const cases = [
    ["records.read", true],
    ["net.get{hosts=[*.github.com,api.example.com]}", true],
    ["net.get{ hosts = [ a , b ] }", true],
    ["net.get{hosts=[]}", true],
    ["net.get{hosts=[a,]}", true],
    ["net.get{hosts=[a],hosts=[b]}", true],
    ["net.get{}", true],
    ["net.get {in=/a=b}", true],
    ["proc.exec{in=/a\\,b,patterns=[x \\[y\\]]}", true],
    ["net.get.extra", true],
    ["net.get{hosts=[a],}", false],
    ["net.get{hosts:[a]}", false],
    ["fs.read{in=/a,b}", false],
    ["net.get{hosts=[a]", false],
    ["net.get{hosts=[a]} extra", false],
    ["net.get{hosts=[a}", false],
    ["net.get{hosts=[a]}}}", false],
    ["fs.read{in=/a\\}", false],
    ["nodotshere", false],
    ["{hosts=[a]}", false]
  ] as const

  it.each(cases)("C2, C6, C8, C10-C16: %s", (spec, expected) => {
    expect([has(spec), isWellFormed(spec)]).toEqual([expected, expected])
  })

  const piece = fc.constantFrom(
    ...[
      "net.get",
      "hosts",
      "in",
      "a",
      ".",
      "{",
      "}",
      "[",
      "]",
      "=",
      ",",
      "\\",
      " ",
      "\u00a0",
      "-",
      "_",
      '"',
      "*",
      "/w"
    ]
  )
  const noise = fc.array(piece, { maxLength: 12 }).map((parts) => parts.join(""))
  const value = fc.oneof(
    noise,
    fc.array(noise, { maxLength: 3 }).map((parts) => `[${parts.join(",")}]`)
  )
  const scoped = fc
    .array(fc.tuple(fc.constantFrom("hosts", " in ", "a-b", "1", ""), value), { maxLength: 3 })
    .map((pairs) => `net.get{${pairs.map(([key, given]) => `${key}=${given}`).join(",")}}`)

  it("has exactly the texts that are read, whatever is written", () => {
    const seen = { well: 0, ill: 0 }
    fc.assert(
      fc.property(fc.oneof(noise, scoped), (spec) => {
        seen[isWellFormed(spec.trim()) ? "well" : "ill"]++
        return agrees(spec)
      }),
      { numRuns: times(1000) }
    )
    expect(Math.min(seen.well, seen.ill)).toBeGreaterThan(times(60))
  })
})
