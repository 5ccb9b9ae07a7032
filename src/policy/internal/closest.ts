/** How many letters must be added, dropped, changed or swapped to make one word of the other. */
const distance = (a: string, b: string): number => {
  let before: ReadonlyArray<number> = []
  let last: ReadonlyArray<number> = Array.from({ length: b.length + 1 }, (_, j) => j)
  for (let i = 1; i <= a.length; i++) {
    const row = [i]
    for (let j = 1; j <= b.length; j++) {
      const same = a[i - 1] === b[j - 1]
      const swapped = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]
      row.push(
        Math.min(
          (last[j] ?? 0) + 1,
          (row[j - 1] ?? 0) + 1,
          (last[j - 1] ?? 0) + (same ? 0 : 1),
          swapped ? (before[j - 2] ?? 0) + 1 : Number.POSITIVE_INFINITY
        )
      )
    }
    before = last
    last = row
  }
  return last[b.length] ?? 0
}

const LONGEST = 64

/** The word that was meant, if one is near enough to say so. */
export const closest = (word: string, known: Iterable<string>): string | undefined => {
  if (word.length > LONGEST) return undefined
  let best: { readonly name: string; readonly away: number } | undefined
  for (const name of known) {
    const away = distance(word.toLowerCase(), name.toLowerCase())
    if (away <= Math.max(1, Math.floor(name.length / 3)) && away < (best?.away ?? Number.POSITIVE_INFINITY)) {
      best = { name, away }
    }
  }
  return best?.name
}
