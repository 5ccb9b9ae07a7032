/** A text in another form that is easier to search, and where each part of it came from. */
import { BREAK, has, INVISIBLE } from "./invisible.js"

export interface Form {
  readonly text: string
  /** The part of the first text that a part of this one stands for. */
  readonly source: (start: number, end: number) => readonly [start: number, end: number]
}

const whole = (text: string): Form => ({ text, source: (start, end) => [start, end] })

/** The same length, so the same places. */
const respelled = (form: Form, text: string): Form => (text === form.text ? form : { ...form, text })

interface Places {
  /** For each match: where it begins and ends in the old text, and in the new one. */
  readonly from: ReadonlyArray<number>
  readonly to: ReadonlyArray<number>
  readonly newFrom: ReadonlyArray<number>
  readonly newTo: ReadonlyArray<number>
}

const placesOf = (text: string, pattern: RegExp, replace: (match: string) => string): Places => {
  const [from, to, newFrom, newTo]: [Array<number>, Array<number>, Array<number>, Array<number>] = [
    [],
    [],
    [],
    []
  ]
  let shift = 0
  for (const { 0: match, index } of text.matchAll(pattern)) {
    const { length } = replace(match)
    from.push(index)
    to.push(index + match.length)
    newFrom.push(index + shift)
    newTo.push(index + shift + length)
    shift += length - match.length
  }
  return { from, to, newFrom, newTo }
}

/** The last match that begins before this place. */
const before = ({ newFrom }: Places, place: number): number => {
  let low = 0
  let high = newFrom.length
  while (low < high) {
    const middle = (low + high) >> 1
    if ((newFrom[middle] ?? 0) < place) low = middle + 1
    else high = middle
  }
  return low - 1
}

/** Every match of a pattern replaced; a part of what was replaced stands for all of it. */
const rewritten = (form: Form, pattern: RegExp, replace: (match: string) => string): Form => {
  const text = form.text.replace(pattern, replace)
  if (text === form.text) return form
  // Mostly nothing is found, and nobody asks where it came from.
  let places: Places | undefined
  const old = (known: Places, place: number, match: number, inside: ReadonlyArray<number>): number => {
    const end = known.newTo[match] ?? 0
    return place < end ? (inside[match] ?? 0) : (known.to[match] ?? 0) + place - end
  }
  return {
    text,
    source: (start, end) => {
      places ??= placesOf(form.text, pattern, replace)
      return form.source(
        old(places, start, before(places, start + 1), places.from),
        old(places, end, before(places, end), places.to)
      )
    }
  }
}

const ESCAPES =
  /%[0-7][0-9a-f]|%[cd][0-9a-f]%[89ab][0-9a-f]|%e[0-9a-f](?:%[89ab][0-9a-f]){2}|%f[0-7](?:%[89ab][0-9a-f]){3}|\\(?:u[0-9a-f]{4}|x[0-9a-f]{2}|["'\\/bfnrt])|&(?:amp|lt|gt|quot|apos|shy|zwn?j|ZeroWidthSpace|#0{0,4}[1-9]\d{0,6}|#x0{0,4}[1-9a-f][0-9a-f]{0,5});/gi

const named: ReadonlyMap<string, string> = new Map([
  ["amp", "&"],
  ["lt", "<"],
  ["gt", ">"],
  ["quot", '"'],
  ["apos", "'"],
  ["shy", ""],
  ["zwj", ""],
  ["zwnj", ""],
  ["zerowidthspace", ""],
  ["b", "\b"],
  ["f", "\f"],
  ["n", "\n"],
  ["r", "\r"],
  ["t", "\t"]
])

const ofCode = (code: number): string => (code <= 0x10ffff ? String.fromCodePoint(code) : "")

const unescaped = (escape: string): string => {
  const body = escape.slice(1)
  if (escape.startsWith("%")) {
    try {
      return decodeURIComponent(escape)
    } catch {
      return escape
    }
  }
  if (escape.startsWith("&")) {
    const name = body.slice(0, -1).toLowerCase()
    if (!name.startsWith("#")) return named.get(name) ?? escape
    return ofCode(
      name.startsWith("#x") ? Number.parseInt(name.slice(2), 16) : Number.parseInt(name.slice(1), 10)
    )
  }
  return /^[ux]./i.test(body) ? ofCode(Number.parseInt(body.slice(1), 16)) : (named.get(body) ?? body)
}

/** JSON within JSON within a URL is as deep as it gets. */
const DEPTH = 3

/** A text as it is, and with the escapes of URLs, JSON and HTML undone, once and again. */
export const plainForms = (text: string): ReadonlyArray<Form> => {
  const forms = [whole(text)]
  let form = forms[0] ?? whole(text)
  for (let depth = 0; depth < DEPTH; depth++) {
    const next = rewritten(form, ESCAPES, unescaped)
    if (next === form) break
    forms.push(next)
    form = next
  }
  return forms
}

/** Without what is not seen; the same form, if there is nothing of it. */
export const visibleForm = (form: Form): Form =>
  has(form.text, INVISIBLE) ? rewritten(form, INVISIBLE, () => "") : form

/** With its lines joined; nothing, if it is one line. */
export const joinedForm = (form: Form): Form | undefined =>
  has(form.text, BREAK) ? rewritten(form, BREAK, () => "") : undefined

/** With plus signs as the spaces that they are in a form. */
export const formOfForms = (form: Form): Form => respelled(form, form.text.replaceAll("+", " "))

const BROKEN = /[\w+/=-][\r\n]+[ \t]*[\w+/=-]/

/** In one alphabet, and with broken lines joined. */
export const base64Form = (form: Form): Form => {
  const one = respelled(form, form.text.replaceAll("-", "+").replaceAll("_", "/"))
  return BROKEN.test(one.text) ? rewritten(one, /[\r\n]+[ \t]*/g, () => "") : one
}

const HEX = /(?:[0-9a-f]{2}[\s:]{0,2}){4}/i

/** In lower case, without what stands between bytes; nothing, if there is nothing like it. */
export const hexForm = (form: Form): Form | undefined => {
  if (!HEX.test(form.text)) return undefined
  const lower = respelled(
    form,
    form.text.replace(/[A-F]+/g, (digits) => digits.toLowerCase())
  )
  return /[0-9a-f]{2}[\s:]{1,2}[0-9a-f]{2}/.test(lower.text) ? rewritten(lower, /[\s:]+/g, () => "") : lower
}

/** In lower case, and without whatever may stand between bytes, for an end of which nobody knows how it goes on. */
export const digitsForm = (form: Form): Form =>
  rewritten(
    respelled(
      form,
      form.text.replace(/[A-F]+/g, (digits) => digits.toLowerCase())
    ),
    /[\s:]+/g,
    () => ""
  )
