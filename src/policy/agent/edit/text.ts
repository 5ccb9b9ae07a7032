/** The list of grants in the text of a front matter: entries that stay keep their bytes, and so does all around it. */
import { type CST, isScalar, isSeq, type Pair } from "yaml"
import * as Grant from "../../grant/Grant.js"
import {
  type Edit,
  endOfItem,
  endOfLine,
  nameOf,
  rootOf,
  startOf,
  startOfLine
} from "../../record/BlockEdit.js"
import { comments, type Fate, type Lines, linesOf, type Shape, type Source, sourcesOf } from "./lines.js"

/** The entries of the list as they are written, each with the comment on its line where it has one of its own. */
export const itemsIn = (yaml: string): ReadonlyArray<Source> => {
  const pair = rootOf(yaml)?.items.find((one) => nameOf(one) === LIST)
  const item = pair?.srcToken
  if (pair === undefined || item === undefined) return []
  if (item.value?.type === "block-seq") {
    return blockItems(yaml, item.value).map(({ dash, to }) => ({
      from: dash,
      to,
      text: yaml.slice(dash + 1, to).trim()
    }))
  }
  const shape = shapeOf(pair, item)
  return shape === undefined ? [] : sourcesOf(yaml, shape)
}

export interface Plan {
  /** By the place of the entry in the list. */
  readonly fates: ReadonlyArray<Fate>
  readonly added: ReadonlyArray<Grant.Grant>
  /** Keys that go. */
  readonly removed: ReadonlySet<string>
}

const LIST = "capabilities"

const isDash = ({ type }: CST.SourceToken): boolean => type === "seq-item-ind"

const written = (pad: string, grants: ReadonlyArray<Grant.Grant>): Lines =>
  grants.map((grant) => ({ above: [], text: `${pad}- ${Grant.toYaml(grant)}`, comment: "" }))

const spelt = (lines: Lines, pad: string, eol: string): string =>
  lines
    .flatMap(({ above, comment, text }) => [
      ...above.map((one) => `${pad}${one}`),
      ...(text === undefined ? [] : [comment === "" ? text : `${text} ${comment}`])
    ])
    .map((line) => `${line}${eol}`)
    .join("")

/** An entry of a block list that changes: its comments go before it, unless the only one stands at its end. */
const replaced = (
  text: string,
  { from, item, to }: { readonly item: CST.CollectionItem; readonly from: number; readonly to: number },
  grants: ReadonlyArray<Grant.Grant>,
  pad: string,
  eol: string
): string => {
  const own = comments(item).filter(({ offset }) => offset >= from && offset < to)
  const [first, ...rest] = written(pad, grants)
  if (first === undefined) return ""
  const [only] = own
  const trails = own.length === 1 && only !== undefined && text.slice(only.offset, to).trim() === only.source
  const lines = trails
    ? [{ ...first, comment: only.source }, ...rest]
    : [{ ...first, above: own.map(({ source }) => source) }, ...rest]
  return spelt(lines, pad, eol)
}

const blockItems = (text: string, seq: CST.BlockSequence) =>
  seq.items.flatMap((item) => {
    const dash = item.start.find(isDash)?.offset
    if (dash === undefined) return []
    const last = Math.max(endOfItem(item), dash)
    return [{ item, dash, from: startOfLine(text, dash), to: endOfLine(text, last) }]
  })

/** New entries below the comments of the keys that they stood under, which may have been all there was. */
const addedLines = (
  pad: string,
  added: ReadonlyArray<Grant.Grant>,
  comments: ReadonlyArray<string>
): Lines => {
  if (comments.length === 0) return written(pad, added)
  const [first, ...rest] = written(pad, added)
  return [{ ...(first ?? { text: undefined, comment: "" }), above: comments }, ...rest]
}

const inBlock = (
  text: string,
  seq: CST.BlockSequence,
  colon: number,
  { added, fates }: Plan,
  inherited: ReadonlyArray<string>,
  eol: string
): ReadonlyArray<Edit> => {
  const items = blockItems(text, seq)
  const [first] = items
  const pad = first === undefined ? "  " : text.slice(first.from, first.dash)
  const edits = items.flatMap(({ from, item, to }, i): ReadonlyArray<Edit> => {
    const fate = fates[i] ?? "keep"
    return fate === "keep" ? [] : [{ from, to, text: replaced(text, { item, from, to }, fate, pad, eol) }]
  })
  const end = items.at(-1)?.to ?? endOfLine(text, colon)
  const stays = items.some((_, i) => (fates[i] ?? "keep") === "keep" || fates[i]?.length !== 0)
  return [
    ...(stays || added.length > 0 ? [] : [{ from: colon, to: colon, text: " []" }]),
    ...edits,
    { from: end, to: end, text: spelt(addedLines(pad, added, inherited), pad, eol) }
  ]
}

