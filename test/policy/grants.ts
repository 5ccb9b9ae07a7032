/** Grants and records drawn at random. The alphabets are small on purpose, so that what is drawn collides. */
import { FastCheck as fc } from "effect"
import * as Grant from "../../src/policy/grant/Grant.js"
import { right } from "./agents.js"

const some = (values: ReadonlyArray<string>): fc.Arbitrary<ReadonlyArray<string>> =>
  fc.array(fc.constantFrom(...values), { maxLength: 3 })

const keys: Readonly<Record<string, fc.Arbitrary<string | ReadonlyArray<string>>>> = {
  in: fc.constantFrom("/w", "/w/a", "/w-evil", "/x", "~/p", "~", "/"),
  id: fc.constantFrom("agents/a", "agents/b", "agents/*"),
  ids: some(["agents/a", "agents/b", "agents/c", "team/*"]),
  classes: some(["inbox", "note", "*", "Ünï côde", "a,b"]),
  hosts: some(["a.example", "*.a.example", "b.a.example", "*.example", "*", "127.0.0.1"]),
  cmds: some(["git", "rg", "/usr/bin/git"]),
  patterns: some(["git:*", "git log *", "npm test", "*", "git* --x"]),
  refs: some(["KEY", "a/key", "a/*", "*", "b/c/d"]),
  sealed: fc.constantFrom("true", "false"),
  scopes: some(["session", "tool-private", "personality", "*"]),
  kinds: some(["image", "audio", "file", "*"])
}

const paths: Readonly<Record<string, fc.Arbitrary<ReadonlyArray<string>>>> = {
  fs: some(["x", "lib/**", "**/*.md", "a b/[c],{d}", "lib/?", "**", 'back\\slash"quote']),
  other: some(["notes/a", "notes/**", "agents/**", "*"])
}

const ofEntry = ({ keys: known, name }: (typeof Grant.catalog)[number]): fc.Arbitrary<Grant.Grant> =>
  fc
    .record(
      Object.fromEntries(
        known.map((key) => [
          key,
          key === "paths"
            ? (paths[name.startsWith("fs.") ? "fs" : "other"] as fc.Arbitrary<ReadonlyArray<string>>)
            : (keys[key] as fc.Arbitrary<string | ReadonlyArray<string>>)
        ])
      ),
      { requiredKeys: [] }
    )
    .map((scope) => right(Grant.make(name, scope)))

/** A valid grant; whether it holds together, as its paths with its root, is another question. */
export const grant: fc.Arbitrary<Grant.Grant> = fc.oneof(
  { weight: 20, arbitrary: fc.constantFrom(...Grant.catalog).chain(ofEntry) },
  {
    weight: 1,
    arbitrary: fc
      .constantFrom("provider.code_execution", "provider.computer")
      .map((name) => right(Grant.make(name)))
  }
)

export const root: fc.Arbitrary<string | undefined> = fc.option(
  fc.constantFrom("/w", "/w/a", "/", "~/p", "~"),
  { nil: undefined }
)

interface Styled {
  readonly grant: Grant.Grant
  readonly style: "line" | "spec" | "nested" | "braces"
  readonly comment: boolean
  readonly above: boolean
}

const styled: fc.Arbitrary<Styled> = fc.record({
  grant,
  style: fc.constantFrom("line", "spec", "nested", "braces"),
  comment: fc.boolean(),
  above: fc.boolean()
})

const nested = ({ name, scope }: Grant.Grant, pad: string): string => {
  const pairs = Object.entries(scope)
  if (pairs.length === 0) return `${name}:`
  const lines = pairs.flatMap(([key, value]) =>
    typeof value === "string"
      ? [`${key}: ${JSON.stringify(value)}`]
      : value.length === 0
        ? [`${key}: []`]
        : [`${key}:`, ...value.map((one, i) => `  - ${JSON.stringify(one)}${i === 0 ? " # inner" : ""}`)]
  )
  return [`${name}:`, ...lines.map((line) => `${pad}    ${line}`)].join("\n")
}

const item = ({ grant: one, style }: Styled, pad: string): string => {
  if (style === "nested") return nested(one, pad)
  if (style === "braces")
    return `{ ${Grant.toYaml(one).includes(":") ? Grant.toYaml(one) : `${one.name}: `} }`
  return style === "line" ? Grant.toYaml(one) : JSON.stringify(Grant.print(one))
}

