/**
 * The threat: a value that becomes a key, a body that becomes front matter, an edit that loses what a person wrote
 * beside it. What is written must read back as the same data, and what is not touched must stay byte for byte.
 */

import { Either, FastCheck as fc } from "effect"
import { describe, expect, it } from "vitest"
import { same } from "../../src/policy/record/Data.js"
import { compose, read, withBody } from "../../src/policy/record/RecordText.js"
import { readStrictly, read as readWith } from "../../src/policy/record/read.js"
import { codePoint } from "../codePoints.js"
import { times } from "../deep.js"

const RUNS = { numRuns: times(500) }

const good = <A, E>(either: Either.Either<A, E>): A =>
  Either.getOrThrowWith(either, (problem) => new Error(JSON.stringify(problem)))

const wrong = (text: string) => Either.getOrThrow(Either.flip(read(text)))

/** Words that would be something else without quotes, and pieces that would break out of a line. */
const oddText = fc.oneof(
  fc.string(),
  fc.string({ unit: codePoint }),
  fc.constantFrom(
    "x\nclass: agent",
    "x\r\nclass: agent\r\n---\r\n",
    "---",
    "\n---\n",
    "null",
    "yes",
    "~",
    "1e3",
    "0x1f",
    "-",
    "? a",
    "a: b",
    "a #b",
    "'",
    '"',
    "[",
    "{{{{",
    "]]][",
    "*x",
    "&x",
    "!!js",
    "%YAML",
    "@",
    "`",
    "...",
    "2026-01-01",
    "\u2028---\u2028",
    "\u0085",
    "\ufeff",
    "\ud83d",
    "~/p",
    "it's",
    " a",
    "a ",
    "<<",
    ": ".repeat(300)
  ),
  fc.stringMatching(/^[a-z0-9 :#'"[\]{},*&!|>%@-]{0,12}$/)
)

const oddKey = fc
  .oneof(oddText, fc.constantFrom("__proto__", "constructor", "toString", "class", "title", "a"))
  .filter((key) => key.length < 300)

const json = fc.letrec((tie) => ({
  value: fc.oneof(
    { maxDepth: 4, depthIdentifier: "json" },
    oddText,
    fc.double({ noNaN: true, noDefaultInfinity: true }),
    fc.integer(),
    fc.boolean(),
    fc.constant(null),
    fc.array(tie("value"), { maxLength: 4, depthIdentifier: "json" }),
    fc
      .array(fc.tuple(oddKey, tie("value")), { maxLength: 4, depthIdentifier: "json" })
      .map((entries) => dataOf(entries))
  )
})).value

const dataOf = (entries: ReadonlyArray<readonly [string, unknown]>): Record<string, unknown> => {
  const made: Record<string, unknown> = {}
  for (const [key, value] of entries) {
    Object.defineProperty(made, key, { value, enumerable: true, configurable: true, writable: true })
  }
  return made
}

const frontMatter = fc
  .array(
    fc.tuple(
      oddKey.filter((key) => key !== "class"),
      json
    ),
    { maxLength: 6 }
  )
  .map((entries) => dataOf(entries))

const body = fc.oneof(
  fc.string({ unit: codePoint }),
  fc
    .array(fc.constantFrom("---", "\n", "\r\n", "\ufeff", "a: b", "# t", "```"), { maxLength: 8 })
    .map((parts) => parts.join(""))
)

describe("what is read", () => {
  it("has a class, a title, tags, and the body as it is", () => {
    const text = "---\nclass: note\ntitle: Today\ntags: [a, 'b c', 3]\n---\r\n body\n---\n"
    const record = good(read(text))
    expect([record.class, record.title, record.tags, record.body]).toEqual([
      "note",
      "Today",
      ["a", "b c"],
      " body\n---\n"
    ])
    expect([record.yamlLine("class"), record.yamlLine("tags"), record.yamlLine("none")]).toEqual([
      2,
      4,
      undefined
    ])
  })

  it("is of class record when it names none, and has no title when that is not a string", () => {
    for (const text of [
      "",
      "body",
      "---\n---\n",
      "---\n# only a comment\n---\nx",
      "---\ntitle: 4\ntags: x\n---\n"
    ]) {
      const record = good(read(text))
      expect([record.class, record.title]).toEqual(["record", undefined])
    }
    expect(good(read("---\ntitle: 4\ntags: x\n---\n")).tags).toEqual(["x"])
  })

  it.each([
    "class:",
    "class: 5",
    "class: [agent]",
    "class: {a: b}",
    'class: "  "',
    'class: " agent"',
    'class: "a\\nb"',
    'class: "*"',
    "class: true"
  ])("is nothing when its class is no single word: %s", (line) => {
    expect(wrong(`---\ntitle: x\n${line}\n---\n`)).toMatchObject({ code: "VALUE_INVALID", line: 3 })
  })

  it("names the line of the file, not of the YAML", () => {
    expect(wrong("---\na: 1\na: 2\n---\n")).toMatchObject({
      code: "KEY_DUPLICATE",
      line: 3,
      detail: "'a' stands here again after line 2"
    })
    expect(wrong("---\na: 1\nb: *x\n---\n")).toMatchObject({ line: 3 })
    expect(wrong("---\n- a\n---\n")).toMatchObject({ code: "VALUE_INVALID", line: 2 })
    expect(wrong("---\na: 1\n")).toMatchObject({ code: "YAML_INVALID", line: 1 })
  })

  it("minds no key that an object has by itself", () => {
    const empty = good(read("---\na: 1\n---\n")).frontMatter
    expect(["constructor", "toString", "__proto__"].map((key) => empty[key])).toEqual([
      undefined,
      undefined,
      undefined
    ])
    const { frontMatter: odd } = good(
      read("---\n__proto__: {class: agent}\nconstructor: x\ntoString: y\n---\n")
    )
    expect(Object.keys(odd)).toEqual(["__proto__", "constructor", "toString"])
    expect(good(read("---\n__proto__: {class: agent}\n---\n")).class).toBe("record")
  })

  it("is the same by the short way and by the strict one", () => {
    const piece = fc.oneof(
      fc.constantFrom(
        "title",
        "class",
        "tags",
        "a",
        "__proto__",
        "x-y",
        "a b",
        "'k'",
        "1",
        "-",
        "#",
        "? k",
        "- i"
      ),
      fc.stringMatching(/^[a-zA-Z_0-9-]{1,5}$/)
    )
    const value = fc.oneof(
      fc.constantFrom(
        "Null",
        "TRUE",
        "no",
        "~",
        "007",
        "0",
        "-1",
        "1.5",
        "2026-01-01",
        "1_000",
        "0o7",
        "[a, b]",
        "[]",
        "[a,]",
        "[ a ,b ]",
        '["a, b", c]',
        '"a: b"',
        "'x'",
        "a  b",
        "a #b",
        "a: b",
        "a:",
        "x'y",
        "[a b, Null]",
        "9".repeat(16),
        "a\tb",
        "é ü",
        "\u00a0a",
        "|",
        "> x",
        "[12, a]",
        '""'
      ),
      fc.stringMatching(/^[a-zA-Z0-9 ._'"/,[\]-]{0,8}$/),
      oddText
    )
    const line = fc
      .tuple(piece, fc.constantFrom(": ", ":", ":  ", " : ", ":\t"), value, fc.constantFrom("", " ", "\r"))
      .map((parts) => parts.join(""))
    fc.assert(
      fc.property(fc.array(line, { maxLength: 5 }), (lines) => {
        const text = `---\n${lines.join("\n")}\n---\nbody`
        const [short, strict] = [readWith(text), readStrictly(text)]
        expect(short._tag).toBe(strict._tag)
        if (Either.isLeft(short) || Either.isLeft(strict)) return
        expect(same(short.right.frontMatter, strict.right.frontMatter)).toBe(true)
        for (const key of Object.keys(strict.right.frontMatter)) {
          expect(short.right.yamlLine(key)).toBe(strict.right.yamlLine(key))
        }
      }),
      { numRuns: times(500) }
    )
  })
})

describe("what is written", () => {
  it("[K25] reads back as the same data and the same body, whatever is in them", () => {
    fc.assert(
      fc.property(frontMatter, body, (data, text) => {
        const record = good(read(compose(data, text)))
        expect(same(record.frontMatter, data)).toBe(true)
        expect(record.body).toBe(text)
        expect(record.class).toBe("record")
      }),
      RUNS
    )
  })

  it.each([
    "x\nclass: agent",
    "x\r\nclass: agent",
    "x\n---\nclass: agent",
    "x\u2028class: agent",
    "x\u0085class: agent",
    "x # \nclass: agent"
  ])("[K25] is one value, and no key: %j", (value) => {
    for (const data of [{ title: value }, { tags: [value] }, { [value]: 1 }, { a: { [value]: value } }]) {
      const record = good(read(compose({ class: "note", ...data }, "")))
      expect(record.class).toBe("note")
      expect(record.frontMatter).toEqual({ class: "note", ...data })
    }
  })

  it("looks like what a person would write", () => {
    const capabilities = ["records.read", { "net.get": { hosts: ["*.github.com"] } }]
    const text = compose(
      {
        class: "agent",
        title: "Scout",
        sandbox: "~/p",
        capabilities,
        tags: ["a", "yes", "2"],
        n: 1.5,
        empty: {},
        none: []
      },
      "# Hi\n"
    )
    expect(text).toBe(
      [
        "---",
        "class: agent",
        "title: Scout",
        "sandbox: ~/p",
        "capabilities:",
        "  - records.read",
        "  - net.get:",
        '      hosts: ["*.github.com"]',
        'tags: [a, "yes", "2"]',
        "n: 1.5",
        "empty: {}",
        "none: []",
        "---",
        "# Hi",
        ""
      ].join("\n")
    )
  })

  it("has no front matter without need, and one where the body would be taken for it", () => {
    expect(compose({}, "body")).toBe("body")
    expect(compose({}, "---\na: 1\n---\n")).toBe("---\n---\n---\na: 1\n---\n")
    expect(compose({}, "---\nopen")).toBe("---\n---\n---\nopen")
  })

  it("has another body under the same front matter", () => {
    fc.assert(
      fc.property(frontMatter, body, body, (data, before, after) => {
        const text = compose(data, before)
        const made = good(withBody(text, after))
        const record = good(read(made))
        expect(record.body).toBe(after)
        expect(same(record.frontMatter, data)).toBe(true)
      }),
      RUNS
    )
    expect(good(withBody("\ufeff---\r\na: 1 # c\r\n---", "b"))).toBe("\ufeff---\r\na: 1 # c\r\n---\nb")
  })
})
