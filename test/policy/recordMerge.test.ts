/** The threat: an edit of one key that loses a comment, a quote or a line of another. */

import { Either, FastCheck as fc } from "effect"
import { describe, expect, it } from "vitest"
import { same } from "../../src/policy/record/Data.js"
import { compose, merge, read } from "../../src/policy/record/RecordText.js"
import { times } from "../deep.js"

const good = <A, E>(either: Either.Either<A, E>): A =>
  Either.getOrThrowWith(either, (problem) => new Error(JSON.stringify(problem)))

const edit = (text: string, changes: { readonly [key: string]: unknown }) => good(merge(text, changes))

describe("an edit of a front matter", () => {
  it("changes the value, and keeps the comment beside it", () => {
    const text =
      "---\n# who\ntitle: 'Old'   # shown\nclass: note\n\n# what\ntags:\n  # first\n  - a # A\n  - b\n---\nbody\n"
    expect(edit(text, { title: "New" })).toBe(text.replace("'Old'   # shown", "New # shown"))
    expect(edit(text, { tags: ["c"] })).toBe(
      text.replace("tags:\n  # first\n  - a # A\n  - b\n", "tags: [c]\n")
    )
    expect(edit(text, { class: null })).toBe(text.replace("class: note\n", ""))
    expect(edit(text, { tags: null })).toBe(text.replace("tags:\n  # first\n  - a # A\n  - b\n", ""))
    expect(edit(text, { due: "2026-01-01" })).toBe(text.replace("  - b\n", '  - b\ndue: "2026-01-01"\n'))
  })

  it("keeps the comment of a key whose value moves to other lines, and back", () => {
    const text = "---\na: [x] # why\nb: 1\n---\n"
    const longer = edit(text, { a: [{ k: 1 }] })
    expect(longer).toBe("---\na: # why\n  - k: 1\nb: 1\n---\n")
    expect(edit(longer, { a: "x" })).toBe("---\na: x # why\nb: 1\n---\n")
  })

  it("keeps line ends, marks and indentation", () => {
    expect(edit("\ufeff---\r\na: 1\r\nb: 2\r\n---\r\nbody\r\n", { a: { x: 1 }, c: 3 })).toBe(
      "\ufeff---\r\na:\r\n  x: 1\r\nb: 2\r\nc: 3\r\n---\r\nbody\r\n"
    )
    expect(edit("---\n  a: 1\n  b: 2\n---\n", { b: [{ x: 1 }], c: 3 })).toBe(
      "---\n  a: 1\n  b:\n    - x: 1\n  c: 3\n---\n"
    )
  })

  it("leaves what is already so as it is spelled", () => {
    const text = "---\na: 0x10\nb: 'x'\n---\n"
    expect(edit(text, { a: 16, b: "x", none: null, skipped: undefined })).toBe(text)
  })

  it("gives a front matter to what has none, and rewrites one in brackets", () => {
    expect(edit("body\n", { a: 1 })).toBe("---\na: 1\n---\nbody\n")
    expect(edit("", { a: 1 })).toBe("---\na: 1\n---\n")
    expect(edit("\ufeffbody\r\nx", { a: 1 })).toBe("\ufeff---\r\na: 1\r\n---\r\nbody\r\nx")
    expect(edit("---\n---\nx", { a: 1 })).toBe("---\na: 1\n---\nx")
    expect(edit("---\n# why\n---\nx", { a: 1 })).toBe("---\n# why\na: 1\n---\nx")
    expect(edit("---\n{a: 1, b: 2}\n---\nx", { b: 3 })).toBe("---\na: 1\nb: 3\n---\nx")
  })

  it("keeps what looks like a comment and is none, and takes it away with its value", () => {
    const text = "---\nt: |\n  # head\n  x\n  # last\n\n# about n\nn: 1\n---\n"
    expect(edit(text, { n: 2 })).toBe(text.replace("n: 1", "n: 2"))
    expect(edit(text, { t: null })).toBe("---\n\n# about n\nn: 1\n---\n")
    expect(edit(text, { t: "y" })).toBe("---\nt: y\n\n# about n\nn: 1\n---\n")
    expect(edit("---\nt: |\n\n\nn: 1\n---\n", { t: "y" })).toBe("---\nt: y\n\n\nn: 1\n---\n")
    expect(edit("---\nt: |\nn: 1\n---\n", { t: null })).toBe("---\nn: 1\n---\n")
  })

  it("refuses what it could only do by half", () => {
    const shared = "---\na: &x [1]\nb: *x\n---\n"
    expect(Either.isLeft(merge(shared, { a: 2 }))).toBe(true)
    expect(edit(shared, { b: 2 })).toBe("---\na: &x [1]\nb: 2\n---\n")
    expect(Either.isLeft(merge("---\na: 1\n...\n---\n", { c: 2 }))).toBe(true)
    const loop: { self?: unknown } = {}
    loop.self = loop
    expect(merge("", loop)).toMatchObject({ left: { code: "VALUE_INVALID" } })
    expect(merge("---\na: 1\n", { a: 2 })).toMatchObject({ left: { code: "YAML_INVALID" } })
    expect(merge("", { class: "a\nb" })).toMatchObject({ left: {} })
  })

  it("refuses an edit that would make text of a comment", () => {
    const text = "---\na: |\n  x\nb: 1\n  # about c\nc: 2\n---\n"
    expect(merge(text, { b: null })).toMatchObject({ left: { code: "YAML_INVALID", line: 4 } })
  })

  it("[K25] takes no key from a value", () => {
    const text = "---\nclass: note\ntitle: x # c\n---\n"
    for (const title of ["x\nclass: agent", "x\n---\nclass: agent\n---", "x # y", "- a", "a: b"]) {
      const record = good(read(edit(text, { title })))
      expect([record.class, record.title]).toEqual(["note", title])
    }
  })
})

