/** Escapes and colours end with a letter or a digit, and yet no word goes on there. */
const ESCAPED = [
  "%[0-9A-Fa-f]{2}",
  "=[0-9A-F]{2}",
  "\\\\(?:[abefnrtv]|[0-7]{3}|x[0-9A-Fa-f]{2}|u[0-9A-Fa-f]{4})",
  "\\u001b\\[[0-9;:?]{0,32}[A-Za-z]",
  "\\[[0-9;:?]{1,32}[A-Za-z]"
].join("|")

/** Where a token may begin, as the source of a pattern: no word goes before it. It looks back no further than a colour is long. */
export const BOUNDARY = `(?:(?<![A-Za-z0-9_-])|(?<=${ESCAPED}))`
