/**
 * The text of a workspace's file with one server more or less. All that is not the server's own keeps its bytes; what
 * comes out is read again, and an edit that changed anything else is none.
 *
 * @since 0.1.0
 */
import { Either } from "effect"
import { type CST, isMap, isNode, isSeq, type Pair, type YAMLMap, type YAMLSeq } from "yaml"
import * as Grant from "../grant/Grant.js"
import { type Edit, endOfItem, endOfLine, nameOf, rootOf, startOf, startOfLine } from "../record/BlockEdit.js"
import { key, lines, quoted } from "../record/WrittenYaml.js"
import { quote } from "../text/Quote.js"
import { readYaml, type Yaml } from "../text/StrictYaml.js"

/**
 * A server as it is to be written.
 *
 * @since 0.1.0
 * @category models
 */
export interface Definition {
  readonly name: string
  /** Its keys but for `requires`, in the order in which they are written. */
  readonly keys: Readonly<Record<string, string | ReadonlyArray<string>>>
  readonly requires: ReadonlyArray<Pick<Grant.Grant, "name" | "scope">>
}

const LIST = "mcp_servers"

const BY_HAND = "edit the file by hand"

interface Document {
  readonly text: string
  readonly eol: string
  readonly root: YAMLMap | undefined
  /** `mcp_servers` and what stands there, if it is written. */
  readonly pair: Pair | undefined
}

const opened = (text: string): Document => {
  const root = rootOf(text)
  return {
    text,
    eol: text.includes("\r\n") ? "\r\n" : "\n",
    root,
    pair: root?.items.find((one) => nameOf(one) === LIST)
  }
}

const written = ({ keys, requires }: Definition, indent: number): ReadonlyArray<string> => {
  const pad = " ".repeat(indent)
  return [
    ...lines(keys, indent),
    ...(requires.length === 0
      ? [`${pad}requires: []`]
      : [`${pad}requires:`, ...requires.map((grant) => `${pad}  - ${Grant.toYaml(grant)}`)])
  ]
}

const inFlow = ({ keys, requires }: Definition): string =>
  [
    ...Object.entries(keys).map(
      ([name, value]) =>
        `${name}: ${typeof value === "string" ? quoted(value) : `[${value.map(quoted).join(", ")}]`}`
    ),
    `requires: [${requires.map((grant) => quoted(Grant.print(grant))).join(", ")}]`
  ].join(", ")

const byName = (definition: Definition, indent: number): ReadonlyArray<string> => [
  `${" ".repeat(indent)}${key(definition.name)}:`,
  ...written(definition, indent + 2)
]

const inList = (definition: Definition, indent: number): ReadonlyArray<string> => [
  `${" ".repeat(indent)}- name: ${quoted(definition.name)}`,
  ...written(definition, indent + 2)
]

/** Lines after a place. A text that ends without a line break goes on doing so. */
const after = ({ eol, text }: Document, at: number, added: ReadonlyArray<string>): Edit => {
  const isOpen = at === text.length && text !== "" && !text.endsWith("\n")
  const block = added.join(eol)
  return { from: at, to: at, text: isOpen ? `${eol}${block}` : `${block}${eol}` }
}

type Collection = YAMLMap | YAMLSeq

const indentOf = (text: string, at: number): number => at - startOfLine(text, at)

/** The tokens of the entries of a block: comments behind the last of them are none. */
const tokensOf = (value: Collection): ReadonlyArray<CST.CollectionItem> => {
  const token = value.srcToken
  return token !== undefined && "items" in token ? token.items.filter((item) => beginning(item) >= 0) : []
}

const dashOf = ({ start }: CST.CollectionItem): number =>
  start.find(({ type }) => type === "seq-item-ind")?.offset ?? -1

const beginning = (item: CST.CollectionItem): number => (dashOf(item) >= 0 ? dashOf(item) : startOf(item))

/** Where each entry in brackets begins and ends. */
const ranges = (value: Collection): ReadonlyArray<readonly [number, number]> =>
  value.items.flatMap((item): ReadonlyArray<readonly [number, number]> => {
    if (isNode(item)) return item.range ? [[item.range[0], item.range[1]]] : []
    const { key: name, value: given } = item as Pair
    if (!isNode(name) || !name.range) return []
    const end = isNode(given) && given.range ? given.range[1] : name.range[1]
    return [[name.range[0], end]]
  })

