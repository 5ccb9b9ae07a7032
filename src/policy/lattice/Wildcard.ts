/**
 * One segment's pattern: literal characters, `?` for one character and `*` for any run of them. A run of
 * wildcards is kept as its `?`s followed by at most one `*`, so that patterns with one meaning have one form.
 */

const canonicalRun = (run: string): string => {
  const singles = run.replaceAll("*", "")
  return run === singles ? singles : `${singles}*`
}

export const canonical = (pattern: string): string => pattern.replace(/[*?]+/g, canonicalRun)

export const isWild = (text: string): boolean => text.includes("*") || text.includes("?")

/** Characters, not UTF-16 units: `?` stands for one emoji as it stands for one letter. */
export const characters = (text: string): ReadonlyArray<string> => Array.from(text)

/** Greedy with one point of return: the last `*` seen. Linear in practice, quadratic at worst. */
export const matches = (pattern: ReadonlyArray<string>, text: ReadonlyArray<string>): boolean => {
  let p = 0
  let t = 0
  let star = -1
  let resume = 0
  while (t < text.length) {
    const unit = pattern[p]
    if (unit === "*") {
      star = p++
      resume = t
    } else if (unit !== undefined && (unit === "?" || unit === text[t])) {
      p++
      t++
    } else if (star >= 0) {
      p = star + 1
      t = ++resume
    } else {
      return false
    }
  }
  while (pattern[p] === "*") p++
  return p === pattern.length
}
