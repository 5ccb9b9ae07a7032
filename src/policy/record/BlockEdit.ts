/** Where a key of a block mapping begins and ends in the text, and the text with other values in some of them. */
import { type CST, isMap, isScalar, type Pair, parseDocument, type YAMLMap } from "yaml"
import { key as keyText, valueOf } from "./WrittenYaml.js"

export interface Edited {
  readonly text: string
  /** The keys that were there, and were changed or removed. */
  readonly kept: ReadonlySet<string>
  readonly indent: number
}

export interface Edit {
  readonly from: number
  readonly to: number
  readonly text: string
}

/** The mapping at the top, with all its tokens; `undefined` where there is none. */
export const rootOf = (yaml: string): YAMLMap | undefined => {
  const { contents } = parseDocument(yaml, {
    schema: "core",
    version: "1.2",
    stringKeys: true,
    uniqueKeys: false,
    keepSourceTokens: true,
    logLevel: "silent"
  })
  return isMap(contents) ? contents : undefined
}

const isBlank = ({ type }: CST.SourceToken): boolean =>
  type === "space" || type === "newline" || type === "comment"

const endOfAll = (tokens: ReadonlyArray<CST.SourceToken> | undefined): number =>
  (tokens ?? []).reduce(
    (end, token) => (isBlank(token) ? end : Math.max(end, token.offset + token.source.length)),
    -1
  )

const afterLast = (tokens: ReadonlyArray<CST.SourceToken>): number => {
  const last = tokens.at(-1)
  return last === undefined ? -1 : last.offset + last.source.length
}

export const endOfItem = ({ key, sep, start, value }: CST.CollectionItem): number =>
  Math.max(endOfAll(start), endOf(key), endOfAll(sep), endOf(value))

/** Where what a token says ends, without the space and the comments after it. */
const endOf = (token: CST.Token | null | undefined): number => {
  if (token === null || token === undefined) return -1
  switch (token.type) {
    case "block-scalar": {
      const props = token.props.filter((prop): prop is CST.SourceToken => "source" in prop)
      const { length } = token.source.trimEnd()
      // One that is empty has only a header; otherwise the text starts behind the line of the header.
      return length === 0 ? endOfAll(props) : afterLast(props) + length
    }
    case "alias":
    case "scalar":
    case "single-quoted-scalar":
    case "double-quoted-scalar":
      return token.offset + token.source.length
    case "flow-collection":
      return Math.max(token.offset, endOfAll(token.end))
    case "block-map":
    case "block-seq":
      // There may be more of them than a function takes arguments.
      return token.items.reduce((end, item) => Math.max(end, endOfItem(item)), -1)
    default:
      return -1
  }
}

export const startOfLine = (text: string, at: number): number => text.lastIndexOf("\n", at - 1) + 1

/** Behind the line break. */
export const endOfLine = (text: string, at: number): number => {
  const found = text.indexOf("\n", at)
  return found < 0 ? text.length : found + 1
}

const commentOn = (tokens: ReadonlyArray<CST.SourceToken> | undefined): string => {
  const own = tokens ?? []
  const breaks = own.findIndex(({ type }) => type === "newline")
  const line = breaks < 0 ? own : own.slice(0, breaks)
  return line.find(({ type }) => type === "comment")?.source ?? ""
}

/** The start of the pair, behind its indentation. */
export const startOf = ({ key, start }: CST.CollectionItem): number =>
  start.find((token) => !isBlank(token))?.offset ?? key?.offset ?? -1

const replacement = (
  text: string,
  item: CST.CollectionItem,
  value: unknown,
  name: string,
  eol: string
): Edit => {
  const at = startOf(item)
  const from = startOfLine(text, at)
  const colon = item.sep?.find(({ type }) => type === "map-value-ind")
  const explicit = item.start.some(({ type }) => type === "explicit-key-ind")
  const head =
    colon === undefined || explicit
      ? `${text.slice(from, at)}${keyText(name)}:`
      : text.slice(from, colon.offset + 1)
  const last = Math.max(endOfItem(item), at)
  const to = endOfLine(text, last)
  const isOneLine = !text.slice(at, last).includes("\n")
  // A comment on the line of the key is about the key; one further down is about what is replaced.
  const comment = isOneLine ? text.slice(last, to).trim() : commentOn(item.sep)
  const { below, line } = valueOf(value, at - from)
  const first = `${head}${line === undefined ? "" : ` ${line}`}${comment === "" ? "" : ` ${comment}`}`
  return { from, to, text: [first, ...below].map((each) => `${each}${eol}`).join("") }
}

const removal = (text: string, item: CST.CollectionItem): Edit => {
  const at = startOf(item)
  return { from: startOfLine(text, at), to: endOfLine(text, Math.max(endOfItem(item), at)), text: "" }
}

export const nameOf = ({ key }: Pair): string | undefined =>
  isScalar(key) && typeof key.value === "string" ? key.value : undefined

export const edited = (
  text: string,
  root: YAMLMap | undefined,
  touched: ReadonlyMap<string, unknown>,
  eol: string
): Edited => {
  const edits: Array<Edit> = []
  const kept = new Set<string>()
  let indent = 0
  for (const pair of root?.items ?? []) {
    const name = nameOf(pair)
    const item = pair.srcToken
    if (name === undefined || item === undefined) continue
    indent = startOf(item) - startOfLine(text, startOf(item))
    if (!touched.has(name)) continue
    const value = touched.get(name)
    kept.add(name)
    edits.push(value === null ? removal(text, item) : replacement(text, item, value, name, eol))
  }
  const changed = edits.reduceRight(
    (made, edit) => made.slice(0, edit.from) + edit.text + made.slice(edit.to),
    text
  )
  return { text: changed, kept, indent }
}
