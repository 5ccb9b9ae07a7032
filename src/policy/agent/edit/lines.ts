/** Lists of grants in brackets or in one string, taken apart into lines: each entry with the comments that are its own. */
import { Either } from "effect"
import { type CST, isNode } from "yaml"
import * as Grant from "../../grant/Grant.js"
import { endOfItem } from "../../record/BlockEdit.js"
import { quoted } from "../../record/WrittenYaml.js"
import { splitSpecs } from "../../text/Spec.js"
import { readYaml } from "../../text/StrictYaml.js"

/** What becomes of an entry: it stays as it is, or these stand in its place, which may be none. */
export type Fate = "keep" | ReadonlyArray<Grant.Grant>

/** Lines of comments, and the line below them with the comment at its end. */
export type Lines = ReadonlyArray<{
  readonly above: ReadonlyArray<string>
  readonly text: string | undefined
  readonly comment: string
}>

export type Shape =
  | { readonly _tag: "Flow"; readonly items: ReadonlyArray<unknown> }
  | { readonly _tag: "Text"; readonly text: string }
  | { readonly _tag: "Other" }

interface Comment {
  readonly offset: number
  readonly source: string
}

const inTokens = (tokens: ReadonlyArray<CST.Token> | undefined): ReadonlyArray<Comment> =>
  (tokens ?? []).flatMap((token) => {
    if (token.type === "comment") return [{ offset: token.offset, source: token.source.trimEnd() }]
    if (token.type === "block-scalar") return inTokens(token.props)
    const items = "items" in token ? token.items.flatMap(comments) : []
    return "end" in token && Array.isArray(token.end) ? [...items, ...inTokens(token.end)] : items
  })

/** All comments of a part of the text, in their order. */
export const comments = ({ key, sep, start, value }: CST.CollectionItem): ReadonlyArray<Comment> => [
  ...inTokens(start),
  ...inTokens(key ? [key] : []),
  ...inTokens(sep),
  ...inTokens(value ? [value] : [])
]

interface Entry {
  readonly from: number
  readonly to: number
  readonly text: string
}

/** What stands in brackets, as it is written there if that means the same on a line of its own. */
const onItsOwn = (source: string): string => {
  const text = source.replace(/\r?\n/g, "$&    ")
  const [alone, inside] = [`- ${text}\n`, `[${source}]\n`].map((yaml) =>
    Either.map(readYaml(yaml), (list) => (list?._tag === "List" ? list.items[0] : undefined))
  )
  const meant = inside && Either.isRight(inside) && inside.right && Grant.fromYaml(inside.right)
  const read = alone && Either.isRight(alone) && alone.right && Grant.fromYaml(alone.right)
  if (!meant || Either.isLeft(meant)) return text
  return read && Either.isRight(read) && Grant.same(read.right, meant.right)
    ? text
    : Grant.toYaml(meant.right)
}

const entriesOf = (text: string, shape: Shape): ReadonlyArray<Entry> => {
  switch (shape._tag) {
    case "Flow":
      return shape.items.flatMap((item) => {
        const range = isNode(item) ? item.range : undefined
        if (!range) return []
        const [from, to] = range
        return [{ from, to, text: onItsOwn(text.slice(from, to)) }]
      })
    case "Text":
      return splitSpecs(shape.text).map((spec) => ({
        from: -1,
        to: -1,
        text: Either.match(Grant.parse(spec), { onLeft: () => quoted(spec), onRight: Grant.toYaml })
      }))
    case "Other":
      return []
  }
}

interface Placed {
  readonly head: Array<string>
  readonly above: ReadonlyArray<Array<string>>
  readonly behind: Array<string>
}

/** Behind an entry on its line it is that entry's; on a line of its own it belongs to what follows. */
const placed = (
  text: string,
  entries: ReadonlyArray<Entry>,
  { end, from }: { readonly from: number; readonly end: number },
  own: ReadonlyArray<Comment>
): Placed => {
  const out = { head: [] as Array<string>, above: [...entries, 0].map((): Array<string> => []) }
  const behind = entries.map(() => "")
  for (const { offset, source } of own) {
    if (entries.some((entry) => offset >= entry.from && offset < entry.to)) continue
    const before = entries.findLastIndex((entry) => entry.to <= offset && entry.to >= 0)
    const anchor = before < 0 ? from : (entries[before]?.to ?? from)
    const gap = text.slice(anchor, offset)
    if (offset >= end || (before < 0 && !gap.includes("\n"))) out.head.push(source)
    else if (before >= 0 && !gap.includes("\n") && behind[before] === "") behind[before] = source
    else out.above[before + 1]?.push(source)
  }
  return { ...out, behind }
}

export const linesOf = (
  text: string,
  shape: Shape,
  { from, item, to }: { readonly item: CST.CollectionItem; readonly from: number; readonly to: number },
  fates: ReadonlyArray<Fate>,
  pad: string
): { readonly head: ReadonlyArray<string>; readonly lines: Lines } => {
  const entries = entriesOf(text, shape)
  const own = comments(item).filter(({ offset }) => offset >= from && offset < to)
  const { above, behind, head } = placed(text, entries, { from, end: endOfItem(item) }, own)
  const lines = entries.flatMap((entry, i): Lines => {
    const fate = fates[i] ?? "keep"
    const lead = above[i] ?? []
    if (fate === "keep") {
      return [{ above: lead, text: `${pad}- ${entry.text}`, comment: behind[i] ?? "" }]
    }
    const [first, ...rest] = fate.map((grant) => `${pad}- ${Grant.toYaml(grant)}`)
    return [
      { above: lead, text: first, comment: first === undefined ? "" : (behind[i] ?? "") },
      ...rest.map((line) => ({ above: [], text: line, comment: "" }))
    ]
  })
  return { head, lines: [...lines, { above: above[entries.length] ?? [], text: undefined, comment: "" }] }
}
