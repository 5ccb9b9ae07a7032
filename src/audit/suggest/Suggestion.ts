/**
 * What could be taken from somebody's policy without an answer of the log coming out differently, line by line.
 *
 * @since 0.1.0
 */
import type { Capability } from "../../policy/lattice/Facets.js"
import type { Generalised } from "../../policy/lattice/Least.js"
import type { Place, Source } from "../../policy/Source.js"
import type { Basis } from "./Basis.js"
import type { Evidence } from "./Evidence.js"
import { usageOf } from "./Usage.js"

/**
 * A line of a policy: as it is written, where, how often it was used and when last.
 *
 * @since 0.1.0
 * @category models
 */
export interface Line extends Place {
  readonly written: string
  readonly seen: number
  readonly last: string | undefined
  /** Why it may have been used though no decision says so. */
  readonly doubt: string | undefined
}

/**
 * @since 0.1.0
 * @category models
 */
export interface Narrower extends Line {
  /** What would stand in its place, each with its own use. */
  readonly to: ReadonlyArray<{
    readonly written: string
    readonly seen: number
    readonly last: string | undefined
  }>
}

/**
 * @since 0.1.0
 * @category models
 */
export interface Suggestion {
  /** The lines that no decision needed: nothing of them was used, or others give what was. */
  readonly unused: ReadonlyArray<Line>
  readonly narrower: ReadonlyArray<Narrower>
  /** The lines that stay as they are. */
  readonly kept: ReadonlyArray<Line>
  /** What stands for more than was used, because so many things of it were. */
  readonly generalised: ReadonlyArray<Generalised>
  /** Of these too much was used to tell it apart: they stay. */
  readonly crowded: ReadonlyArray<Capability>
  readonly servers: ReadonlyArray<string>
  /** The lists that stay as they are: they begin at a turn's working directory, and turns were in another one. */
  readonly elsewhere: ReadonlyArray<string>
  readonly counted: number
  readonly leftOut: number
  /** The file as it is, and as it would be. */
  readonly before: string
  readonly after: string
}

/**
 * Something that is written, and what it gives.
 *
 * @since 0.1.0
 * @category models
 */
export type Written = Pick<Source, "authority" | "beside" | "written">

/**
 * An entry, and what would stand in its place: itself, other entries, or none.
 *
 * @since 0.1.0
 * @category models
 */
export interface Change extends Written, Place {
  readonly isKept: boolean
  readonly to: ReadonlyArray<Written>
}

/**
 * The changes of a text, with how often each part of them was used.
 *
 * @since 0.1.0
 * @category constructors
 */
export const make = (
  changes: ReadonlyArray<Change>,
  { counted, crowded, generalised, leftOut, allowed, servers }: Basis,
  evidence: Evidence,
  texts: Pick<Suggestion, "after" | "before">
): Suggestion => {
  const used = new Map(
    usageOf(
      changes.flatMap((change): ReadonlyArray<Written> => [change, ...change.to]),
      { ...evidence, allowed }
    ).map(({ doubt, last, seen, source }) => [source, { written: source.written, seen, last, doubt }])
  )
  const lineOf = (change: Change): ReadonlyArray<Line> => {
    const found = used.get(change)
    return found === undefined ? [] : [{ ...found, file: change.file, line: change.line }]
  }
  return {
    unused: changes.filter((one) => !one.isKept && one.to.length === 0).flatMap(lineOf),
    narrower: changes
      .filter((one) => !one.isKept && one.to.length > 0)
      .flatMap((change) =>
        lineOf(change).map((line) => ({
          ...line,
          to: change.to.flatMap((one) => {
            const { last, seen = 0, written = one.written } = used.get(one) ?? {}
            return [{ written, seen, last }]
          })
        }))
      ),
    kept: changes.filter(({ isKept }) => isKept).flatMap(lineOf),
    generalised,
    crowded,
    servers,
    elsewhere: [],
    counted,
    leftOut,
    ...texts
  }
}
