/** Where a text may end with the beginning of a secret, in any of the forms that secrets are sought in. */
import { base64Form, digitsForm, type Form, formOfForms, joinedForm } from "./forms.js"
import { bordersOf, type Needle, type Needles } from "./needles.js"
import { formsOf } from "./spans.js"

/** An escape of a URL, of JSON or of HTML, or a character that is not seen, which is not whole yet. */
const UNFINISHED = new RegExp(
  [
    // In UTF-8 that was taken for Latin-1, and colours of a terminal.
    "\\u00e2[\\u0080\\u0081]?|\\u00c2|\\u00ef\\u00bb?|\\u001b(?:\\[[0-9;:?]{0,32})?",
    "%[c-f][0-9a-f](?:%[89ab][0-9a-f]){0,2}(?:%[0-9a-f]?)?|%[0-9a-f]?",
    "\\\\(?:u[0-9a-f]{0,3}|x[0-9a-f]?)?",
    "&(?:#x?[0-9a-f]{0,11}|[a-z]{0,14})"
  ]
    .map((one) => `(?:${one})$`)
    .join("|"),
  "i"
)

/** The end of a line, of which nobody knows how the next one goes on. */
const LINE_END = /[\\=]?[\r\n\v\f]+[ \t]{0,64}$|[\\=]$/

const known = new WeakMap<Needle, Int32Array>()

/** As Knuth, Morris and Pratt: a secret may be as long as a file. */
const bordersOfNeedle = (needle: Needle): Int32Array => {
  const found = known.get(needle) ?? bordersOf(needle.text)
  known.set(needle, found)
  return found
}

/** Where the longest end of a text begins that a needle begins with, and does not end with; its length, where none does. */
const startOf = (text: string, needle: Needle): number => {
  const { text: sought } = needle
  const borders = bordersOfNeedle(needle)
  let matched = 0
  for (let at = Math.max(0, text.length - sought.length + 1); at < text.length; at++) {
    while (matched > 0 && text[at] !== sought[matched]) matched = borders[matched] ?? 0
    if (text[at] === sought[matched]) matched += 1
  }
  return text.length - matched
}

const cut = (form: Form, pattern: RegExp): Form => {
  const at = form.text.search(pattern)
  return at < 0 ? form : { ...form, text: form.text.slice(0, at) }
}

/**
 * The first character that must not be handed on yet; the length of the text, where all of it may be. `byLine`: the end of a
 * line is the end of what may be a secret.
 */
export const begunIn = (text: string, needles: Needles, byLine: boolean): number => {
  const line = byLine ? text.lastIndexOf("\n") + 1 : 0
  return line + begunInLines(text.slice(line), needles, byLine)
}

const begunInLines = (text: string, needles: Needles, byLine: boolean): number => {
  let begun = text.length
  const seek = (form: Form, sought: ReadonlyArray<Needle>) => {
    for (const one of sought) {
      const at = startOf(form.text, one)
      if (at < form.text.length) begun = Math.min(begun, form.source(at, form.text.length)[0])
    }
  }
  for (const whole of formsOf(text)) {
    const form = cut(whole, UNFINISHED)
    // An escape that is cut off may be the first letter of a secret, or the next one of what stands before it.
    if (form !== whole) begun = Math.min(begun, whole.source(form.text.length, whole.text.length)[0])
    const ended = byLine ? form : cut(form, LINE_END)
    seek(form, needles.plain)
    const joined = joinedForm(ended) ?? ended
    if (!byLine) seek(joined, needles.joined)
    if (needles.spaced.length > 0) seek(formOfForms(form), needles.spaced)
    seek(base64Form(ended), needles.base64)
    seek(digitsForm(ended), needles.hex)
  }
  return begun
}
