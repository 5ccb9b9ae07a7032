/**
 * The policies that a runner has itself. A client says whose turn it is and under which revision; the policy never travels.
 *
 * @since 0.1.0
 */
import { Effect } from "effect"
import * as Authority from "../policy/lattice/Authority.js"
import * as Policy from "../policy/Policy.js"
import { quote } from "../policy/text/Quote.js"
import { ClusterError } from "./ClusterError.js"

/**
 * Whose turn it is: an agent, a personality, or both.
 *
 * @since 0.1.0
 * @category models
 */
export interface Who {
  readonly agent: string | undefined
  readonly personality: string | undefined
}

/**
 * Under which policy a turn runs here, and what `~` stands for here.
 *
 * @since 0.1.0
 * @category models
 */
export interface Loaded {
  readonly policy: Policy.Policy
  readonly home?: string | undefined
}

/**
 * Loads the policy of whoever acts, as it is now. It fails with a sentence where there is none.
 *
 * @since 0.1.0
 * @category models
 */
export type Policies = (who: Who) => Effect.Effect<Loaded, string>

const nameOf = ({ agent, personality }: Who): string =>
  [
    ...(agent === undefined ? [] : [`the agent ${quote(agent)}`]),
    ...(personality === undefined ? [] : [`the personality ${quote(personality)}`])
  ].join(" with ") || "a policy of nobody"

/**
 * Policies that the program has made.
 *
 * @since 0.1.0
 * @category constructors
 */
export const of =
  (...all: ReadonlyArray<Policy.Policy>): Policies =>
  (who) => {
    const found = all.find(({ agent, personality }) => agent === who.agent && personality === who.personality)
    return found === undefined
      ? Effect.fail(`this runner has no policy for ${nameOf(who)}`)
      : Effect.succeed({ policy: found })
  }

/**
 * The policy that runners of a workspace have, as a client names it that does not have their files: by who acts, and under
 * which revision. `bailiwick run --json` prints the revision beside each result. It allows nothing here.
 *
 * @since 0.1.0
 * @category constructors
 */
export const named = ({
  agent,
  personality,
  revision
}: Partial<Who> & { readonly revision: string }): Policy.Policy => ({
  ...Policy.make({ agent, personality, toolset: [], authority: Authority.nothing }),
  revision
})

/** Takes a policy only under the revision that the client has. */
export const underRevision = (
  policies: Policies,
  who: Who,
  revision: string
): Effect.Effect<Loaded, string> =>
  Effect.flatMap(policies(who), (loaded) =>
    loaded.policy.revision === revision
      ? Effect.succeed(loaded)
      : Effect.fail(
          new ClusterError({
            code: "POLICY_DIFFERS",
            detail: `this runner has another revision of the policy of ${nameOf(who)} than the turn was made under; bring both to the same files, and try again`
          }).message
        )
  )
