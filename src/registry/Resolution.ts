/**
 * What a tool may touch under a policy: the meet of what it declares and what the policy holds.
 *
 * @since 0.1.0
 */
import { Either } from "effect"
import type { Capabilities } from "../capabilities/Capabilities.js"
import * as Declaration from "../capabilities/Declaration.js"
import * as Authority from "../policy/lattice/Authority.js"
import { argv } from "../policy/lattice/dimensions/Command.js"
import { facets } from "../policy/lattice/Facets.js"
import { holding, type Remedied } from "../policy/lattice/Remedy.js"
import type { ScopeInvalid } from "../policy/lattice/ScopeInvalid.js"
import { ScopeSet } from "../policy/lattice/ScopeSet.js"
import type { Policy } from "../policy/Policy.js"

/**
 * What the policy holds for a tool: all that is written in it, and of the facets that it leaves to declarations what
 * the tool names. To say `"*"` of binaries is not to name one.
 *
 * @since 0.1.0
 * @category resolving
 */
const held = (
  { parts }: Policy,
  declared: Capabilities,
  places: Declaration.Places
): Either.Either<Authority.Authority, ScopeInvalid> =>
  Either.map(Either.all(parts.map((part) => heldBy(part, declared, places))), (all) =>
    all.reduce(Authority.meet)
  )

const heldBy = (
  policy: Policy,
  declared: Capabilities,
  places: Declaration.Places
): Either.Either<Authority.Authority, ScopeInvalid> => {
  if (policy.asDeclared.size === 0) return Either.right(policy.authority)
  const { asDeclared } = policy
  return Either.gen(function* () {
    const all = yield* Declaration.authority(declared, places)
    const named = yield* Declaration.named(declared, places)
    const left = Authority.join(
      Authority.pick(all, ...[...asDeclared].filter((facet) => facet !== "process")),
      Authority.pick(named, ...(asDeclared.has("process") ? (["process"] as const) : []))
    )
    return Authority.join(policy.authority, Authority.meet(policy.ceiling, left))
  })
}

/**
 * @since 0.1.0
 * @category resolving
 */
export const authority = (
  policy: Policy,
  declared: Capabilities,
  places: Declaration.Places
): Either.Either<Authority.Authority, ScopeInvalid> =>
  Either.zipWith(Declaration.authority(declared, places), held(policy, declared, places), Authority.meet)

/**
 * A scope that a tool names and a policy does not hold, in the words of declarations.
 *
 * @since 0.1.0
 * @category models
 */
export interface Gap {
  readonly tool: string
  readonly capability: string
  readonly scope: string
  readonly message: string
  readonly remedy: string
}

const category = (capability: string): string => {
  const [facet, verb] = capability.split(".")
  if (facet === "files") return verb === "read" ? "fs_reach.read" : "fs_reach.write"
  return facet === "records" || facet === "agents" ? capability : (facet ?? capability)
}

/** Whether a policy allows a command with some arguments. */
const allowsSome = ({ scopes }: Authority.Authority, command: string): boolean =>
  Either.match(argv.parse(command), {
    onLeft: () => false,
    onRight: (glob) =>
      !scopes.process.exec.meet(ScopeSet.make(facets.process.exec, [{ argv: [glob] }])).isEmpty
  })

/**
 * What of a declaration a policy does not hold. What the declaration leaves to the policy is no gap. A remedy is worded
 * as a grant, unless it is to be worded otherwise.
 *
 * @since 0.1.0
 * @category resolving
 */
export const gaps = (
  tool: { readonly name: string; readonly capabilities: Capabilities },
  policy: Policy,
  places: Declaration.Places,
  worded: (remedied: Remedied) => string = ({ remedy }) => remedy
): ReadonlyArray<Gap> => {
  const found = Either.zipWith(
    Declaration.named(tool.capabilities, places),
    held(policy, tool.capabilities, places),
    // Where a command may run and with what, a declaration does not say: that the policy limits it is no gap.
    (named, policyHolds) =>
      Authority.lacking(Authority.meet(named, policy.ceiling), policyHolds).filter(
        ({ capability, patterns }) =>
          capability !== "process.exec" || !allowsSome(policyHolds, patterns.argv ?? "*")
      )
  )
  if (Either.isLeft(found)) {
    const { detail } = found.left
    return [
      { tool: tool.name, capability: "fs_reach", scope: "~", message: detail, remedy: "give the turn a home" }
    ]
  }
  const all = found.right.map(({ capability, patterns, scope }) => ({
    tool: tool.name,
    capability: category(capability),
    scope,
    message: `${tool.name} declares ${category(capability)} ${scope}, which the policy does not allow`,
    remedy: worded(holding(capability, patterns))
  }))
  // One host is four methods, and to write is also to delete: one gap of the declaration is said once.
  return all.filter(
    (gap, at) =>
      all.findIndex(({ capability, scope }) => capability === gap.capability && scope === gap.scope) === at
  )
}
