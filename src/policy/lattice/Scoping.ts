/**
 * What can be done with a set of scopes, whatever it is a set of: hosts, or alternatives of globs.
 *
 * @since 0.1.0
 */

/**
 * `E` is one scope as it is written.
 *
 * @since 0.1.0
 * @category models
 */
export interface Scoping<Self, out E> {
  /** The same for equal sets, and for no others. */
  readonly key: string
  readonly isEmpty: boolean
  readonly size: number
  readonly join: (others: ReadonlyArray<Self>) => Self
  readonly meet: (that: Self) => Self
  readonly includes: (that: Self) => boolean
  /** What is in this set and not within another. */
  readonly missingFrom: (held: Self) => ReadonlyArray<E>
  /** The same as a set. */
  readonly beyond: (held: Self) => Self
  readonly show: (limit: number) => ReadonlyArray<string>
  readonly encode: () => ReadonlyArray<E>
}
