/** What a reader does not see inside a text, and what breaks one into lines: neither keeps a secret from being found. */

/** As they are in a text, and as they are in UTF-8 that was taken for Latin-1, which is how bytes are searched. */
const characters = [
  // Control characters but for those that make space: UTF-16 that was taken for UTF-8 has one after every letter.
  "[\\u0000-\\u0008\\u000e-\\u001a\\u001c-\\u001f\\u007f]",
  "\\u00c2\\u00ad|\\u00e2\\u0080[\\u008b-\\u008f\\u00aa-\\u00ae]|\\u00e2\\u0081[\\u00a0-\\u00af]|\\u00ef\\u00bb\\u00bf",
  "[\\u00ad\\u034f\\u061c\\u115f\\u1160\\u17b4\\u17b5\\u180b-\\u180f\\u200b-\\u200f\\u202a-\\u202e\\u2060-\\u206f]",
  "[\\u3164\\ufe00-\\ufe0f\\ufeff\\uffa0]",
  "\\udb40[\\udc00-\\udfef]",
  // Colours and the like.
  "\\u001b\\[[0-9;:?]{0,32}[A-Za-z]"
].join("|")

/** With what announces that a line goes on, and with how the next one is indented. */
const lineBreak = "[\\\\=]?[\\r\\n\\v\\f\\u0085\\u2028\\u2029]{1,8}[ \\t]{0,64}"

/** What may stand between two characters of a token: the end of a line, as the source of a pattern. */
export const GAP = `(?:${lineBreak})?`

export const INVISIBLE = new RegExp(`(?:${characters})+`, "g")

export const BREAK = new RegExp(lineBreak, "g")

/** Whether there is anything of a kind; a global pattern remembers where it was. */
export const has = (text: string, pattern: RegExp): boolean => {
  pattern.lastIndex = 0
  const found = pattern.test(text)
  pattern.lastIndex = 0
  return found
}

export const visible = (text: string): string => text.replace(INVISIBLE, "")

export const joined = (text: string): string => visible(text).replace(BREAK, "")
