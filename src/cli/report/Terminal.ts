/** Where the program speaks, and how wide and colourful that is. */

export interface Terminal {
  /** A pipe gets plain lines, however long. */
  readonly isTTY: boolean
  readonly columns: number
  readonly bold: (text: string) => string
  readonly dim: (text: string) => string
  readonly red: (text: string) => string
  readonly green: (text: string) => string
  readonly yellow: (text: string) => string
}

export interface Surface {
  readonly isTTY: boolean
  readonly columns: number | undefined
  readonly env: Readonly<Record<string, string | undefined>>
}

/** NO_COLOR wins over FORCE_COLOR, and both over what the stream is. */
const hasColour = ({ env, isTTY }: Surface): boolean => {
  if ((env.NO_COLOR ?? "") !== "") return false
  const forced = env.FORCE_COLOR
  if (forced !== undefined) return forced !== "0" && forced !== "false"
  return isTTY && env.TERM !== "dumb"
}

const NARROWEST = 40
const USUAL = 100

export const terminal = (surface: Surface): Terminal => {
  const colour = hasColour(surface)
  const paint = (code: number) => (text: string) => (colour ? `\u001b[${code}m${text}\u001b[0m` : text)
  return {
    isTTY: surface.isTTY,
    // Whoever reads a pipe breaks lines as it likes. A terminal that does not know its width says 0.
    columns: Math.max(NARROWEST, surface.columns || (surface.isTTY ? USUAL : Number.MAX_SAFE_INTEGER)),
    bold: paint(1),
    dim: paint(2),
    red: paint(31),
    green: paint(32),
    yellow: paint(33)
  }
}

/**
 * Controls and marks of direction would let a value write over what stands around it; what has no width would let it pass
 * for another. What joins letters and pictures stays.
 */
const CONTROL =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: making them visible is the point
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u200b\u200e\u200f\u2028-\u202e\u2060-\u2069\ufeff]/g

export const visible = (text: string): string =>
  text
    .replaceAll("\t", "  ")
    .replace(CONTROL, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`)

const NARROW = /^[\u0020-\u007e]*$/
const JOINED = /^[\p{Mn}\p{Me}\p{Cf}]/u
const WIDE =
  /^(?:[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\u3000-\u303e\uff01-\uff60\uffe0-\uffe6]|\p{Emoji_Presentation}|.+\ufe0f)/u

const segmenter = new Intl.Segmenter(undefined, { granularity: "grapheme" })

/** What a reader takes for one character. */
export const graphemes = (text: string): ReadonlyArray<string> =>
  NARROW.test(text) ? text.split("") : Array.from(segmenter.segment(text), ({ segment }) => segment)

const cells = (grapheme: string): number => (JOINED.test(grapheme) ? 0 : WIDE.test(grapheme) ? 2 : 1)

/** How many cells of a terminal a text takes. */
export const widthOf = (text: string): number =>
  NARROW.test(text) ? text.length : graphemes(text).reduce((sum, one) => sum + cells(one), 0)

/** The longest start of a text that fits. */
export const fitting = (text: string, width: number): string => {
  if (NARROW.test(text)) return text.slice(0, Math.max(0, width))
  let [taken, used] = ["", 0]
  for (const one of graphemes(text)) {
    used += cells(one)
    if (used > width) break
    taken += one
  }
  return taken
}

/** A text filled up with blanks. */
export const padded = (text: string, width: number): string =>
  `${text}${" ".repeat(Math.max(0, width - widthOf(text)))}`

/** One line of at most `width` cells. */
export const cut = (text: string, width: number): string => {
  const line = visible(text).replaceAll("\n", "⏎")
  return widthOf(line) <= width ? line : `${fitting(line, width - 1)}…`
}

/** Where a line may end: at a blank, else after a comma, else anywhere. */
const breakOf = (head: string): number => {
  const blank = head.lastIndexOf(" ")
  if (blank > head.length / 2) return blank
  const comma = head.lastIndexOf(",")
  return comma > head.length / 2 ? comma + 1 : Math.max(1, head.length)
}

/** Lines of at most `width` cells, broken at blanks where there are any. */
export const wrap = (text: string, width: number): ReadonlyArray<string> =>
  visible(text)
    .split("\n")
    .flatMap((line) => {
      const lines: Array<string> = []
      let rest = line
      while (widthOf(rest) > width) {
        const at = breakOf(fitting(rest, width))
        lines.push(rest.slice(0, at))
        rest = rest.slice(at).trimStart()
      }
      return [...lines, rest]
    })
