/**
 * What an agent may touch, wherever it was written: a personality, grants, or code. Front ends make one of these, and
 * everything behind them reads nothing else.
 *
 * @since 0.1.0
 */
import { type Authority, everything } from "./Authority.js"
import type { Facet } from "./Facets.js"
import * as Floor from "./Floor.js"
import { digest } from "./internal/digest.js"

/**
 * A facet that the policy may leave to what tools declare.
 *
 * @since 0.1.0
 * @category models
 */
export type Deferred = Extract<Facet, "process" | "secrets" | "storage" | "attachments">

/**
 * @since 0.1.0
 * @category models
 */
export interface Policy {
  /** Names what was written: another text has another revision. */
  readonly revision: string
  /** The personality that is active, if one is. */
  readonly personality: string | undefined
  /** The tools that may be called; without a list, all of them. */
  readonly toolset: ReadonlySet<string> | undefined
  readonly authority: Authority
  /** The facets of which the policy says nothing: a tool gets of them what it declares by name. */
  readonly asDeclared: ReadonlySet<Deferred>
  /** What a tool may get at most of those. */
  readonly ceiling: Authority
  readonly floor: Floor.Floor
  /** Whether children must be held by the kernel; without a word, they are not. */
  readonly sandbox: "required" | "preferred" | "off" | undefined
}

/**
 * @since 0.1.0
 * @category models
 */
export interface Options {
  readonly authority: Authority
  readonly personality?: string | undefined
  readonly toolset?: Iterable<string> | undefined
  readonly asDeclared?: Iterable<Deferred> | undefined
  readonly ceiling?: Authority | undefined
  readonly floor?: Floor.Floor | undefined
  readonly sandbox?: Policy["sandbox"]
}

/**
 * @since 0.1.0
 * @category constructors
 */
export const make = (options: Options): Policy => {
  const toolset = options.toolset === undefined ? undefined : new Set(options.toolset)
  const asDeclared = new Set(options.asDeclared ?? [])
  const ceiling = options.ceiling ?? everything
  const floor = options.floor ?? Floor.standard
  const written = [
    options.personality ?? null,
    toolset === undefined ? null : [...toolset].sort(),
    [...asDeclared].sort(),
    floor,
    options.sandbox ?? null,
    ceiling,
    options.authority
  ]
  return Object.freeze({
    revision: digest(JSON.stringify(written)),
    personality: options.personality,
    toolset,
    authority: options.authority,
    asDeclared,
    ceiling,
    floor,
    sandbox: options.sandbox
  })
}

/**
 * Whether the toolset has a tool of this name.
 *
 * @since 0.1.0
 * @category predicates
 */
export const offers = ({ toolset }: Policy, name: string): boolean =>
  toolset === undefined || toolset.has(name)
