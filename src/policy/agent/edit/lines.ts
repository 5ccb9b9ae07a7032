/** Lists of grants in brackets or in one string, taken apart into lines: each entry with the comments that are its own. */
import { Either } from "effect"
import { type CST, isNode, Parser } from "yaml"
import * as Grant from "../../grant/Grant.js"
import { endOfItem } from "../../record/BlockEdit.js"
import { quoted } from "../../record/WrittenYaml.js"
import { splitSpecs } from "../../text/Spec.js"
import { RECORD, readYaml, type Yaml } from "../../text/StrictYaml.js"

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

export interface Comment {
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

/** All comments of a text. */
export const commentsIn = (yaml: string): ReadonlyArray<Comment> =>
  [...new Parser().parse(yaml)].flatMap((token) =>
    token.type === "document"
      ? [...inTokens(token.start), ...inTokens(token.value ? [token.value] : []), ...inTokens(token.end)]
      : inTokens([token])
  )

interface Entry {
  readonly from: number
  readonly to: number
  readonly text: string
}

/** The items of a list, if it has as many as it should. */
const itemsOf = (yaml: string, count: number): ReadonlyArray<Yaml> | undefined =>
  Either.match(readYaml(yaml, RECORD), {
    onLeft: () => undefined,
    onRight: (list) => (list?._tag === "List" && list.items.length === count ? list.items : undefined)
  })

const grantOf = (item: Yaml | undefined): Grant.Grant | undefined =>
  item && Either.getOrUndefined(Grant.fromYaml(item))

const halved = <A>(all: ReadonlyArray<A>, f: (some: ReadonlyArray<A>) => ReadonlyArray<string>) => {
  const half = all.length >> 1
  return [...f(all.slice(0, half)), ...f(all.slice(half))]
}

/**
 * What stands in brackets, each as it is written there if that means the same on a line of its own. All are read at
 * once, and apart only where they cannot be.
 */
const onTheirOwn = (sources: ReadonlyArray<string>): ReadonlyArray<string> => {
  const texts = sources.map((source) => source.replace(/\r?\n/g, "$&    "))
  const inside = itemsOf(`[${sources.join(",\n")}]\n`, sources.length)
  const alone = itemsOf(texts.map((text) => `- ${text}\n`).join(""), sources.length)
  if (sources.length > 1 && (inside === undefined || alone === undefined)) return halved(sources, onTheirOwn)
  return texts.map((text, i) => {
    const [meant, read] = [grantOf(inside?.[i]), grantOf(alone?.[i])]
    if (meant === undefined) return text
    return read !== undefined && Grant.same(read, meant) ? text : Grant.toYaml(meant)
  })
}

const entriesOf = (text: string, shape: Shape): ReadonlyArray<Entry> => {
  switch (shape._tag) {
    case "Flow": {
      const ranges = shape.items.flatMap((item) => (isNode(item) && item.range ? [item.range] : []))
      const texts = onTheirOwn(ranges.map(([from, to]) => text.slice(from, to)))
      return ranges.map(([from, to], i) => ({ from, to, text: texts[i] ?? "" }))
    }
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

/** What stands for an entry in the text itself; in a list of one string it has no place of its own. */
export interface Source {
  readonly from: number
  readonly to: number
  readonly text: string
}

export const sourcesOf = (text: string, shape: Shape): ReadonlyArray<Source> => {
  if (shape._tag === "Other") return []
  if (shape._tag === "Text") return splitSpecs(shape.text).map((spec) => ({ from: 0, to: 0, text: spec }))
  return shape.items.flatMap((item) => {
    if (!isNode(item) || !item.range) return []
    const [from, to] = item.range
    return [{ from, to, text: text.slice(from, to) }]
  })
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
  // Both are in the order of the text; entries of a list in one string have no place in it.
  let next = 0
  const isPassed = (entry: Entry | undefined, offset: number) =>
    entry !== undefined && entry.to >= 0 && entry.to <= offset
  for (const { offset, source } of own) {
    while (isPassed(entries[next], offset)) next++
    const following = entries[next]
    if (following !== undefined && offset >= following.from && offset < following.to) continue
    const before = next - 1
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
