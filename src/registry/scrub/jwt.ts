/** Tokens of three parts, the first two of them JSON in base64. */
import { GAP } from "./invisible.js"
import type { Span } from "./spans.js"

const PART = new RegExp(`(?:${GAP}[A-Za-z0-9_-])+`, "y")
const DOT = new RegExp(`${GAP}\\.`, "y")
const JSON_PART = new RegExp(`${GAP}e${GAP}y${GAP}J`, "y")
const SIGNATURE = new RegExp(`${GAP}[A-Za-z0-9_-]{0,8192}`, "y")

const SHORTEST = 8

const endOf = (pattern: RegExp, text: string, at: number): number => {
  pattern.lastIndex = at
  return pattern.test(text) ? pattern.lastIndex : -1
}

const isLong = (text: string, from: number, to: number): boolean =>
  text.slice(from, to).replace(/\s/g, "").length >= SHORTEST

const isBroken = (text: string, from: number, to: number): boolean =>
  /[^A-Za-z0-9_.-]/.test(text.slice(from, to))

/**
 * The token that begins here. Where there is none, the answer is up to where none can begin, so that nothing is read twice.
 * Where lines end inside of it, both parts must look like JSON: the words of a list would do otherwise.
 */
export const jwtAt = (text: string, at: number): Span | number => {
  const head = endOf(PART, text, at)
  const dot = endOf(DOT, text, head)
  if (dot === -1) return head
  const body = endOf(PART, text, dot)
  const second = body === -1 ? -1 : endOf(DOT, text, body)
  if (second === -1 || !isLong(text, at, head) || !isLong(text, dot, body)) return head
  if (isBroken(text, at, second) && endOf(JSON_PART, text, dot) === -1) return head
  return [at, endOf(SIGNATURE, text, second)]
}
