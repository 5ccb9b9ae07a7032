/**
 * Where well-known tokens stand in a text, whoever it comes from. No pattern looks further ahead than it is long, or starts
 * again within what it has read: they take linear time on any text. Line breaks inside of a token do not hide it.
 */
import { BOUNDARY } from "./boundary.js"
import { BREAK, GAP } from "./invisible.js"
import { jwtAt } from "./jwt.js"
import { namedIn } from "./named.js"
import { privateKeysIn } from "./privateKeys.js"
import { formsOf, merged, type Span } from "./spans.js"
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

interface Shape {
  readonly pattern: RegExp
  /** Whether it is capitals and no more: a list of words is that too, once its lines are joined. */
  readonly isWordLike: boolean
}

/** By their first letter. */
const shapes = new Map<string, Array<Shape>>()
for (const token of tokens) {
  const first = token.prefix.charAt(0)
  const shape = { pattern: patternOf(token), isWordLike: /^[A-Z]+$/.test(token.prefix) }
  shapes.set(first, [...(shapes.get(first) ?? []), shape])
}

/** A token is broken where it does not fit, which is once or twice. */
const MOST_BREAKS = 2

const isList = (found: string): boolean => {
  const breaks = found.match(BREAK)?.length ?? 0
  return breaks > MOST_BREAKS || (breaks > 0 && !/[0-9]/.test(found))
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

const PREFIXES = [...tokens.map(({ prefix }) => prefix), JWT]

const FIRST = [...new Set(PREFIXES.map((prefix) => prefix.charAt(0)))].join("")

/** Where a token may begin. This is all that most texts are read with. */
const START = new RegExp(`(?=[${FIRST}])${BOUNDARY}${beginning(PREFIXES, 3)}`, "g")

const endOf = (text: string, at: number): number => {
  for (const { isWordLike, pattern } of shapes.get(text.charAt(at)) ?? []) {
    pattern.lastIndex = at
    if (!pattern.test(text)) continue
    if (!isWordLike || !isList(text.slice(at, pattern.lastIndex))) return pattern.lastIndex
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

/** Also what is broken or hidden by an escape: a break in JSON is a backslash and a letter. */
export const tokensIn = (text: string): ReadonlyArray<Span> => {
  const spans = formsOf(text).flatMap((form) => [
    ...[...beginningIn(form.text), ...namedIn(form.text)].map(([start, end]) => form.source(start, end)),
    ...privateKeysIn(form)
  ])
  return spans.length === 0 ? spans : merged(spans)
}

/** What may be one, and may be something else: a log can do without either. */
export const guesses: ReadonlyArray<readonly [pattern: RegExp, replacement: string]> = [
  // A block that is cut off is a key too, up to the end of the text.
  [
    /-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----(?:[\s\S]*?-----END [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----|[\s\S]*)/g,
    "[redacted]"
  ],
  [/\b((?:Bearer|Basic)[ \t]{1,8})(?!\[redacted\])[A-Za-z0-9._~+/-]{8,8192}={0,2}/gi, "$1[redacted]"],
  [/(:\/\/)[^\s/?#"'<>`]{1,1024}@/g, "$1[redacted]@"],
  // It means nothing, and whoever reads the log need not know that.
  [/bw_sealed_[0-9a-f]{1,40}/g, "[sealed]"]
]
