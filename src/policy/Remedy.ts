/**
 * What an operator would do so that something refused is allowed: the one answer of the command line, of `explain` and
 * of the doctor.
 *
 * @since 0.1.0
 */
import { Either } from "effect"
import * as Authority from "./lattice/Authority.js"
import type { Denial } from "./lattice/Denial.js"
import type { Addition, Remedied } from "./lattice/Remedy.js"
import * as Request from "./lattice/Request.js"
import type { Deferred, Policy } from "./Policy.js"
import { shellQuoted, shellWord } from "./text/Quote.js"
import { printSpec } from "./text/Spec.js"

/**
 * `Grant` goes into an agent's record, `Allow` into a personality, `Declare` into a tool; `Say` is all that can be said.
 *
 * @since 0.1.0
 * @category models
 */
export type Step =
  | { readonly _tag: "Grant"; readonly agent: string; readonly grant: string }
  | { readonly _tag: "Allow"; readonly additions: ReadonlyArray<Addition> }
  | {
      readonly _tag: "Declare"
      readonly tool: string | undefined
      readonly additions: ReadonlyArray<Addition>
    }
  | { readonly _tag: "Say"; readonly sentence: string }

type Refused = Pick<Denial, "asked" | "remedy" | "remedies" | "tool">

/**
 * Which of the policies that hold together refuses: a personality before an agent's record, and `undefined` where none
 * does. Of what cannot be asked again, such as a secret whose name is not told, the first is taken to be the one.
 *
 * @since 0.1.0
 * @category predicates
 */
export const refusing = ({ parts }: Policy, { asked }: Pick<Denial, "asked">): Policy | undefined => {
  const made = Request.parse(asked)
  const facet = Either.isRight(made)
    ? "facet" in made.right
      ? made.right.facet
      : undefined
    : /^secrets?\b/.test(asked)
      ? "secrets"
      : undefined
  const all = parts.filter(
    ({ asDeclared, authority }) =>
      // What a policy leaves to what tools declare it does not refuse.
      !(facet !== undefined && asDeclared.has(facet as Deferred)) &&
      (Either.isLeft(made) || !Authority.permits(authority, made.right).allowed)
  )
  return all.find(({ personality }) => personality !== undefined) ?? all[0]
}

/**
 * @since 0.1.0
 * @category constructors
 */
export const stepFor = (policy: Policy, denial: Refused): Step => {
  const { remedies, remedy, tool } = denial
  const { declaration, grant, personality } = remedies ?? {}
  const part = refusing(policy, denial)
  if (part === undefined) {
    return declaration === undefined
      ? { _tag: "Say", sentence: remedy }
      : { _tag: "Declare", tool, additions: declaration }
  }
  if (part.personality === undefined && part.agent !== undefined && grant !== undefined) {
    return { _tag: "Grant", agent: part.agent, grant }
  }
  if (personality === undefined) return { _tag: "Say", sentence: remedy }
  const isRecord = part.personality === undefined && part.agent !== undefined
  return { _tag: "Allow", additions: isRecord ? personality.map(ofWorkspace) : personality }
}

/** No record names a private endpoint: the workspace does, for all of its agents. */
const ofWorkspace = ({ entry, key }: Addition): Addition => ({
  entry,
  key: key === "safety.network.private" ? "private_hosts of bailiwick.yaml" : key
})

/** Whether one of the policies that hold together keeps a secret back. */
const keepsBack = ({ parts }: Policy, ref: string, isSealed: boolean): boolean =>
  Either.match(Request.secret(ref), {
    onLeft: () => false,
    onRight: (request) =>
      parts.some(
        ({ asDeclared, authority }) =>
          !asDeclared.has("secrets") &&
          !(isSealed ? Authority.isSealed(authority, request) : Authority.permits(authority, request).allowed)
      )
  })

/**
 * A refusal of a secret names none, because what was asked for may be one. Those that the tool declares are no secret:
 * for an operator the remedy names all of them that the policy keeps back.
 *
 * @since 0.1.0
 * @category constructors
 */
export const namingSecrets = (policy: Policy, denial: Denial, declared: ReadonlyArray<string>): Denial => {
  if (denial.code !== "SECRET_NOT_DECLARED" || denial.remedies !== undefined) return denial
  const isSealed = denial.capability === "secrets.seal"
  const [first, ...rest] = declared.filter((ref) => keepsBack(policy, ref, isSealed))
  if (first === undefined) return denial
  const sealed = isSealed ? ([["sealed", "true"]] as const) : []
  const grant = printSpec({ name: "secrets.read", pairs: [["refs", [first, ...rest]], ...sealed] })
  const entry = (ref: string): Addition => ({ key: "secrets.allow", entry: ref })
  return {
    ...denial,
    asked: [first, ...rest].map((ref) => `secret ${ref}`).join(", "),
    remedy: grant,
    remedies: { grant, personality: [entry(first), ...rest.map(entry)] }
  }
}

const quoted = ({ entry, key }: Addition): string =>
  key === "grants" ? shellQuoted(entry) : JSON.stringify(entry)

const added = (additions: ReadonlyArray<Addition>): string =>
  additions.map((one) => `${quoted(one)} to ${one.key}`).join(", and ")

/** A path may be reached through any directory above it. */
const orAbove = ({ entry, key }: Addition): string =>
  key.startsWith("fs_reach.")
    ? `${JSON.stringify(entry)}, or a directory above it, to ${key}`
    : added([{ entry, key }])

/**
 * What to add to a personality, in words.
 *
 * @since 0.1.0
 * @category rendering
 */
export const toAdd = (additions: ReadonlyArray<Addition>): string => `add ${added(additions)}`

/**
 * @since 0.1.0
 * @category rendering
 */
export const sentence = (step: Step): string => {
  switch (step._tag) {
    case "Grant":
      return `bailiwick agents grant ${shellWord(step.agent)} ${shellQuoted(step.grant)}`
    case "Allow":
      return `add ${step.additions.map(orAbove).join(", and ")}`
    case "Declare":
      return `the policy allows it, and ${step.tool ?? "the tool"} does not declare it: ${toAdd(step.additions)} of its capabilities`
    case "Say":
      return step.sentence
  }
}

/**
 * What would have to stand in the file that refuses.
 *
 * @since 0.1.0
 * @category rendering
 */
export const written = (step: Step, { remedy }: Pick<Remedied, "remedy">): string => {
  switch (step._tag) {
    case "Grant":
      return step.grant
    case "Allow":
      return step.additions.map(({ entry }) => entry).join(", ")
    default:
      return remedy
  }
}