/** The whole value as a block list, with the comment of its key. */
const valueAsBlock = (lines: Lines, comment: ReadonlyArray<string>, pad: string, eol: string): string => {
  const isEmpty = lines.every(({ text }) => text === undefined)
  const [head, ...others] = comment
  const first = `${isEmpty ? " []" : ""}${head === undefined ? "" : ` ${head}`}${eol}`
  return first + spelt([{ above: others, text: undefined, comment: "" }, ...lines], pad, eol)
}

const shapeOf = (pair: Pair, item: CST.CollectionItem): Shape | undefined => {
  const { value } = pair
  if (item.value?.type === "alias") return undefined
  if (isSeq(value)) return { _tag: "Flow", items: value.items }
  return isScalar(value) && typeof value.value === "string"
    ? { _tag: "Text", text: value.value }
    : { _tag: "Other" }
}

const inPlace = (
  text: string,
  pair: Pair,
  item: CST.CollectionItem,
  plan: Plan,
  inherited: ReadonlyArray<string>,
  eol: string
): ReadonlyArray<Edit> | undefined => {
  const colon = item.sep?.find(({ type }) => type === "map-value-ind")
  const shape = shapeOf(pair, item)
  if (colon === undefined || shape === undefined) return undefined
  const from = colon.offset + 1
  if (item.value?.type === "block-seq") return inBlock(text, item.value, from, plan, inherited, eol)
  const to = endOfLine(text, Math.max(endOfItem(item), colon.offset))
  const pad = " ".repeat(startOf(item) - startOfLine(text, startOf(item)) + 2)
  const { head, lines } = linesOf(text, shape, { item, from, to }, plan.fates, pad)
  const all = [...lines, ...addedLines(pad, plan.added, inherited)]
  return [{ from, to, text: valueAsBlock(all, head, pad, eol) }]
}

const removal = (text: string, item: CST.CollectionItem): Edit => ({
  from: startOfLine(text, startOf(item)),
  to: endOfLine(text, Math.max(endOfItem(item), startOf(item))),
  text: ""
})

/** The comment on the last line of a key that goes, for what comes in its place. */
const commentOf = (text: string, item: CST.CollectionItem, { to }: Edit): ReadonlyArray<string> => {
  const last = Math.max(endOfItem(item), startOf(item))
  return text.slice(startOf(item), last).includes("\n")
    ? []
    : comments(item)
        .filter(({ offset }) => offset >= last && offset < to)
        .map(({ source }) => source)
}

const spliced = (text: string, edits: ReadonlyArray<Edit>): string => {
  const parts: Array<string> = []
  let at = 0
  // What is put in goes before what is taken out from there on.
  for (const edit of edits.toSorted((a, b) => a.from - b.from || a.to - b.to)) {
    parts.push(text.slice(at, edit.from), edit.text)
    at = edit.to
  }
  return [...parts, text.slice(at)].join("")
}

/** `undefined` where the text has a shape that cannot be changed in part. */
export const planned = (yaml: string, plan: Plan, eol: string): string | undefined => {
  const root = rootOf(yaml)
  if (root === undefined || root.flow === true) return undefined
  const pairs = root.items.flatMap((pair) => {
    const name = nameOf(pair)
    return name === undefined || pair.srcToken === undefined ? [] : [{ name, pair, item: pair.srcToken }]
  })
  const [first] = pairs
  if (first === undefined) return undefined
  const gone = pairs
    .filter(({ name }) => plan.removed.has(name))
    .map(({ item }) => ({ item, edit: removal(yaml, item) }))
  const removals = gone.map(({ edit }) => edit)
  const list = pairs.find(({ name }) => name === LIST)
  if (list !== undefined) {
    const inherited = gone.flatMap(({ edit, item }) => commentOf(yaml, item, edit))
    const edits = inPlace(yaml, list.pair, list.item, plan, inherited, eol)
    return edits && spliced(yaml, [...removals, ...edits])
  }
  const indent = yaml.slice(startOfLine(yaml, startOf(first.item)), startOf(first.item))
  const [place] = gone
  const comment = gone.flatMap(({ edit, item }) => commentOf(yaml, item, edit))
  const pad = `${indent}  `
  const value = valueAsBlock(written(pad, plan.added), comment, pad, eol)
  const at = place?.edit.from ?? yaml.length
  return spliced(yaml, [{ from: at, to: at, text: `${indent}${LIST}:${value}` }, ...removals])
}
