/**
 * The tokens that a tool holds in the place of sealed secrets: which secret each stands for, in one turn. A token is drawn
 * at random and means nothing; what is not in here is none.
 *
 * @since 0.1.0
 */
import { getOrSet } from "../../policy/Memo.js"
import type { SealForm } from "./SealForm.js"

const PREFIX = "bw_sealed_"

/** What a token looks like, and what begins like one and is none. */
const SHAPE = /bw_sealed_(?:[0-9a-f]{40})?/g

const DIGITS = 40

/** More is no tool that works, and each costs memory. */
const MOST = 1_024

/**
 * What a token stands for.
 *
 * @since 0.1.0
 * @category models
 */
export interface Seal {
  readonly ref: string
  readonly form: SealForm | undefined
}

const PREFIX_BYTES = Array.from(PREFIX, (letter) => letter.charCodeAt(0))

/**
 * Whether a text or bytes hold what looks like a token.
 *
 * @since 0.1.0
 * @category predicates
 */
export const isCarriedIn = (content: string | Uint8Array): boolean => {
  if (typeof content === "string") return content.includes(PREFIX)
  const [first = 0] = PREFIX_BYTES
  for (let at = content.indexOf(first); at >= 0; at = content.indexOf(first, at + 1)) {
    if (PREFIX_BYTES.every((byte, i) => content[at + i] === byte)) return true
  }
  return false
}

/**
 * How many bytes at an end may be the beginning of what looks like a token.
 *
 * @since 0.1.0
 * @category predicates
 */
export const LONGEST_START = PREFIX.length - 1

/**
 * A text with each token replaced.
 *
 * @since 0.1.0
 * @category combinators
 */
export const replaced = (text: string, by: (token: string) => string): string => text.replace(SHAPE, by)

/**
 * The tokens in a text, each once.
 *
 * @since 0.1.0
 * @category combinators
 */
export const tokensIn = (text: string): ReadonlyArray<string> => [...new Set(text.match(SHAPE) ?? [])]

/**
 * @since 0.1.0
 * @category models
 */
export class Seals {
  readonly #byToken = new Map<string, Seal>()
  readonly #byMeaning = new Map<string, string>()

  /** The token of a secret in a form: the same one for the turn. Nothing, where there are too many. */
  mint(ref: string, form: SealForm | undefined): string | undefined {
    const meaning = JSON.stringify([ref, form ?? null])
    if (!this.#byMeaning.has(meaning) && this.#byMeaning.size >= MOST) return undefined
    return getOrSet(this.#byMeaning, meaning, () => {
      const random = crypto.getRandomValues(new Uint8Array(DIGITS / 2))
      const token = PREFIX + Array.from(random, (byte) => byte.toString(16).padStart(2, "0")).join("")
      this.#byToken.set(token, { ref, form })
      return token
    })
  }

  find(token: string): Seal | undefined {
    return this.#byToken.get(token)
  }
}
