/** The similarity of Jaro: 1 for equal words, 0 for words that share no letter near enough to be the same slip. */
const similarity = (a: string, b: string): number => {
  if (a === b) return 1
  const reach = Math.max(0, Math.floor(Math.max(a.length, b.length) / 2) - 1)
  const taken = new Set<number>()
  const matched: Array<string> = []
  for (let i = 0; i < a.length; i++) {
    for (let j = Math.max(0, i - reach); j <= Math.min(b.length - 1, i + reach); j++) {
      if (taken.has(j) || a[i] !== b[j]) continue
      taken.add(j)
      matched.push(a.charAt(i))
      break
    }
  }
  if (matched.length === 0) return 0
  const other = [...taken].sort((x, y) => x - y).map((j) => b[j])
  const displaced = matched.filter((letter, at) => letter !== other[at]).length / 2
  const shared = matched.length
  return (shared / a.length + shared / b.length + (shared - displaced) / shared) / 3
}

const swapped = (a: string, at: number): string =>
  `${a.slice(0, at)}${a[at + 1] ?? ""}${a[at] ?? ""}${a.slice(at + 2)}`

/** Whether one letter is too much, missing, another, or in its neighbour's place: short words have no other likeness. */
const isOneSlip = (a: string, b: string): boolean => {
  if (Math.abs(a.length - b.length) > 1) return false
  let at = 0
  while (at < a.length && a[at] === b[at]) at++
  if (a.length !== b.length) {
    const [long, short] = a.length > b.length ? [a, b] : [b, a]
    return long.slice(at + 1) === short.slice(at)
  }
  return a.slice(at + 1) === b.slice(at + 1) || swapped(a, at) === b
}

const NEAR = 0.8

const LONGEST = 64

/** The word that was meant, if one is near enough to say so. */
export const closest = (word: string, known: Iterable<string>): string | undefined => {
  if (word.length > LONGEST) return undefined
  let best: { readonly name: string; readonly near: number } | undefined
  for (const name of known) {
    const [given, one] = [word.toLowerCase(), name.toLowerCase()]
    const alike = similarity(given, one)
    const near = alike < NEAR && one.length > 2 && isOneSlip(given, one) ? NEAR : alike
    if (near >= NEAR && near > (best?.near ?? 0)) best = { name, near }
  }
  return best?.name
}
