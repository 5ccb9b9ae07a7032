/**
 * What must be held as a whole for something to be offered: a server's tools, where all of its `requires` is held, and
 * nothing of them where less is.
 *
 * @since 0.1.0
 */
import * as Authority from "./lattice/Authority.js"
import { type Facet, facets } from "./lattice/Facets.js"
import { holding } from "./lattice/Remedy.js"
import type { Deferred, Policy } from "./Policy.js"

const everyFacet = Object.keys(facets) as ReadonlyArray<Facet>

const isLeft = ({ asDeclared }: Policy, facet: Facet): boolean => asDeclared.has(facet as Deferred)

/**
 * A facet that a policy leaves to declarations is a tool's to name, and what a server requires is not a tool's declaration:
 * it is held only where another part of the policy names it. That part then speaks for both, up to the ceiling.
 */
const heldOf = (policy: Policy, facet: Facet): ReadonlyArray<Authority.Authority> => {
  const speaking = policy.parts.filter((part) => !isLeft(part, facet))
  if (speaking.length === 0) return [Authority.nothing]
  return policy.parts.map((part) => (isLeft(part, facet) ? part.ceiling : part.authority))
}

/**
 * Lists what of a requirement a policy does not hold. The list is empty exactly where all of it is within what is held.
 *
 * @since 0.1.0
 * @category deciding
 */
export const lacking = (policy: Policy, requires: Authority.Authority): ReadonlyArray<Authority.Lacking> => {
  const all = everyFacet.flatMap((facet) => {
    const wanted = Authority.pick(requires, facet)
    return heldOf(policy, facet).flatMap((held) => Authority.lacking(wanted, Authority.pick(held, facet)))
  })
  return [...new Map(all.map((one) => [`${one.capability} ${one.scope}`, one])).values()]
}

/** More would be a page. */
const SHOWN = 3

/** The name of a secret is not for a model. */
const shown = ({ capability, patterns }: Authority.Lacking): string =>
  capability.startsWith("secrets.") ? "secrets.read" : holding(capability, patterns).remedy

/**
 * What is lacking in words, as grants have them; secrets are not named.
 *
 * @since 0.1.0
 * @category rendering
 */
export const inWords = (all: ReadonlyArray<Authority.Lacking>): string => {
  const words = [...new Set(all.map(shown))]
  const more = words.length - SHOWN
  return more > 0 ? `${words.slice(0, SHOWN).join(", ")} and ${more} more` : words.join(", ")
}
