/**
 * YAML 1.2 for files that give authority: what a reader could take for something else is an error. One document, no
 * tags, no merge keys, no key twice, strings for keys, and bounds on everything, so that a file costs no more than its
 * size.
 */
import { Either } from "effect"
import { type Document, isAlias, isMap, isScalar, LineCounter, type Node, parseAllDocuments } from "yaml"
import type { At, Problem, ProblemCode, Reading } from "./Problem.js"
import { quote, shown } from "./Quote.js"

export interface Scalar {
  readonly _tag: "Scalar"
  readonly value: unknown
  readonly at: At
}

export interface List {
  readonly _tag: "List"
  readonly items: ReadonlyArray<Yaml>
  readonly at: At
}

export interface Mapping {
  readonly _tag: "Mapping"
  readonly entries: ReadonlyMap<string, { readonly at: At; readonly value: Yaml }>
  readonly at: At
}

export type Yaml = Scalar | List | Mapping

const START: At = { line: 1, column: 1 }

/** How long a text may be, and how many values and lines it may have. */
export interface Bounds {
  readonly mebibytes: number
  readonly entries: number
}

const FILE: Bounds = { mebibytes: 1, entries: 100_000 }

/** A record may name every single thing that an agent may touch. */
export const RECORD: Bounds = { mebibytes: 8, entries: 1_000_000 }

const MAX_ALIASES = 16
/** Nesting costs the parser its stack, so it is bounded before the parser sees it. */
const MAX_BRACKETS = 64
const MAX_INDENT = 200

export const problem = (
  code: ProblemCode,
  at: At,
  detail: string,
  remedy: string
): Either.Either<never, Problem> => Either.left({ code, ...at, detail, remedy })

const tooLarge = (at: At, detail: string) =>
  problem("FILE_TOO_LARGE", at, detail, "name directories and patterns instead of every single thing")

type Read = Reading<Yaml | undefined>

/** What was read last, for as long as somebody has it: an edit reads the same text for several ends. */
let last: { readonly text: string; readonly bounds: Bounds; readonly read: WeakRef<Read> } | undefined

/** A file without a value, empty or of comments only, is `undefined`. */
export const readYaml = (text: string, bounds = FILE): Read => {
  const known = last?.text === text && last.bounds === bounds ? last.read.deref() : undefined
  if (known !== undefined) return known
  const read = parsed(text, bounds)
  last = { text, bounds, read: new WeakRef(read) }
  return read
}

const parsed = (text: string, bounds: Bounds): Read =>
  Either.flatMap(bounded(text, bounds), () => {
    const lines = new LineCounter()
    try {
      const documents = parseAllDocuments(text, {
        schema: "core",
        version: "1.2",
        merge: false,
        strict: true,
        stringKeys: true,
        // Quadratic there; here a key that comes twice is found on the way.
        uniqueKeys: false,
        prettyErrors: false,
        logLevel: "silent",
        lineCounter: lines
      })
      return Array.isArray(documents) ? single(documents, lines, bounds) : Either.right(undefined)
    } catch {
      return problem("YAML_INVALID", START, "it cannot be parsed as YAML", "write plain lists and mappings")
    }
  })

const bounded = (text: string, { entries, mebibytes }: Bounds): Reading<void> => {
  if (text.length > mebibytes * 1024 * 1024) return tooLarge(START, `it is larger than ${mebibytes} MiB`)
  const lines = text.split("\n")
  if (lines.length > entries) return tooLarge(START, `it has more than ${entries} lines`)
  let depth = 0
  for (const [index, line] of lines.entries()) {
    const at = { line: index + 1, column: 1 }
    const [indent = ""] = /^[\s?:-]*/.exec(line) ?? []
    for (const character of line) {
      if (character === "[" || character === "{") depth++
      else if (character === "]" || character === "}") depth = Math.max(0, depth - 1)
    }
    if (depth > MAX_BRACKETS || indent.trimEnd().length > MAX_INDENT || nested(line)) {
      return problem("YAML_INVALID", at, "it is nested too deeply", "write plain lists and mappings")
    }
    // biome-ignore lint/suspicious/noControlCharactersInRegex: refusing them is the point
    const odd = line.search(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f]/)
    if (odd >= 0) {
      return problem(
        "YAML_INVALID",
        { line: index + 1, column: odd + 1 },
        "a control character stands here",
        "delete it"
      )
    }
  }
  return Either.void
}

/** `a: b: c: …` on one line. */
const nested = (line: string): boolean => line.split(": ", MAX_INDENT + 1).length > MAX_INDENT

