/**
 * How many parts a mail will have once it is parsed: counted before anything is made of them, because each of them costs
 * memory, and a mail has room for millions.
 */

/** As many lines with two dashes are no mail. */
const MAX_DASHED = 1_000_000

/** A header that may say what divides the parts, with the lines that it goes on over, and whether it does not end there. */
const CONTENT_TYPE = /\n[ \t]*content-type[ \t]*:([^\n]*(?:\n[ \t][^\n]*){0,100})(\n[ \t])?/gi

const QUOTED = /"[^"\\\n]*"/g

const BOUNDARY = /boundary\s*=\s*(?:"([^"\\\n]*)"|([^;]*))/gi

/** What is left where a header has comments, escapes, pieces or quotes in odd places: to read it would be to parse. */
const ODD_HEADER = /[(\\"]|boundary\s*\*/i

/** A boundary that a parser may read in another way than it stands there, or that is longer than any. */
const ODD_BOUNDARY = /[^ -~]|"|=\?|^.{200}/

/** The boundaries that a mail declares; nothing when one of them is not written in the way that everybody writes it. */
const boundariesIn = (text: string): ReadonlySet<string> | undefined => {
  const boundaries = new Set<string>()
  for (const [, given = "", goesOn] of text.matchAll(CONTENT_TYPE)) {
    const header = given.replaceAll("\r", "")
    if (goesOn !== undefined || ODD_HEADER.test(header.replace(QUOTED, ""))) return undefined
    for (const [, quoted, bare = ""] of header.matchAll(BOUNDARY)) {
      const boundary = quoted ?? bare.trim()
      if (ODD_BOUNDARY.test(boundary)) return undefined
      boundaries.add(boundary.trimEnd())
    }
  }
  return boundaries
}

/** How many lines begin a part. Where it is not clear what divides the parts, every line with two dashes does. */
export const partsIn = (raw: Buffer): number => {
  const text = `\n${raw.toString("latin1")}`
  const boundaries = boundariesIn(text)
  let [dashed, parts] = [0, 0]
  for (let at = text.indexOf("\n--"); at >= 0; at = text.indexOf("\n--", at + 3)) {
    dashed++
    if (dashed > MAX_DASHED) return dashed
    const [line = ""] = /^[^\r\n]{0,204}/.exec(text.slice(at + 3, at + 207)) ?? []
    if (boundaries?.has(line.trimEnd()) === true) parts++
  }
  return boundaries === undefined ? dashed : parts
}

/** As many as a mail of 40 MiB has whose lines are as long as everybody makes them: a line costs memory too. */
export const MAX_LINES = 700_000

export const hasTooManyLines = (raw: Buffer): boolean => {
  let lines = 0
  for (let at = raw.indexOf(10); at >= 0; at = raw.indexOf(10, at + 1)) if (++lines > MAX_LINES) return true
  return false
}
