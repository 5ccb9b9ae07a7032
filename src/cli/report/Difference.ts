/** What changes in a text, as lines that go and lines that come, with some of those around them. */
import { type Terminal, visible } from "./Terminal.js"

const CONTEXT = 3

/** Beyond so many pairs of lines the shortest way from one text to the other is not looked for. */
const MOST_PAIRS = 4_000_000

interface Step {
  readonly sign: " " | "-" | "+"
  readonly line: string
}

const steps = (sign: Step["sign"], lines: ReadonlyArray<string>): ReadonlyArray<Step> =>
  lines.map((line) => ({ sign, line }))

/** The lengths of the longest common ends of `a` from `i` and `b` from `j`, row by row. */
const commonEnds = (a: ReadonlyArray<string>, b: ReadonlyArray<string>): ReadonlyArray<Uint32Array> => {
  const table = Array.from({ length: a.length + 1 }, () => new Uint32Array(b.length + 1))
  for (let i = a.length - 1; i >= 0; i--) {
    const [row, next] = [table[i], table[i + 1]]
    for (let j = b.length - 1; row !== undefined && next !== undefined && j >= 0; j--) {
      row[j] = a[i] === b[j] ? (next[j + 1] ?? 0) + 1 : Math.max(next[j] ?? 0, row[j + 1] ?? 0)
    }
  }
  return table
}

const between = (a: ReadonlyArray<string>, b: ReadonlyArray<string>): ReadonlyArray<Step> => {
  if (a.length * b.length > MOST_PAIRS) return [...steps("-", a), ...steps("+", b)]
  const ends = commonEnds(a, b)
  const found: Array<Step> = []
  let [i, j] = [0, 0]
  while (i < a.length && j < b.length) {
    if (a[i] === b[j]) {
      found.push({ sign: " ", line: a[i] ?? "" })
      i++
      j++
    } else if ((ends[i + 1]?.[j] ?? 0) >= (ends[i]?.[j + 1] ?? 0))
      found.push({ sign: "-", line: a[i++] ?? "" })
    else found.push({ sign: "+", line: b[j++] ?? "" })
  }
  return [...found, ...steps("-", a.slice(i)), ...steps("+", b.slice(j))]
}

const linesOf = (text: string): ReadonlyArray<string> => (text === "" ? [] : text.split(/(?<=\n)/))

/** Most of a text stays: what is the same at its start and at its end is not compared line by line. */
const stepsOf = (before: string, after: string): ReadonlyArray<Step> => {
  const [a, b] = [linesOf(before), linesOf(after)]
  let start = 0
  while (start < a.length && start < b.length && a[start] === b[start]) start++
  let end = 0
  while (end < a.length - start && end < b.length - start && a.at(-1 - end) === b.at(-1 - end)) end++
  return [
    ...steps(" ", a.slice(0, start)),
    ...between(a.slice(start, a.length - end), b.slice(start, b.length - end)),
    ...steps(" ", a.slice(a.length - end))
  ]
}

/** The stretches that hold a change and what is near it. */
const stretches = (all: ReadonlyArray<Step>): ReadonlyArray<readonly [from: number, to: number]> => {
  const found: Array<[number, number]> = []
  for (const [at, { sign }] of all.entries()) {
    if (sign === " ") continue
    const [from, to] = [Math.max(0, at - CONTEXT), Math.min(all.length, at + CONTEXT + 1)]
    const last = found.at(-1)
    if (last !== undefined && last[1] >= from) last[1] = to
    else found.push([from, to])
  }
  return found
}

const printed = ({ line, sign }: Step): string =>
  line.endsWith("\n") ? `${sign}${line}` : `${sign}${line}\n\\ No newline at end of file\n`

const count = (all: ReadonlyArray<Step>, without: Step["sign"]): number =>
  all.filter(({ sign }) => sign !== without).length

/** Where a stretch begins in a text: a text without lines is before its first. */
const place = (before: number, length: number): string => `${length === 0 ? before : before + 1},${length}`

/** As `diff -u` prints it; nothing where both texts are the same. */
export const difference = (file: string, before: string, after: string): string => {
  if (before === after) return ""
  const all = stepsOf(before, after)
  const hunks = stretches(all).map(([from, to]) => {
    const [earlier, inside] = [all.slice(0, from), all.slice(from, to)]
    const was = place(count(earlier, "+"), count(inside, "+"))
    const is = place(count(earlier, "-"), count(inside, "-"))
    return `@@ -${was} +${is} @@\n${inside.map(printed).join("")}`
  })
  return `--- ${before === "" ? "/dev/null" : file}\n+++ ${file}\n${hunks.join("")}`
}

/** For a reader; a pipe gets it byte for byte. */
export const painted = (terminal: Terminal, diff: string): string => {
  if (!terminal.isTTY) return diff
  const paint = (line: string): string => {
    const shown = visible(line.replace(/\r$/, ""))
    if (/^(?:---|\+\+\+) /.test(line)) return terminal.bold(shown)
    if (line.startsWith("-")) return terminal.red(shown)
    if (line.startsWith("+")) return terminal.green(shown)
    return line.startsWith("@@") ? terminal.dim(shown) : shown
  }
  return diff
    .split("\n")
    .map((line) => (line === "" ? "" : paint(line)))
    .join("\n")
}