const single = (documents: ReadonlyArray<Document.Parsed>, lines: LineCounter, bounds: Bounds): Read => {
  const at = placed(lines)
  const [document, second] = documents
  if (document === undefined) return Either.right(undefined)
  const [complaint] = [...document.errors, ...document.warnings]
  if (complaint !== undefined) return problem("YAML_INVALID", at(complaint.pos[0]), ...words(complaint))
  if (second !== undefined) {
    return problem(
      "YAML_INVALID",
      at(second.range[0]),
      "a second document starts here",
      "keep one document and delete the '---' lines"
    )
  }
  const root: Node | null = document.contents
  if (root === null || (isScalar(root) && root.value === null && root.source === ""))
    return Either.right(undefined)
  return new Reader(document, at, bounds.entries).read(root)
}

const placed =
  (lines: LineCounter) =>
  (offset: number): At => {
    const { col, line } = lines.linePos(offset)
    return { line: Math.max(1, line), column: Math.max(1, col) }
  }

const words = ({ code, message }: { readonly code: string; readonly message: string }): [string, string] => {
  switch (code) {
    case "TAB_AS_INDENT":
      return ["a tab indents this line", "indent with spaces"]
    case "BAD_ALIAS":
      return ["a bare '*' is read as an alias", `quote it: "*"`]
    case "TAG_RESOLVE_FAILED":
      return ["tags are not accepted", "write the value without its tag"]
    case "NON_STRING_KEY":
      return ["a key must be one word", "write 'key: value'"]
    default:
      return [
        `this is not YAML (${shown(message.split("\n", 1)[0]?.slice(0, 120) ?? "")})`,
        "check its brackets and indentation, and quote what holds one of []{},:#&*!|>%@"
      ]
  }
}

class Reader {
  private entries = 0
  private aliases = 0

  constructor(
    private readonly document: Document.Parsed,
    private readonly at: (offset: number) => At,
    private readonly most: number
  ) {}

  private place(node: Node): At {
    return this.at(node.range?.[0] ?? 0)
  }

  read(node: Node | null | undefined): Reading<Yaml> {
    if (++this.entries > this.most) return tooLarge(START, `it has more than ${this.most} entries`)
    if (node === null || node === undefined) return Either.right({ _tag: "Scalar", value: null, at: START })
    const at = this.place(node)
    if (isAlias(node)) return this.alias(node.source, () => node.resolve(this.document), at)
    if (node.tag !== undefined) {
      return problem("YAML_INVALID", at, "tags are not accepted", "write the value without its tag")
    }
    if (isScalar(node)) return Either.right({ _tag: "Scalar", value: node.value, at })
    return isMap(node) ? this.mapping(node.items, at) : this.list(node, at)
  }

  private alias(name: string, resolve: () => Node | undefined, at: At): Reading<Yaml> {
    if (++this.aliases > MAX_ALIASES) {
      return problem("YAML_INVALID", at, `there are more than ${MAX_ALIASES} aliases`, "write the values out")
    }
    const target = resolve()
    return target === undefined
      ? problem("YAML_INVALID", at, `${quote(`*${name}`)} is read as an alias`, `quote it: "*${shown(name)}"`)
      : this.read(target)
  }

  private mapping(
    items: ReadonlyArray<{ readonly key: unknown; readonly value: unknown }>,
    at: At
  ): Reading<Mapping> {
    const entries = new Map<string, { readonly at: At; readonly value: Yaml }>()
    for (const item of items) {
      const key = item.key as Node | null
      if (!isScalar(key) || typeof key.value !== "string" || key.tag !== undefined) {
        return problem("YAML_INVALID", at, "a key must be one word", "write 'key: value'")
      }
      const keyAt = this.place(key)
      if (entries.has(key.value)) {
        const { line } = entries.get(key.value)?.at ?? at
        return problem(
          "KEY_DUPLICATE",
          keyAt,
          `${quote(key.value)} stands here again after line ${line}`,
          "keep one of the two"
        )
      }
      const value = this.read(item.value as Node | null)
      if (Either.isLeft(value)) return Either.left(value.left)
      entries.set(key.value, {
        at: keyAt,
        value: item.value === null ? { ...value.right, at: keyAt } : value.right
      })
    }
    return Either.right({ _tag: "Mapping", entries, at })
  }

  private list(node: Node, at: At): Reading<List> {
    const items: Array<Yaml> = []
    for (const item of (node as Node & { readonly items: ReadonlyArray<unknown> }).items) {
      const value = this.read(item as Node | null)
      if (Either.isLeft(value)) return Either.left(value.left)
      items.push(value.right)
    }
    return Either.right({ _tag: "List", items, at })
  }
}
