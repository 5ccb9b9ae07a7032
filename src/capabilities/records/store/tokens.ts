/**
 * The words of a text, folded: without case, diacritics and compatibility forms. Scripts that are written without
 * spaces give one word for each character.
 */

/** What is longer is no word that anybody types; the start of it will do. */
const LONGEST = 64

const ASCII_WORD = /[a-z0-9]+/g

const WORD =
  /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}]|(?:(?![\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}])[\p{L}\p{N}\p{M}])+/gu

const DIACRITICS = /[\u0300-\u036f\u1ab0-\u1aff\u1dc0-\u1dff\u20d0-\u20ff\ufe20-\ufe2f]/g

// biome-ignore lint/suspicious/noControlCharactersInRegex: all of ASCII, and that is where it starts
const ASCII = /^[\u0000-\u007f]*$/

export const wordsOf = (text: string): ReadonlyArray<string> => {
  const found = ASCII.test(text)
    ? text.toLowerCase().match(ASCII_WORD)
    : text.normalize("NFKD").toLowerCase().replace(DIACRITICS, "").normalize("NFC").match(WORD)
  if (found === null) return []
  for (const [i, word] of found.entries()) if (word.length > LONGEST) found[i] = word.slice(0, LONGEST)
  return found
}
