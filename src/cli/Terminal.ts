/** Where the program speaks, and how wide and colourful that is. */

export interface Terminal {
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
    columns: Math.max(NARROWEST, surface.columns ?? USUAL),
    bold: paint(1),
    dim: paint(2),
    red: paint(31),
    green: paint(32),
    yellow: paint(33)
  }
}

/** Controls and marks of direction would let a value write over what stands around it. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: making them visible is the point
const CONTROL = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u200e\u200f\u2028-\u202e\u2066-\u2069]/g

export const visible = (text: string): string =>
  text
    .replaceAll("\t", "  ")
    .replace(CONTROL, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`)

/** One line of at most `width` characters. */
export const cut = (text: string, width: number): string => {
  const characters = [...visible(text).replaceAll("\n", "⏎")]
  return characters.length <= width
    ? characters.join("")
    : `${characters.slice(0, Math.max(1, width - 1)).join("")}…`
}

/** Lines of at most `width` characters, broken at blanks where there are any. */
export const wrap = (text: string, width: number): ReadonlyArray<string> =>
  visible(text)
    .split("\n")
    .flatMap((line) => {
      const lines: Array<string> = []
      let rest = line
      while ([...rest].length > width) {
        const head = [...rest].slice(0, width).join("")
        const blank = head.lastIndexOf(" ")
        const at = blank > width / 2 ? blank : head.length
        lines.push(rest.slice(0, at))
        rest = rest.slice(at).trimStart()
      }
      return [...lines, rest]
    })
