/** What a server says, in a sentence of ours: bounded, marked as its words, and without what a reader would not see. */
import { seen } from "../../policy/text/Quote.js"

const LONGEST = 600

const cut = (text: string, longest: number): string =>
  text.length <= longest ? text : `${text.slice(0, longest)}…`

/** `the server says: '…'`, or nothing where it said nothing. */
export const quoted = (text: string): string => {
  const words = seen(cut(text.trim(), LONGEST))
  return words === "" ? "it said nothing" : `the server says: '${words}'`
}
