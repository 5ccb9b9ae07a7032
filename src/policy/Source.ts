/**
 * Where a piece of authority is written, so that whoever asks why can be shown the line.
 *
 * @since 0.1.0
 */
import * as Authority from "./lattice/Authority.js"
import type { Capability } from "./lattice/Facets.js"
import type { Request } from "./lattice/Request.js"

/**
 * @since 0.1.0
 * @category models
 */
export interface Place {
  readonly file: string
  readonly line: number
}

/**
 * `written` is the entry as an operator wrote it, or as a shorthand stands for it.
 *
 * @since 0.1.0
 * @category models
 */
export interface Source extends Place {
  readonly written: string
  /** What it speaks of, be it without any scope. */
  readonly capability?: Capability | undefined
  readonly authority: Authority.Authority
  /** What it gives only beside others: commands that another entry names run in the directories of this one. */
  readonly beside?: Authority.Authority | undefined
}

/**
 * The first source that speaks of a capability.
 *
 * @since 0.1.0
 * @category predicates
 */
export const speaking = (sources: ReadonlyArray<Source>, capability: Capability): Source | undefined =>
  sources.find(
    (source) => source.capability === capability || Authority.shown(source.authority, capability).length > 0
  )

/**
 * The first source that permits a request.
 *
 * @since 0.1.0
 * @category predicates
 */
export const permitting = (sources: ReadonlyArray<Source>, request: Request): Source | undefined =>
  sources.find(({ authority }) => Authority.permits(authority, request).allowed)

/**
 * Of each of these, the first source that permits a request: one of every policy that must.
 *
 * @since 0.1.0
 * @category predicates
 */
export const permittingAll = (
  parts: ReadonlyArray<{ readonly sources: ReadonlyArray<Source> }>,
  request: Request
): ReadonlyArray<Source> => parts.flatMap(({ sources }) => permitting(sources, request) ?? [])
