/** Controls, line separators and marks of direction: what is granted or asked for needs none, and they forge text. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: refusing them is the point
const CONTROL = /[\u0000-\u001f\u007f-\u009f\u200e\u200f\u2028-\u202e\u2066-\u2069]/

export const hasControl = (text: string): boolean => CONTROL.test(text)

/** What a reader would not see in a message. */
const UNSEEN = new RegExp(
  `${CONTROL.source}|[\\p{Default_Ignorable_Code_Point}\\p{Cs}\\p{Co}\\u2800\\ufff9-\\ufffb]`,
  "gu"
)

const escaped = (character: string): string => {
  const code = (character.codePointAt(0) ?? 0).toString(16)
  return code.length > 4 ? `\\u{${code}}` : `\\u${code.padStart(4, "0")}`
}

/** Whole, with what would not be seen written out. */
export const seen = (text: string): string => text.replace(UNSEEN, escaped)

/** For messages: what was asked is shown, but never breaks the line that shows it. */
export const shown = (text: string): string => seen(text.length > 200 ? `${text.slice(0, 200)}…` : text)

export const quote = (text: string): string => `'${shown(text)}'`

/** How long a pattern, a path or an id may be; what is longer is refused before it costs anything. */
export const MAX_LENGTH = 4096

/** How many segments or words a pattern may have. */
export const MAX_SEGMENTS = 256

/**
 * One word for a shell, whatever it holds: what is shown may be pasted.
 *
 * @since 0.1.0
 * @category rendering
 */
export const shellQuoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`

/**
 * The same, without quotes where none are needed.
 *
 * @since 0.1.0
 * @category rendering
 */
export const shellWord = (text: string): string => (/^[\w./@-]+$/.test(text) ? text : shellQuoted(text))
