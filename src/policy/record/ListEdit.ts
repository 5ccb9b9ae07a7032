/**
 * A list somewhere in a text of YAML with other entries in the place of some. All that is not of those entries keeps its
 * bytes; what comes out is read again, and an edit that changed anything else is none.
 *
 * @since 0.1.0
 */
import { Either } from "effect"
import { type CST, isMap, isNode, isScalar, isSeq, type Pair, type YAMLSeq } from "yaml"
import { readYaml, type Yaml } from "../text/StrictYaml.js"
import { type Edit, endOfItem, endOfLine, nameOf, rootOf, startOfLine } from "./BlockEdit.js"

/**
 * An entry as it is written on a line of its own, and in brackets.
 *
 * @since 0.1.0
 * @category models
 */
export interface Entry {
  readonly block: string
  readonly flow: string
}

/**
 * An entry stays as it is, or these stand in its place, which may be none.
 *
 * @since 0.1.0
 * @category models
 */
export type Fate = "keep" | ReadonlyArray<Entry>

const pairAt = (text: string, path: ReadonlyArray<string>): Pair | undefined => {
  let map: unknown = rootOf(text)
  let found: Pair | undefined
  for (const key of path) {
    if (!isMap(map)) return undefined
    found = map.items.find((pair) => nameOf(pair) === key)
    map = found?.value
  }
  return found
}

const eolOf = (text: string): string => (text.includes("\r\n") ? "\r\n" : "\n")

const dashOf = ({ start }: CST.CollectionItem): number | undefined =>
  start.find(({ type }) => type === "seq-item-ind")?.offset

/** The lines of an entry; the comment behind it stays with what takes its place. */
const inBlock = (text: string, seq: CST.BlockSequence, fates: ReadonlyArray<Fate>): ReadonlyArray<Edit> => {
  const eol = eolOf(text)
  const items = seq.items.flatMap((item) => {
    const dash = dashOf(item)
    return dash === undefined ? [] : [{ item, dash }]
  })
  return items.flatMap(({ dash, item }, at): ReadonlyArray<Edit> => {
    const fate = fates[at] ?? "keep"
    if (fate === "keep") return []
    const last = Math.max(endOfItem(item), dash + 1)
    const [from, to] = [startOfLine(text, dash), endOfLine(text, last)]
    const comment = text.slice(last, to).trim()
    const pad = text.slice(from, dash)
    const isOpen = !text.slice(from, to).endsWith("\n")
    const lines = fate.map(
      ({ block }, i) => `${pad}- ${block}${i === 0 && comment !== "" ? ` ${comment}` : ""}`
    )
    return [{ from, to, text: lines.length === 0 ? "" : `${lines.join(eol)}${isOpen ? "" : eol}` }]
  })
}

/** Comments between brackets belong to nobody for certain: such a list is not changed in part. */
const inFlow = (
  text: string,
  { items, range }: YAMLSeq,
  fates: ReadonlyArray<Fate>
): ReadonlyArray<Edit> | undefined => {
  if (!range || text.slice(range[0], range[1]).includes("#")) return undefined
  const ranges = items.map((item) => (isNode(item) && item.range ? item.range : undefined))
  const texts = ranges.flatMap((one, at) => {
    const fate = fates[at] ?? "keep"
    if (one === undefined) return []
    return fate === "keep" ? [text.slice(one[0], one[1])] : fate.map(({ flow }) => flow)
  })
  const [first, last] = [ranges[0], ranges.at(-1)]
  if (ranges.includes(undefined) || !first || !last) return undefined
  if (texts.length === 0) return [{ from: range[0], to: range[1], text: "[]" }]
  const isManyLines = text.slice(range[0], range[1]).includes("\n")
  const gap = isManyLines ? text.slice(text.lastIndexOf(",", last[0]) + 1, last[0]) : " "
  return [{ from: first[0], to: last[1], text: texts.join(`,${/^\s*$/.test(gap) ? gap : " "}`) }]
}

