/** Where secrets stand in a text. */
import { base64Form, type Form, formOfForms, hexForm, joinedForm, plainForms, visibleForm } from "./forms.js"
import type { Base64Needle, Needle, Needles } from "./needles.js"

export type Span = readonly [start: number, end: number]

/** Those that overlap as closely as they can are one run, which is followed to its end: it takes linear time. */
const each = (
  text: string,
  { period, text: sought }: Needle,
  found: (start: number, end: number) => void
): void => {
  for (let start = text.indexOf(sought); start !== -1; ) {
    const first = start + sought.length
    let end = first
    while (end < text.length && text[end] === text[end - period]) end += 1
    const last = first + Math.floor((end - first) / period) * period
    found(start, last)
    start = text.indexOf(sought, last - sought.length + 1)
  }
}

const isDigit = (text: string, place: number): boolean => /^[A-Za-z0-9+/]$/.test(text.charAt(place))

/** With the characters around it that are partly the secret's, and the padding. */
const widened = (text: string, { after, before }: Base64Needle, start: number, end: number): Span => {
  const from = before && isDigit(text, start - 1) ? start - 1 : start
  if (!after || !isDigit(text, end)) return [from, end]
  let to = end + 1
  while (to < end + 3 && text.charAt(to) === "=") to += 1
  return [from, to]
}

/** In order, and none within another. */
export const merged = (spans: ReadonlyArray<Span>): ReadonlyArray<Span> => {
  const out: Array<[number, number]> = []
  for (const [start, end] of [...spans].sort((a, b) => a[0] - b[0])) {
    const last = out.at(-1)
    if (last !== undefined && start < last[1]) last[1] = Math.max(last[1], end)
    else out.push([start, end])
  }
  return out
}

/** Each form as it is, and without what is not seen. */
export const formsOf = (text: string): ReadonlyArray<Form> =>
  plainForms(text).flatMap((form) => {
    const seen = visibleForm(form)
    return seen === form ? [form] : [form, seen]
  })

export const spansIn = (text: string, needles: Needles): ReadonlyArray<Span> => {
  const spans: Array<Span> = []
  const search = (form: Form, sought: ReadonlyArray<Needle>) => {
    for (const one of sought) each(form.text, one, (start, end) => spans.push(form.source(start, end)))
  }
  for (const form of formsOf(text)) {
    search(form, needles.plain)
    const joined = joinedForm(form)
    if (joined !== undefined) search(joined, needles.joined)
    if (needles.spaced.length > 0) search(formOfForms(form), needles.spaced)
    const base64 = base64Form(form)
    for (const one of needles.base64) {
      each(base64.text, one, (start, end) =>
        spans.push(base64.source(...widened(base64.text, one, start, end)))
      )
    }
    const hex = hexForm(form)
    if (hex !== undefined) search(hex, needles.hex)
  }
  return spans
}
