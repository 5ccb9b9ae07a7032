/** A Markdown text without its code: what stands in fences or between backticks is shown, and links nowhere. */

const FENCE = /^ {0,3}(`{3,}|~{3,})(.*)$/

const withoutFences = (body: string): ReadonlyArray<string> => {
  const kept: Array<string> = []
  let open: string | undefined
  for (const line of body.split(/\r?\n/)) {
    const [, fence, rest = ""] = FENCE.exec(line) ?? []
    if (open === undefined) {
      // Backticks behind a fence of backticks make it inline code.
      if (fence === undefined || (fence.startsWith("`") && rest.includes("`"))) kept.push(line)
      else open = fence
    } else if (fence?.startsWith(open) === true && rest.trim() === "") open = undefined
  }
  return kept
}

/** For each run of backticks, where the next one of its length is. */
const endsOf = (
  runs: ReadonlyArray<{ readonly index: number; readonly length: number }>
): ReadonlyArray<number | undefined> => {
  const next = new Map<number, number>()
  return runs
    .toReversed()
    .map(({ index, length }) => {
      const end = next.get(length)
      next.set(length, index)
      return end
    })
    .reverse()
}

/** Code in a paragraph runs from some backticks to as many. */
const withoutCode = (paragraph: string): string => {
  if (!paragraph.includes("`")) return paragraph
  const runs = [...paragraph.matchAll(/`+/g)]
  const ends = endsOf(runs.map(({ 0: run, index }) => ({ index, length: run.length })))
  let kept = ""
  let at = 0
  for (const [i, { 0: run, index }] of runs.entries()) {
    const end = ends[i]
    if (index < at || end === undefined) continue
    kept += `${paragraph.slice(at, index)} `
    at = end + run.length
  }
  return kept + paragraph.slice(at)
}

export const proseOf = (body: string): string =>
  withoutFences(body)
    .join("\n")
    .split(/\n[ \t]*\n/)
    .map(withoutCode)
    .join("\n\n")
