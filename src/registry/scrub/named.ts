/** Tokens and passwords that are only known by what stands before them, which stays. */
import { BOUNDARY } from "./boundary.js"
import { GAP } from "./invisible.js"
import type { Span } from "./spans.js"

/** What was found: the word before it, the value, and the text that leads up to both. */
type Check = (word: string, value: string, lead: string) => boolean

const always: Check = () => true

/** How much of a text tells what a word means there. */
const LEAD = 40

const isHeader = (lead: string): boolean => /authorization[^A-Za-z0-9]{0,12}$/i.test(lead)

/** Words with numbers after them, as in a path, a host or the name of a draft. */
const isWords = (value: string): boolean => {
  const parts = value.split(/[._~+/-]/)
  return (
    parts.length > 1 &&
    parts.every((part) => /^(?:[A-Za-z]?[a-z]*(?:[A-Z][a-z]+)*|[A-Z]*)[0-9]{0,4}$/.test(part))
  )
}

/** A name and a password, as `Basic` has them. */
const isPair = (value: string): boolean => {
  if (!/^[A-Za-z0-9+/]+={0,2}$/.test(value)) return false
  const bytes = Buffer.from(value, "base64")
  return bytes.includes(":") && bytes.every((byte) => byte >= 0x20 && byte !== 0x7f)
}

/** Prose speaks of basic things and of bearers, in small letters mostly. */
const isCredential: Check = (word, value, lead) => {
  if (isHeader(lead)) return true
  if (/^basic/i.test(word)) return isPair(value)
  return !isWords(value) && (!word.startsWith("b") || /["'`:=][ \t]{0,8}$/.test(lead))
}

/** What a template or a shell puts a password in place of; what stands there otherwise has no value in it. */
const PLACEHOLDER =
  /^(?:\$?\{{1,2}[\w.-]*\}{1,2}|\$[A-Z_][A-Z0-9_]*|\$\([\w.-]*\)|%[A-Z_][A-Z0-9_]*%|%3[Cc][\w.-]*%3[Ee]|\$?(?:%7[Bb]){1,2}[\w.-]*(?:%7[Dd]){1,2})$/

const isPassword: Check = (_word, value) => !PLACEHOLDER.test(value)

const named: ReadonlyArray<readonly [pattern: RegExp, check: Check]> = [
  [
    /\b((?:Bearer|Basic)[ \t]{1,8})(?=[A-Za-z._~+/-]{0,200}[0-9])(?=[0-9._~+/-]{0,200}[A-Za-z])[A-Za-z0-9._~+/-]{20,8192}={0,2}/gi,
    isCredential
  ],
  [
    /(secret[_ -]?(?:access[_ -]?)?key\\{0,3}["']?[ \t]{0,8}(?:[:=]>?|>)[ \t]{0,8}\\{0,3}["']?)[A-Za-z0-9+/]{40}(?![A-Za-z0-9+/=])/gi,
    always
  ],
  [/(\bAccountKey=)[A-Za-z0-9+/]{80,90}={0,2}/gi, always],
  [/(\bhooks\.slack\.com\/(?:services|workflows|triggers)\/)[A-Za-z0-9/]{20,200}/gi, always],
  [/(\bdiscord(?:app)?\.com\/api\/webhooks\/[0-9]{1,24}\/)[A-Za-z0-9_-]{40,120}/gi, always],
  [
    new RegExp(
      `${BOUNDARY}()[0-9](?:${GAP}[0-9]){7,9}${GAP}:${GAP}A${GAP}A(?:${GAP}[A-Za-z0-9_-]){33}(?![A-Za-z0-9_-])`,
      "g"
    ),
    always
  ],
  [
    /(:\/\/[^\s/?#"'<>`:@]{1,128}:)(?=[^\s/?#"'<>`@0-9]{0,256}[0-9])(?=[^\s/?#"'<>`@A-Za-z]{0,256}[A-Za-z])[^\s/?#"'<>`@]{12,256}(?=@)/g,
    isPassword
  ]
]

/** Without one of these none of them is there. */
const HINT =
  /(?:Bearer|Basic)[ \t]|secret[_ -]?(?:access|key)|AccountKey=|hooks\.slack|api\/webhooks|[0-9][\s\\=]{0,72}:[\s\\=]{0,72}A[\s\\=]{0,72}A|:\/\/[^\s/?#"'<>`:@]{1,128}:/i

export const namedIn = (text: string): ReadonlyArray<Span> =>
  HINT.test(text)
    ? named.flatMap(([pattern, check]) =>
        Array.from(text.matchAll(pattern)).flatMap(
          ({ 0: found, 1: kept = "", index }): ReadonlyArray<Span> => {
            const lead = text.slice(Math.max(0, index - LEAD), index)
            return check(kept, found.slice(kept.length), lead)
              ? [[index + kept.length, index + found.length]]
              : []
          }
        )
      )
    : []