const toBrackets = (value: Collection, definition: Definition): Edit | undefined => {
  const last = ranges(value).at(-1)
  if (last === undefined) return undefined
  const [, at] = last
  const body = inFlow(definition)
  return {
    from: at,
    to: at,
    text: isMap(value)
      ? `, ${quoted(definition.name)}: { ${body} }`
      : `, { name: ${quoted(definition.name)}, ${body} }`
  }
}

const toBlock = (document: Document, value: Collection, definition: Definition): Edit | undefined => {
  const { text } = document
  const items = tokensOf(value)
  const [first] = items
  const last = items.at(-1)
  if (first === undefined || last === undefined) return undefined
  const indent = indentOf(text, beginning(first))
  const at = endOfLine(text, Math.max(endOfItem(last), beginning(last)))
  return after(document, at, isMap(value) ? byName(definition, indent) : inList(definition, indent))
}

/** `[]`, `{}` and nothing at all become a block. */
const inPlaceOfNothing = (document: Document, item: CST.CollectionItem, definition: Definition): Edit => {
  const { eol, text } = document
  const colon = item.sep?.find(({ type }) => type === "map-value-ind")?.offset ?? endOfItem(item)
  const end = Math.max(endOfItem(item), colon + 1)
  const line = endOfLine(text, end)
  const rest = text.slice(end, line).trim()
  const body = byName(definition, indentOf(text, startOf(item)) + 2).join(eol)
  const isLast = line === text.length && !text.endsWith("\n")
  return {
    from: colon + 1,
    to: line,
    text: `${rest === "" ? "" : ` ${rest}`}${eol}${body}${isLast ? "" : eol}`
  }
}

/** A file of `{}` becomes a block; one with keys in brackets is left alone. */
const inPlaceOfNoKeys = (
  { eol }: Document,
  { items, range }: YAMLMap,
  definition: Definition
): Edit | undefined =>
  items.length > 0 || !range
    ? undefined
    : { from: range[0], to: range[1], text: [`${LIST}:`, ...byName(definition, 2)].join(eol) }

const additionTo = (document: Document, definition: Definition): Edit | undefined => {
  const { pair, root, text } = document
  if (pair === undefined) {
    if (root?.flow === true) return inPlaceOfNoKeys(document, root, definition)
    const [first] = root?.items ?? []
    const indent = first?.srcToken === undefined ? 0 : indentOf(text, startOf(first.srcToken))
    return after(document, text.length, [`${" ".repeat(indent)}${LIST}:`, ...byName(definition, indent + 2)])
  }
  const { srcToken: item, value } = pair
  if (item === undefined || root?.flow === true) return undefined
  if (!isMap(value) && !isSeq(value)) {
    return isNode(value) && value.toJSON() !== null ? undefined : inPlaceOfNothing(document, item, definition)
  }
  if (value.items.length === 0) return inPlaceOfNothing(document, item, definition)
  return value.flow === true ? toBrackets(value, definition) : toBlock(document, value, definition)
}

const nameAt = (value: Collection, at: number): string | undefined => {
  const item: unknown = value.items[at]
  if (isMap(value)) return nameOf(item as Pair)
  const name = isMap(item) ? item.get("name") : undefined
  return typeof name === "string" ? name : undefined
}

/** Whole lines. Where they were the last of a text without a line break at its end, the one before them goes. */
const withoutLines = (text: string, from: number, to: number): Edit => {
  const isLast = to === text.length && !text.endsWith("\n")
  const before = text.slice(0, from)
  const eol = before.endsWith("\r\n") ? 2 : before.endsWith("\n") ? 1 : 0
  return { from: isLast ? from - eol : from, to, text: "" }
}

const wholePair = (text: string, item: CST.CollectionItem): Edit =>
  withoutLines(
    text,
    startOfLine(text, startOf(item)),
    endOfLine(text, Math.max(endOfItem(item), startOf(item)))
  )

