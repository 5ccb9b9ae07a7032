/**
 * What a server may ask of whoever uses it. None of it is refused by a grant or given by one: it touches nothing here, and
 * goes to people and their models. So the operator names it beside the server, and what is not named is refused.
 *
 * @since 0.1.0
 */
import type { Risk } from "../grant/Catalog.js"
import { quote } from "../text/Quote.js"

/**
 * @since 0.1.0
 * @category models
 */
export const kinds = ["roots", "sampling", "elicitation"] as const

/**
 * @since 0.1.0
 * @category models
 */
export type Kind = (typeof kinds)[number]

interface Meaning {
  readonly risk: Risk
  /** What it lets a server do, as a verb phrase. */
  readonly effect: string
}

const meanings: Readonly<Record<Kind, Meaning>> = {
  roots: { risk: "low", effect: "is told which of the directories that it requires are there" },
  elicitation: {
    risk: "medium",
    effect: "puts questions of its own to the person who uses it, and gets the answers"
  },
  sampling: {
    risk: "high",
    effect: "has the model of whoever uses it answer prompts of its own, at their cost, and gets the answers"
  }
}

/**
 * How much is at stake.
 *
 * @since 0.1.0
 * @category getters
 */
export const risk = (kind: Kind): Risk => meanings[kind].risk

/**
 * @since 0.1.0
 * @category rendering
 */
export const describe = (kind: Kind): string => meanings[kind].effect

/**
 * A word, if it is one of the kinds.
 *
 * @since 0.1.0
 * @category parsing
 */
export const parse = (word: string): Kind | undefined => kinds.find((kind) => kind === word)

/**
 * What to say of a word that is none.
 *
 * @since 0.1.0
 * @category rendering
 */
export const unknown = (word: string): { readonly detail: string; readonly remedy: string } => ({
  detail: `${quote(word)} is nothing that a server may ask for`,
  remedy: `write one of ${kinds.join(", ")}`
})

/**
 * Kinds in their order, each once.
 *
 * @since 0.1.0
 * @category constructors
 */
export const sorted = (given: Iterable<Kind>): ReadonlyArray<Kind> => {
  const all = new Set(given)
  return kinds.filter((kind) => all.has(kind))
}
