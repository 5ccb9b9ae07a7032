/** What some file systems take for the same name: the case of letters, and characters that are not seen. */
export const fold = (name: string): string => {
  const lower = name.toLowerCase()
  return FOLDED.test(lower) ? lower : lower.normalize("NFC").replace(UNSEEN, "").toUpperCase().toLowerCase()
}

const FOLDED = /^[ -@[-~]*$/
const UNSEEN = /\p{Default_Ignorable_Code_Point}/gu

const isFolded = (name: string): boolean => FOLDED.test(name)

export const foldAll = (segments: ReadonlyArray<string>): ReadonlyArray<string> =>
  segments.every(isFolded) ? segments : segments.map(fold)
