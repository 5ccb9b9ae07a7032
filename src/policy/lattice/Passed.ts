/**
 * What is passed on to somebody else, scope by scope, for whoever hears of decisions.
 *
 * @since 0.1.0
 */
import * as Authority from "./Authority.js"
import { type Capability, capabilities } from "./Facets.js"

/**
 * A scope that is passed on, as decisions print it; without one, all that is held of the capability.
 *
 * @since 0.1.0
 * @category models
 */
export interface Passed {
  readonly capability: Capability
  readonly scope?: string
}

/** So many scopes of a capability are told one by one. */
const MOST = 64

/**
 * @since 0.1.0
 * @category constructors
 */
export const passedIn = (authority: Authority.Authority): ReadonlyArray<Passed> =>
  capabilities.flatMap(({ name: capability }): ReadonlyArray<Passed> => {
    // Exceptions of a pattern are passed on by nobody.
    const scopes = Authority.shown(authority, capability).filter((scope) => !scope.startsWith("!"))
    return scopes.length > MOST ? [{ capability }] : scopes.map((scope) => ({ capability, scope }))
  })