const block = (items: ReadonlyArray<Styled>, pad: string): string =>
  items
    .map((one, i) => {
      const text = item(one, pad)
      const [first = "", ...rest] = text.split("\n")
      const comment = one.comment ? ` # own ${i}` : ""
      return [
        ...(one.above ? [`${pad}# above ${i}`] : []),
        `${pad}- ${first}${rest.length === 0 ? comment : ""}`,
        ...rest
      ].join("\n")
    })
    .map((text) => `\n${text}`)
    .join("")

const flow = (items: ReadonlyArray<Styled>, lines: boolean): string => {
  const texts = items.map((one) => item({ ...one, style: one.style === "nested" ? "line" : one.style }, ""))
  if (!lines) return ` [${texts.join(", ")}]`
  const rows = texts.map((text, i) => {
    const one = items[i]
    return `${one?.above ? `  # above ${i}\n` : ""}  ${text},${one?.comment ? ` # own ${i}` : ""}`
  })
  return ` [ # head\n${rows.join("\n")}\n  ]`
}

const list = fc
  .tuple(
    fc.array(styled, { maxLength: 4 }),
    fc.constantFrom("block", "outer", "flow", "lines", "string", "null"),
    fc.boolean()
  )
  .map(([items, style, comment]) => {
    const key = comment ? " # key" : ""
    if (style === "null") return { grants: [], text: `capabilities:${key}` }
    const grants = items.map((one) => one.grant)
    if (style === "string") {
      return { grants, text: `capabilities: ${JSON.stringify(grants.map(Grant.print).join(", "))}${key}` }
    }
    if (items.length === 0) return { grants, text: `capabilities: []${key}` }
    return style === "block" || style === "outer"
      ? { grants, text: `capabilities:${key}${block(items, style === "block" ? "  " : "")}` }
      : { grants, text: `capabilities:${flow(items, style === "lines")}${key}` }
  })

const plainLines = [
  "title: kept one",
  "# kept comment",
  "tags: [kept, two] # kept here",
  'quoted: "kept: three"',
  "map:\n  kept: 4\n  # kept inside\n  more: [kept]",
  "text: |\n  kept five\n    - kept\n\n  # kept, and no comment",
  "list:\n- kept six # kept\n-   kept seven"
]

export interface Drawn {
  readonly text: string
  /** The lines that are no authority, which no edit may touch. */
  readonly kept: ReadonlyArray<string>
  readonly grants: ReadonlyArray<Grant.Grant>
}

/** An agent's record: keys in any order, in any style, with comments, shorthands and either kind of line end. */
export const agent: fc.Arbitrary<Drawn> = fc
  .record({
    others: fc.shuffledSubarray(plainLines),
    capabilities: fc.option(list, { nil: undefined }),
    access: fc.option(fc.constantFrom("r", "w", "rw", '""', "' RW '"), { nil: undefined, freq: 2 }),
    sandbox: fc.option(fc.constantFrom("/w", "~/p", "/w/a", '""', '"/"', "~"), { nil: undefined, freq: 2 }),
    order: fc.array(fc.nat(), { minLength: 3, maxLength: 3 }),
    crlf: fc.boolean(),
    mark: fc.boolean(),
    body: fc.constantFrom("", "body\n", "\n---\nmore\n---\n", "  trailing  ", "ünï\r\ncode\n")
  })
  .map(({ access, body, capabilities, crlf, mark, order, others, sandbox }) => {
    const keys = [...others, "class: agent # kept class"]
    const parts = [
      capabilities?.text,
      access === undefined ? undefined : `access: ${access}`,
      sandbox === undefined ? undefined : `sandbox: ${sandbox}`
    ]
    for (const [i, part] of parts.entries()) {
      if (part !== undefined) keys.splice((order[i] ?? 0) % (keys.length + 1), 0, part)
    }
    const yaml = `---\n${keys.join("\n")}\n---\n`
    const text = `${mark ? "\uFEFF" : ""}${crlf ? yaml.replaceAll("\n", "\r\n") : yaml}${body}`
    return { text, kept: linesKept(text), grants: capabilities?.grants ?? [] }
  })

/** The lines that say that they are to be kept. */
export const linesKept = (text: string): ReadonlyArray<string> =>
  text.split("\n").filter((line) => line.includes("kept"))