/** A key, its value in some spelling, and the text that is its own. */
interface Piece {
  readonly key: string
  readonly own: string
}

const space = fc.constantFrom("", "\n", "# a comment\n", "  # an indented one\n", "#\n\n# two\n")
const comment = fc.constantFrom("", " # beside", "   #")
const scalar = fc
  .oneof(
    fc.constantFrom(
      "x",
      "1",
      "null",
      "~",
      "'it''s'",
      '"a\\nb"',
      "a b",
      "*",
      '"*"',
      "- x",
      "true",
      "0x1",
      '"---"'
    ),
    fc.stringMatching(/^[a-z]{1,6}$/)
  )
  .filter((text) => text !== "*" && text !== "- x")
const words = fc.stringMatching(/^[a-z#]{1,5}( [a-z]{1,3})?$/)

const value = fc.oneof(
  fc.tuple(scalar, comment).map(([text, beside]) => ` ${text}${beside}\n`),
  comment.map((beside) => `${beside}\n`),
  fc
    .tuple(fc.array(scalar, { maxLength: 3 }), comment)
    .map(([items, beside]) => ` [${items.join(", ")}]${beside}\n`),
  fc
    .array(scalar, { minLength: 1, maxLength: 3 })
    .map((items) => ` [\n${items.map((item) => `    ${item}, # i\n`).join("")}  ]\n`),
  fc
    .tuple(
      fc.array(fc.tuple(scalar, comment, space), { minLength: 1, maxLength: 3 }),
      comment,
      fc.constantFrom("", "  ")
    )
    .map(
      ([items, beside, pad]) =>
        `${beside}\n${items.map(([item, own, after], i) => `${pad}- ${item}${own}\n${i < items.length - 1 ? after : ""}`).join("")}`
    ),
  fc
    .tuple(fc.array(scalar, { minLength: 1, maxLength: 3 }), comment)
    .map(([items, beside]) => `${beside}\n${items.map((item, i) => `  k${i}: ${item}\n`).join("")}`),
  fc
    .tuple(fc.constantFrom("|", "|-", "|+", ">", ">-", "|2"), fc.array(words, { maxLength: 4 }), comment)
    .map(([style, lines, beside]) => ` ${style}${beside}\n${lines.map((line) => `  ${line}\n`).join("")}`),
  fc
    .array(
      words.filter((word) => !word.startsWith("#")),
      { minLength: 1, maxLength: 3 }
    )
    .map((lines) => `\n${lines.map((line) => `  ${line}\n`).join("")}`),
  fc.tuple(scalar, scalar).map(([a, b]) => ` {a: ${a}, "b": ${b}}\n`)
)

const keyStyle = fc.constantFrom(
  (key: string) => key,
  (key: string) => `'${key}'`,
  (key: string) => `"${key}"`
)

const pieces: fc.Arbitrary<ReadonlyArray<Piece>> = fc
  .uniqueArray(fc.constantFrom("a", "b", "title", "x-y", "__proto__", "toString"), { maxLength: 5 })
  .chain((keys) =>
    fc.tuple(
      ...keys.map((key) =>
        fc.tuple(keyStyle, value).map(([style, text]): Piece => ({ key, own: `${style(key)}:${text}` }))
      )
    )
  )

const newValue = fc.oneof(
  fc.constant(null),
  fc.constantFrom("new", "x\ny", 1, true, ["a", "b"], [{ a: 1 }], { k: ["v"] }, {}, [], "a".repeat(100), [
    "x".repeat(90)
  ])
)

const sample = fc.record({
  pieces,
  spaces: fc.array(space, { minLength: 6, maxLength: 6 }),
  body: fc.string(),
  eol: fc.constantFrom("\n", "\r\n"),
  mark: fc.constantFrom("", "\ufeff"),
  changes: fc.dictionary(fc.constantFrom("a", "b", "title", "x-y", "toString", "new"), newValue, {
    maxKeys: 3
  })
})

describe("any edit of any front matter", () => {
  it("gives the data that was asked for, and leaves every other byte", () => {
    let edited = 0
    fc.assert(
      fc.property(sample, ({ spaces, ...rest }) => {
        // Below a literal, what is indented is text, also when what stood between them is gone.
        const literal = rest.pieces.some(({ own }) => /: [|>]/.test(own))
        const given = {
          ...rest,
          spaces: spaces.map((each) => (literal ? each.replace(/^ +/, "") : each))
        }
        const yaml =
          given.pieces.map(({ own }, i) => (given.spaces[i] ?? "") + own).join("") + (given.spaces[5] ?? "")
        const file = (between: string) =>
          `${given.mark}---\n${between}---\n`.replaceAll("\n", given.eol) + given.body
        const text = file(yaml)
        const before = read(text)
        if (Either.isLeft(before)) return
        const merged = merge(text, given.changes)
        // Such a literal takes the empty lines below it for its own, once nothing stands between them.
        if (Either.isLeft(merged) && yaml.includes("|+")) return
        const after = good(merged)
        const record = good(read(after))
        const expected: Record<string, unknown> = Object.create(null)
        for (const [key, old] of Object.entries(before.right.frontMatter)) expected[key] = old
        for (const [key, next] of Object.entries(given.changes)) {
          if (next === null) delete expected[key]
          else expected[key] = next
        }
        expect(same(record.frontMatter, expected)).toBe(true)
        expect(record.body).toBe(given.body)
        expect(after.startsWith(`${given.mark}---${given.eol}`)).toBe(true)
        if (given.eol === "\r\n")
          expect(after.slice(0, -given.body.length || undefined)).not.toMatch(/[^\r]\n/)
        // What is not touched is there, with its comments, in its order.
        let at = 0
        for (const [i, { key, own }] of given.pieces.entries()) {
          const untouched = !Object.hasOwn(given.changes, key)
          for (const kept of [given.spaces[i] ?? "", untouched ? own : ""]) {
            const wanted = kept.replaceAll("\n", given.eol)
            const found = after.indexOf(wanted, at)
            expect(found).toBeGreaterThanOrEqual(0)
            at = found + wanted.length
          }
        }
        if (after !== text) edited++
      }),
      { numRuns: times(500) }
    )
    expect(edited).toBeGreaterThan(times(200))
  })

  it("changes nothing back and forth", () => {
    fc.assert(
      fc.property(
        fc.dictionary(
          fc.constantFrom("a", "b", "c"),
          newValue.filter((next) => next !== null)
        ),
        fc.string(),
        (data, body) => {
          const text = compose({ first: 1, ...data }, body)
          const there = edit(text, { first: "other" })
          expect(edit(there, { first: 1 })).toBe(text)
        }
      ),
      { numRuns: times(200) }
    )
  })
})
