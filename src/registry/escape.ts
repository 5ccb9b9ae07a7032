/** Text inside markup, so that no reader takes it for markup, and none is led astray by what cannot be seen. */

const entities: ReadonlyMap<string, string> = new Map([
  ["&", "&amp;"],
  ["<", "&lt;"],
  [">", "&gt;"],
  ['"', "&quot;"]
])

const entityOf = (character: string): string =>
  entities.get(character) ?? `&#x${(character.codePointAt(0) ?? 0).toString(16).toUpperCase()};`

/** Control and format characters, lone surrogates, separators other than a blank, and what is drawn as nothing. */
const IN_ATTRIBUTE = /[&<>"'`\p{C}\p{Zl}\p{Zp}\p{DI}]|(?! )\p{Zs}/gu

/** Of these, what text is not full of: without a `<` there is no tag. */
const IN_TEXT = /[&<]|(?![\t\n\r])[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\p{DI}]/gu

export const escapeAttribute = (value: string): string => value.replace(IN_ATTRIBUTE, entityOf)

export const escapeText = (text: string): string => text.replace(IN_TEXT, entityOf)