const fromBrackets = (value: Collection, at: number): Edit | undefined => {
  const all = ranges(value)
  const [one, before, behind] = [all[at], all[at - 1], all[at + 1]]
  if (one === undefined) return undefined
  if (before !== undefined) return { from: before[1], to: one[1], text: "" }
  return behind === undefined ? undefined : { from: one[0], to: behind[0], text: "" }
}

const fromBlock = (text: string, value: Collection, at: number): Edit | undefined => {
  const item = tokensOf(value)[at]
  if (item === undefined) return undefined
  const from = beginning(item)
  return withoutLines(text, startOfLine(text, from), endOfLine(text, Math.max(endOfItem(item), from)))
}

const removalFrom = ({ pair, root, text }: Document, name: string): Edit | undefined => {
  const { srcToken: item, value } = pair ?? {}
  if (item === undefined || root?.flow === true || (!isMap(value) && !isSeq(value))) return undefined
  const at = value.items.findIndex((_, index) => nameAt(value, index) === name)
  if (at < 0) return undefined
  if (value.items.length === 1) return wholePair(text, item)
  return value.flow === true ? fromBrackets(value, at) : fromBlock(text, value, at)
}

const plain = (value: Yaml): unknown => {
  switch (value._tag) {
    case "Scalar":
      return value.value
    case "List":
      return value.items.map(plain)
    case "Mapping":
      return [...value.entries].map(([name, entry]) => [name, plain(entry.value)])
  }
}

interface Said {
  readonly servers: ReadonlyMap<string, string>
  readonly others: string
}

/** What a text says of each server, and of all else. */
const saying = (text: string): Said | undefined => {
  const read = readYaml(text)
  if (Either.isLeft(read) || (read.right !== undefined && read.right._tag !== "Mapping")) return undefined
  const entries = [...(read.right?.entries ?? [])]
  const value = entries.find(([name]) => name === LIST)?.[1].value
  const servers = new Map<string, string>()
  if (value?._tag === "Mapping") {
    for (const [name, entry] of value.entries) servers.set(name, JSON.stringify(plain(entry.value)))
  }
  if (value?._tag === "List") {
    for (const item of value.items) {
      const name = item._tag === "Mapping" ? item.entries.get("name")?.value : undefined
      if (item._tag !== "Mapping" || name?._tag !== "Scalar") return undefined
      const rest = [...item.entries].filter(([each]) => each !== "name")
      servers.set(String(name.value), JSON.stringify(rest.map(([each, one]) => [each, plain(one.value)])))
    }
  }
  return {
    servers,
    others: JSON.stringify(
      entries.filter(([name]) => name !== LIST).map(([name, entry]) => [name, plain(entry.value)])
    )
  }
}

const isThatAndNoMore = (before: string, after: string, name: string): boolean => {
  const [was, is] = [saying(before), saying(after)]
  if (was === undefined || is === undefined || was.others !== is.others) return false
  const names = new Set([...was.servers.keys(), ...is.servers.keys()])
  return [...names].every((one) => (one === name) !== (was.servers.get(one) === is.servers.get(one)))
}

const made = (text: string, name: string, edit: Edit | undefined): Either.Either<string, string> => {
  if (edit !== undefined) {
    const result = text.slice(0, edit.from) + edit.text + text.slice(edit.to)
    if (isThatAndNoMore(text, result, name)) return Either.right(result)
  }
  return Either.left(`'${LIST}' is written in a way that cannot be changed in part; ${BY_HAND}`)
}

const namesIn = (text: string): ReadonlySet<string> => new Set(saying(text)?.servers.keys())

/**
 * The text with one server more, or why there is none.
 *
 * @since 0.1.0
 * @category editing
 */
export const add = (text: string, definition: Definition): Either.Either<string, string> => {
  const { name } = definition
  return namesIn(text).has(name)
    ? Either.left(`there is a server ${quote(name)} already; choose another name, or remove that first`)
    : made(text, name, additionTo(opened(text), definition))
}

/**
 * The text with one server less, or why there is none. With the last one the key goes.
 *
 * @since 0.1.0
 * @category editing
 */
export const remove = (text: string, name: string): Either.Either<string, string> =>
  namesIn(text).has(name)
    ? made(text, name, removalFrom(opened(text), name))
    : Either.left(`there is no server ${quote(name)} in it`)