const editsOf = (text: string, pair: Pair, fates: ReadonlyArray<Fate>): ReadonlyArray<Edit> | undefined => {
  const { srcToken, value } = pair
  const colon = srcToken?.sep?.find(({ type }) => type === "map-value-ind")
  if (colon === undefined || srcToken?.value?.type === "alias") return undefined
  if (isSeq(value)) {
    if (srcToken?.value?.type !== "block-seq") return inFlow(text, value, fates)
    const isEmpty = value.items.every((_, at) => fates[at] !== undefined && fates[at]?.length === 0)
    const at = colon.offset + 1
    return [...(isEmpty ? [{ from: at, to: at, text: " []" }] : []), ...inBlock(text, srcToken.value, fates)]
  }
  // One entry may stand there without a list.
  const [fate = "keep"] = fates
  if (fate === "keep" || !isScalar(value) || !value.range) return undefined
  return [{ from: value.range[0], to: value.range[1], text: `[${fate.map(({ flow }) => flow).join(", ")}]` }]
}

const spliced = (text: string, edits: ReadonlyArray<Edit>): string =>
  edits
    .toSorted((a, b) => b.from - a.from || b.to - a.to)
    .reduce((made, edit) => made.slice(0, edit.from) + edit.text + made.slice(edit.to), text)

/** What a text says apart from one list, and what that list says. */
interface Said {
  readonly others: string
  readonly items: ReadonlyArray<string>
}

const data = (value: Yaml): unknown => {
  if (value._tag === "Scalar") return value.value
  return value._tag === "List"
    ? value.items.map(data)
    : [...value.entries].map(([name, entry]) => [name, data(entry.value)])
}

const itemsOf = (value: Yaml): ReadonlyArray<string> =>
  (value._tag === "List" ? value.items : [value]).map((item) => JSON.stringify(data(item)))

const without = (value: Yaml, path: ReadonlyArray<string>): unknown => {
  const [key, ...rest] = path
  if (key === undefined) return "the list"
  if (value._tag !== "Mapping") return data(value)
  return [...value.entries].map(([name, entry]) => [
    name,
    name === key ? without(entry.value, rest) : data(entry.value)
  ])
}

const at = (value: Yaml | undefined, path: ReadonlyArray<string>): Yaml | undefined =>
  path.reduce<Yaml | undefined>(
    (found, key) => (found?._tag === "Mapping" ? found.entries.get(key)?.value : undefined),
    value
  )

const saying = (text: string, path: ReadonlyArray<string>): Said | undefined => {
  const read = readYaml(text)
  if (Either.isLeft(read) || read.right === undefined) return undefined
  const list = at(read.right, path)
  return list && { others: JSON.stringify(without(read.right, path)), items: itemsOf(list) }
}

const read = (list: string): string | undefined => {
  const value = readYaml(list)
  return Either.isRight(value) && value.right?._tag === "List" ? itemsOf(value.right)[0] : undefined
}

/** Whether what stands there by now is what was meant, and all else is what it was. */
const isThatAndNoMore = (was: Said, is: Said | undefined, fates: ReadonlyArray<Fate>): boolean => {
  const meant = was.items.flatMap((item, i): ReadonlyArray<ReadonlyArray<string | undefined>> => {
    const fate = fates[i] ?? "keep"
    return fate === "keep"
      ? [[item]]
      : fate.map(({ block, flow }) => [read(`- ${block}\n`), read(`[${flow}]\n`)])
  })
  return (
    is !== undefined &&
    is.others === was.others &&
    is.items.length === meant.length &&
    is.items.every((item, i) => meant[i]?.includes(item))
  )
}

/**
 * The text with other entries in a list, which stands at the end of these keys. `undefined` where the text has a shape that
 * cannot be changed in part.
 *
 * @since 0.1.0
 * @category editing
 */
export const editList = (
  text: string,
  path: ReadonlyArray<string>,
  fates: ReadonlyArray<Fate>
): string | undefined => {
  if (fates.every((fate) => fate === "keep")) return text
  const [pair, was] = [pairAt(text, path), saying(text, path)]
  const edits = pair && editsOf(text, pair, fates)
  if (edits === undefined || was === undefined) return undefined
  const made = spliced(text, edits)
  return isThatAndNoMore(was, saying(made, path), fates) ? made : undefined
}
