/**
 * Where well-known tokens stand in a text, whoever it comes from. No pattern looks further ahead than it is long, or starts
 * again within what it has read: they take linear time on any text. Line breaks inside of a token do not hide it.
 */
import { visibleForm, whole } from "./forms.js"
import { GAP } from "./invisible.js"
import { jwtAt } from "./jwt.js"
import { privateKeysIn } from "./privateKeys.js"
import { merged, type Span } from "./spans.js"
import { type Token, tokens } from "./tokens.js"

const literal = (char: string): string => (/[.+]/.test(char) ? `\\${char}` : char)

/** How far it may be to what makes a text look random. */
const FAR = 40

/**
 * A digit, or a capital after a small letter: what people write in place of a token has neither. It is sought in what will
 * be taken, and not on the next line.
 */
const isRandom = (body: string, least: number): string =>
  `(?=(?:${GAP}${body}){0,${least - 1}}?${GAP}(?:[0-9]|[a-z]${GAP}[A-Z])|${body}{0,${FAR}}?(?:[0-9]|[a-z][A-Z]))`

/** A line may end within what a token has at least: past that, it would be the next line's beginning. */
const patternOf = ({ body, least, most, prefix }: Token): RegExp => {
  const first = [...prefix].map(literal).join(GAP)
  const enough = `(?:${GAP}${body}){${least}}`
  return new RegExp(
    most === least
      ? `${first}${enough}(?!${body})`
      : `${first}${isRandom(body, least)}${enough}${body}{0,${most - least}}`,
    "y"
  )
}

const JWT = "eyJ"

/** By their first letter. */
const patterns = new Map<string, Array<RegExp>>()
for (const token of tokens) {
  const first = token.prefix.charAt(0)
  patterns.set(first, [...(patterns.get(first) ?? []), patternOf(token)])
}

/** The first letters of prefixes as one pattern, each letter written once. A blank more in between does no harm here. */
const beginning = (prefixes: ReadonlyArray<string>, depth: number): string => {
  if (depth === 0 || prefixes.includes("")) return ""
  const rests = new Map<string, Array<string>>()
  for (const prefix of prefixes) {
    rests.set(prefix.charAt(0), [...(rests.get(prefix.charAt(0)) ?? []), prefix.slice(1)])
  }
  const all = [...rests].map(([first, rest]) => {
    const next = beginning(rest, depth - 1)
    return next === "" ? literal(first) : `${literal(first)}[\\s\\\\=]{0,72}${next}`
  })
  return all.length === 1 ? (all[0] ?? "") : `(?:${all.join("|")})`
}

/** Where a token may begin. This is all that most texts are read with. */
const START = new RegExp(
  `(?<![A-Za-z0-9_-])${beginning([...tokens.map(({ prefix }) => prefix), JWT], 3)}`,
  "g"
)

const endOf = (text: string, at: number): number => {
  for (const pattern of patterns.get(text.charAt(at)) ?? []) {
    pattern.lastIndex = at
    if (pattern.test(text)) return pattern.lastIndex
  }
  return -1
}

const beginningIn = (text: string): ReadonlyArray<Span> => {
  const spans: Array<Span> = []
  START.lastIndex = 0
  let noneBefore = 0
  for (let found = START.exec(text); found !== null; found = START.exec(text)) {
    const { index } = found
    const end = endOf(text, index)
    if (end !== -1) spans.push([index, end])
    else if (text.charAt(index) === "e" && index >= noneBefore) {
      const jwt = jwtAt(text, index)
      if (typeof jwt === "number") noneBefore = jwt
      else spans.push(jwt)
    }
    START.lastIndex = Math.max(index + 1, spans.at(-1)?.[1] ?? 0)
  }
  return spans
}

/** What is only known by what stands before it, which stays. */
const named: ReadonlyArray<RegExp> = [
  /\b((?:Bearer|Basic)[ \t]{1,8})(?=[A-Za-z._~+/-]{0,200}[0-9])(?=[0-9._~+/-]{0,200}[A-Za-z])[A-Za-z0-9._~+/-]{20,8192}={0,2}/gi,
  /(\baws_?secret_?(?:access_?)?key["']?[ \t]{0,8}[:=][ \t]{0,8}["']?)[A-Za-z0-9+/]{40}(?![A-Za-z0-9+/=])/gi,
  /(\bAccountKey=)[A-Za-z0-9+/]{80,90}={0,2}/gi,
  /(\bhooks\.slack\.com\/(?:services|workflows|triggers)\/)[A-Za-z0-9/]{20,200}/gi,
  /(\bdiscord(?:app)?\.com\/api\/webhooks\/[0-9]{1,24}\/)[A-Za-z0-9_-]{40,120}/gi,
  new RegExp(
    `(?<![A-Za-z0-9_-])()(?:${GAP}[0-9]){8,10}${GAP}:${GAP}A${GAP}A(?:${GAP}[A-Za-z0-9_-]){33}(?![A-Za-z0-9_-])`,
    "g"
  ),
  /(:\/\/[^\s/?#"'<>`:@]{1,128}:)(?=[^\s/?#"'<>`@0-9]{0,256}[0-9])(?=[^\s/?#"'<>`@A-Za-z]{0,256}[A-Za-z])[^\s/?#"'<>`@]{12,256}(?=@)/g
]

/** Without one of these none of them is there. */
const HINT =
  /(?:Bearer|Basic)[ \t]|aws_?secret|AccountKey=|hooks\.slack|api\/webhooks|[0-9][\s\\=]{0,72}:[\s\\=]{0,72}A[\s\\=]{0,72}A|:\/\/[^\s/?#"'<>`:@]{1,128}:/i

const namedIn = (text: string): ReadonlyArray<Span> =>
  HINT.test(text)
    ? named.flatMap((pattern) =>
        Array.from(
          text.matchAll(pattern),
          ({ 0: found, 1: kept = "", index }): Span => [index + kept.length, index + found.length]
        )
      )
    : []

export const tokensIn = (text: string): ReadonlyArray<Span> => {
  const form = visibleForm(whole(text))
  const spans = [...beginningIn(form.text), ...namedIn(form.text)].map(([start, end]) =>
    form.source(start, end)
  )
  const keys = privateKeysIn(form)
  return spans.length + keys.length === 0 ? spans : merged([...spans, ...keys])
}

/** What may be one, and may be something else: a log can do without either. */
export const guesses: ReadonlyArray<readonly [pattern: RegExp, replacement: string]> = [
  // A block that is cut off is a key too, up to the end of the text.
  [
    /-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----(?:[\s\S]*?-----END [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----|[\s\S]*)/g,
    "[redacted]"
  ],
  [/\b((?:Bearer|Basic)[ \t]{1,8})(?!\[redacted\])[A-Za-z0-9._~+/-]{8,8192}={0,2}/gi, "$1[redacted]"],
  [/(:\/\/)[^\s/?#"'<>`]{1,1024}@/g, "$1[redacted]@"]
]
