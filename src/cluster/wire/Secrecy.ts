/**
 * Keeps secrets out of messages: what a call is sent with is data, and holds neither a value that is marked as a secret,
 * nor one that the secrets backend has given out here, nor what has the shape of a well-known token.
 */
import { Redacted } from "effect"
import type { Scrubber } from "../../registry/scrub/Scrubber.js"

const MAX_DEPTH = 256

const isPlain = (value: object): boolean => {
  const prototype: unknown = Object.getPrototypeOf(value)
  return prototype === Object.prototype || prototype === null
}

/** Why something cannot be sent; nothing where it can. It never names what it found. */
export const unsendable = (value: unknown, scrubber: Scrubber): string | undefined => {
  const within = (given: unknown, depth: number): string | undefined => {
    if (given === null || typeof given === "boolean") return undefined
    if (typeof given === "number")
      return Number.isFinite(given) ? undefined : "a number that JSON has no word for"
    if (typeof given === "string") return scrubber.text(given) === given ? undefined : "a secret"
    if (Redacted.isRedacted(given)) return "a secret"
    if (typeof given !== "object") return "what is no data"
    if (depth === MAX_DEPTH) return `what is nested more than ${MAX_DEPTH} levels deep`
    if (Array.isArray(given)) return first(given, depth)
    if (!isPlain(given)) return "an object that is no plain data"
    if (Object.getOwnPropertySymbols(given).length > 0) return "a property that has no name"
    return first(
      Object.entries(given).flatMap(([key, held]) => (held === undefined ? [key] : [key, held])),
      depth
    )
  }
  const first = (all: ReadonlyArray<unknown>, depth: number): string | undefined => {
    for (const one of all) {
      const found = within(one, depth + 1)
      if (found !== undefined) return found
    }
    return undefined
  }
  try {
    return within(value, 0)
  } catch {
    return "what cannot be read"
  }
}
