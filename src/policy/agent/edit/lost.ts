/** What an edit takes out of a record beside what it was asked to take: entries that give nothing, and comments. */
import { Either } from "effect"
import * as Grant from "../../grant/Grant.js"
import { split } from "../../record/FrontMatter.js"
import { type Comment, commentsIn } from "./lines.js"
import type { Opened } from "./open.js"
import { itemsIn } from "./text.js"

/** A line of the record that is gone, as it was written, and why. */
export interface Lost {
  readonly line: number
  readonly text: string
  readonly why: string
  /** The grant that it was, in the compact form, where it was one. */
  readonly grant?: string
}

/** An entry of the list that goes. */
export interface Gone {
  readonly item: number
  readonly line: number
  readonly why: string
  readonly grant?: Grant.Grant | undefined
}

const yamlOf = (text: string): string =>
  Either.match(split(text), { onLeft: () => "", onRight: ({ yaml }) => yaml })

/** Comments of one text that another has not, or not as often. */
const missingFrom = (before: string, after: string): ReadonlyArray<Comment> => {
  if (!before.includes("#")) return []
  const left = new Map<string, number>()
  for (const { source } of commentsIn(after)) left.set(source, (left.get(source) ?? 0) + 1)
  return commentsIn(before).filter(({ source }) => {
    const count = left.get(source) ?? 0
    left.set(source, count - 1)
    return count <= 0
  })
}

const lineBreaks = (text: string): ReadonlyArray<number> =>
  Array.from(text.matchAll(/\n/g), ({ index }) => index)

const countBelow = (sorted: ReadonlyArray<number>, limit: number): number => {
  let [low, high] = [0, sorted.length]
  while (low < high) {
    const middle = (low + high) >> 1
    if ((sorted[middle] ?? 0) < limit) low = middle + 1
    else high = middle
  }
  return low
}

/** `after` is the text of the record as it will be. */
export const lostIn = ({ parts }: Opened, gone: ReadonlyArray<Gone>, after: string): ReadonlyArray<Lost> => {
  const sources = gone.length === 0 ? [] : itemsIn(parts.yaml)
  const entries = gone.map(({ grant, item, line, why }) => ({
    line,
    text: sources[item]?.text ?? "",
    why,
    ...(grant === undefined ? {} : { grant: Grant.print(grant) })
  }))
  const ranges = gone.flatMap(({ item }) => sources[item] ?? []).toSorted((a, b) => a.from - b.from)
  const starts = ranges.map(({ from }) => from)
  const isNamed = ({ offset }: Comment): boolean => {
    const range = ranges[countBelow(starts, offset + 1) - 1]
    return range !== undefined && offset < range.to
  }
  const breaks = lineBreaks(parts.yaml)
  const comments = missingFrom(parts.yaml, yamlOf(after))
    .filter((comment) => !isNamed(comment))
    .map(({ offset, source }) => ({
      line: parts.above + countBelow(breaks, offset) + 1,
      text: source,
      why: "what it stands at is written anew"
    }))
  return [...entries, ...comments].sort((a, b) => a.line - b.line)
}
