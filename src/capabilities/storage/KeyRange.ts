/** Keys that begin alike, as a range, for stores that have them in the order of UTF-8. */
const LAST = 0x10ffff
const BEFORE_SURROGATES = 0xd7ff
const AFTER_SURROGATES = 0xe000

/** The first text after all that begin with this one, in the order of UTF-8; none after the last. */
export const endOf = (prefix: string): string | undefined => {
  const points = Array.from(prefix, (character) => character.codePointAt(0) ?? 0)
  while (points.length > 0) {
    const last = points.pop()
    if (last === undefined || last === LAST) continue
    const next = last === BEFORE_SURROGATES ? AFTER_SURROGATES : last + 1
    return String.fromCodePoint(...points, next)
  }
  return undefined
}
