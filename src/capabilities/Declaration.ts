/**
 * A tool's declaration as an authority: the one bridge from what tools write to the lattice.
 *
 * @since 0.1.0
 */
import { Either } from "effect"
import * as Authority from "../policy/lattice/Authority.js"
import type { ScopeInvalid } from "../policy/lattice/ScopeInvalid.js"
import { type Capabilities, ofItself, walk } from "./Capabilities.js"
import type { Reading } from "./Category.js"

/**
 * What `~` stands for. Without a home, a path that starts with `~/` is an error.
 *
 * @since 0.1.0
 * @category models
 */
export interface Places {
  readonly home?: string
}

/** The categories have no facet in common. */
const compile = (
  declared: Capabilities,
  { home }: Places,
  deferred: Reading["deferred"]
): Either.Either<Authority.Authority, ScopeInvalid> =>
  Either.map(
    Either.all(walk(declared, ({ authority }, given) => authority(given, { home, deferred }))),
    (sets) => Authority.make(Object.assign({}, ...sets))
  )

/**
 * All that a declaration asks for. What it leaves to the policy (`"*"`, `"from-personality"`) is everything here,
 * so that its meet with a policy is what the policy allows.
 *
 * @since 0.1.0
 * @category compiling
 */
export const authority = (
  declared: Capabilities,
  places: Places = {}
): Either.Either<Authority.Authority, ScopeInvalid> => compile(declared, places, "everything")

/**
 * What a declaration asks for by name: what a policy must cover for the tool to work as written. What is left to
 * the policy is not in it, nor what is for children alone: a tool runs its commands without that.
 *
 * @since 0.1.0
 * @category compiling
 */
export const named = (
  declared: Capabilities,
  places: Places = {}
): Either.Either<Authority.Authority, ScopeInvalid> => compile(ofItself(declared), places, "nothing")

/**
 * One thing that a declaration lists, in its own words, and a declaration of that thing alone.
 *
 * @since 0.1.0
 * @category models
 */
export interface Listed {
  /** As in `network.allowedHosts`. */
  readonly key: string
  readonly value: string
  readonly alone: Capabilities
  /** It names nothing, and stands for whatever a policy allows. */
  readonly open: boolean
}

/**
 * A declaration thing by thing: hosts, secrets, paths, binaries, kinds, verbs. All of them together ask for what the
 * declaration asks for.
 *
 * @since 0.1.0
 * @category rendering
 */
export const listed = (declared: Capabilities): ReadonlyArray<Listed> =>
  walk(declared, ({ listed }, given, category) =>
    listed(given).map((one) => ({ ...one, alone: { [category]: one.alone } }))
  ).flat()
