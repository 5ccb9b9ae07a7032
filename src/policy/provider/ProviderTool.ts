/**
 * Tools that run at the provider of the model and not here: web search, hosted interpreters. What they touch is out of
 * our reach, so that they are checked while the request is put together. A tool whose need is not held is left out of
 * it; one that the provider can scope goes in with the scope, in the provider's own form; one that it cannot needs a
 * grant of its own, `provider.<name>`.
 *
 * @since 0.1.0
 */
import { Either } from "effect"
import * as Authority from "../lattice/Authority.js"
import type { Denial } from "../lattice/Denial.js"
import type { Capability } from "../lattice/Facets.js"
import * as Policy from "../Policy.js"
import { anthropic, openai } from "./catalog.js"
import { lacking, listed, notGranted, notInToolset, notTranslated } from "./denial.js"
import type { ProviderTool, Translated } from "./model.js"

export {
  anthropic,
  type DomainFilters,
  type DomainLists,
  openai,
  runHere
} from "./catalog.js"
export type { Note, Untranslatable } from "./domains.js"
export {
  domains,
  make,
  type Options,
  type ProviderTool,
  type Translate,
  type Translated
} from "./model.js"

/**
 * @since 0.1.0
 * @category models
 */
export type ArgsOf<Tool extends ProviderTool> = Tool extends ProviderTool<infer Args> ? Args : never

/**
 * A tool that goes into the request, with what to say of its scope there.
 *
 * @since 0.1.0
 * @category models
 */
export interface Offered<out Args extends object = object> extends Translated<Args> {
  readonly _tag: "Offered"
  readonly tool: ProviderTool<Args>
}

/**
 * A tool that stays out of the request, and why.
 *
 * @since 0.1.0
 * @category models
 */
export interface Omitted<out Args extends object = object> {
  readonly _tag: "Omitted"
  readonly tool: ProviderTool<Args>
  readonly denial: Denial
}

/**
 * @since 0.1.0
 * @category models
 */
export type Offer<Args extends object = object> = Offered<Args> | Omitted<Args>

/**
 * Whether a tool goes into a request: to be asked whenever one is made. Where a policy has a toolset, that must have
 * the tool as `provider__<name>`.
 *
 * @since 0.1.0
 * @category deciding
 */
export const offer = <Args extends object>(
  tool: ProviderTool<Args>,
  held: Policy.Policy | Authority.Authority
): Offer<Args> => {
  const alone = held instanceof Authority.Authority
  const policy = alone ? { authority: held, mentioned: new Set<Capability>() } : held
  const omitted = (denial: Denial): Offer<Args> => ({ _tag: "Omitted", tool, denial })
  if (!alone && !Policy.offers(held, { name: listed(tool.name) })) return omitted(notInToolset(tool))
  const granted = Authority.meet(tool.needs, policy.authority)
  const missing = tool.scoped
    ? lacking(tool.needs, granted)
    : Authority.gaps(tool.needs, policy.authority)[0]?.capability
  if (missing !== undefined) return omitted(notGranted(tool, policy, missing))
  return Either.match(tool.translate(granted), {
    onLeft: (untranslatable) => omitted(notTranslated(tool, policy, untranslatable)),
    onRight: (translated): Offer<Args> => ({ _tag: "Offered", tool, ...translated })
  })
}

/**
 * For each tool whether it goes into a request, in their order.
 *
 * @since 0.1.0
 * @category deciding
 */
export const offered = <const Tools extends ReadonlyArray<ProviderTool>>(
  tools: Tools,
  held: Policy.Policy | Authority.Authority
): { readonly [Index in keyof Tools]: Offer<ArgsOf<Tools[Index]>> } =>
  // A map over a tuple is typed as a list.
  tools.map((tool) => offer(tool, held)) as { [Index in keyof Tools]: Offer<ArgsOf<Tools[Index]>> }

/**
 * Every tool of the catalog.
 *
 * @since 0.1.0
 * @category catalog
 */
export const known: ReadonlyArray<ProviderTool> = [...Object.values(anthropic), ...Object.values(openai)]
