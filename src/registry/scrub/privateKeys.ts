/** Private keys in PEM and in the armour of OpenPGP. A text that only speaks of their markers holds none. */
import { type Form, joinedForm } from "./forms.js"
import { joined } from "./invisible.js"
import type { Span } from "./spans.js"

/** The end of a line may stand for a blank of a marker. */
const BEGIN = /-----BEGIN[A-Z0-9 ]{0,41}PRIVATE ?KEY(?: ?BLOCK)?-----/g
const END = /^-----END[A-Z0-9 ]{0,41}PRIVATE ?KEY(?: ?BLOCK)?-----/

/** No word is as long as this, and no line of a key is shorter, once its lines are joined. */
const KEY = /[A-Za-z0-9+/]{40}/

/** What a key that is cut off is made of: base64, line breaks as they are or escaped, and the names of its headers. */
const BODY = /^(?:[A-Za-z0-9+/=\s\\]|[A-Za-z-]{1,40}: [^\r\n\\]{1,80}|[^\u0020-\u007e])*/

const END_LENGTH = 80

const isKey = (body: string): boolean => KEY.test(joined(body.replace(/(?:\\r)?\\n/g, "\n")))

const keysIn = ({ source, text }: Form, mustEnd: boolean): ReadonlyArray<Span> => {
  if (!/PRIVATE ?KEY/.test(text)) return []
  const spans: Array<Span> = []
  for (const { 0: marker, index } of text.matchAll(BEGIN)) {
    const from = index + marker.length
    const dashes = text.indexOf("-----", from)
    const rest = text.slice(from, dashes === -1 ? text.length : dashes)
    if (!isKey(rest)) continue
    const end = dashes === -1 ? undefined : END.exec(text.slice(dashes, dashes + END_LENGTH))?.[0]
    if (end !== undefined) spans.push(source(index, dashes + end.length))
    else if (!mustEnd) spans.push(source(index, from + (BODY.exec(rest)?.[0].trimEnd().length ?? 0)))
  }
  return spans
}

/** Also those whose markers go over the end of a line. There a list of words would look like a key that is cut off. */
export const privateKeysIn = (form: Form): ReadonlyArray<Span> => {
  if (!form.text.includes("---")) return []
  const spans = keysIn(form, false)
  const joined = spans.length === 0 ? joinedForm(form) : undefined
  return joined === undefined ? spans : keysIn(joined, true)
}
