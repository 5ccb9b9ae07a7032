/**
 * A set of things that may be touched: alternatives, any of which allows. This is the free distributive lattice
 * over globs, kept in its normal form (no alternative and no glob that another makes needless), so the laws of
 * a lattice hold to the letter and equal sets have one `key`.
 *
 * Union, intersection and membership are exact. Inclusion is exact between one alternative and another; where
 * only several alternatives together cover one (`/a/*` by `/a/?` and `/a/??*`), `includes` is `false`: a subset
 * that cannot be seen is refused, never assumed. An intersection that is empty only because three globs exclude
 * one another stays as an alternative that nothing matches. Every operation has a bound on its work (patterns come
 * from agents too); past it, `includes` is `false` and a meet is smaller than it might be.
 *
 * @since 0.1.0
 */

import { Either } from "effect"
import { getOrSet } from "../Memo.js"
import * as Alternative from "./alternative.js"
import { type Fuel, fuel } from "./automaton.js"
import type { Dimension } from "./dimensions/Dimension.js"
import * as Glob from "./Glob.js"
import { GlobIndex } from "./GlobIndex.js"
import { invalid, type ScopeInvalid } from "./ScopeInvalid.js"
import type { Scoping } from "./Scoping.js"

/**
 * What one alternative constrains, each dimension by name; all globs given must match.
 *
 * @since 0.1.0
 * @category models
 */
export type Constraints = Readonly<Record<string, ReadonlyArray<Glob.Glob>>>

/**
 * @since 0.1.0
 * @category models
 */
export type Element = Alternative.Element

class Index {
  private readonly byDimension = new Map<string, GlobIndex<Alternative.Alternative>>()
  private universal: Alternative.Alternative | undefined

  constructor(alternatives: ReadonlyArray<Alternative.Alternative>) {
    for (const alternative of alternatives) {
      if (alternative.index === undefined) this.universal = alternative
      else {
        const { dimension, glob } = alternative.index
        getOrSet(this.byDimension, dimension, () => new GlobIndex<Alternative.Alternative>()).add(
          glob,
          alternative
        )
      }
    }
  }

  find(element: Element): Alternative.Alternative | undefined {
    if (this.universal !== undefined) return this.universal
    for (const [dimension, index] of this.byDimension) {
      const segments = element[dimension]
      const found =
        segments &&
        index.find(
          segments,
          (candidate) => candidate.atoms.length === 1 || Alternative.matches(candidate, element)
        )
      if (found !== undefined) return found
    }
    return undefined
  }

  *covering(alternative: Alternative.Alternative): Generator<Alternative.Alternative> {
    if (this.universal !== undefined) yield this.universal
    for (const { dimension, glob } of alternative.atoms) {
      const index = this.byDimension.get(dimension)
      if (index !== undefined) yield* index.covering(glob)
    }
  }

  *overlapping(alternative: Alternative.Alternative): Generator<Alternative.Alternative> {
    if (this.universal !== undefined) yield this.universal
    for (const [dimension, index] of this.byDimension) {
      const atom = alternative.atoms.find((candidate) => candidate.dimension === dimension)
      yield* atom === undefined ? index.all() : index.overlapping(atom.glob)
    }
  }
}

/** How many pairs one operation compares before it leaves the rest as it is: long, but true. */
const COMPARISONS = 2_000_000

/** How many alternatives a meet keeps. Those it drops make it smaller, which is the safe side. */
const ALTERNATIVES = 20_000

/** Drops what another covers; of two that cover each other the one with the smaller key stays. */
const normalForm = (
  all: Iterable<Alternative.Alternative>,
  spend: Fuel
): ReadonlyArray<Alternative.Alternative> => {
  const distinct = [...new Map(Array.from(all, (alternative) => [alternative.key, alternative])).values()]
  if (distinct.length < 2) return distinct
  const index = new Index(distinct)
  let comparisons = 0
  const covered = (one: Alternative.Alternative): boolean => {
    for (const other of index.covering(one)) {
      if (++comparisons > COMPARISONS) return false
      if (other.key === one.key || !Alternative.includes(other, one, spend)) continue
      if (other.key < one.key || !Alternative.includes(one, other, spend)) return true
    }
    return false
  }
  return distinct.filter((one) => !covered(one)).sort((a, b) => (a.key < b.key ? -1 : 1))
}

/**
 * @since 0.1.0
 * @category models
 */
export class ScopeSet implements Scoping<ScopeSet, Encoded> {
  private compiled: Index | undefined
  private joined: string | undefined
  private readonly freed = new Map<string, ScopeSet>()
  private readonly named = new Map<string, ReadonlySet<string>>()

  private constructor(
    readonly dimensions: ReadonlyArray<Dimension>,
    private readonly alternatives: ReadonlyArray<Alternative.Alternative>
  ) {}

  static empty(dimensions: ReadonlyArray<Dimension>): ScopeSet {
    return new ScopeSet(dimensions, [])
  }

  /** Empty constraints leave everything free: callers that parse must insist on every dimension. */
  static make(dimensions: ReadonlyArray<Dimension>, alternatives: Iterable<Constraints>): ScopeSet {
    const made: Array<Alternative.Alternative> = []
    const spend = fuel()
    for (const constraints of alternatives) {
      const alternative = Alternative.make(
        dimensions.flatMap(({ name, top }) =>
          (constraints[name] ?? [])
            .filter((glob) => glob.key !== top.key)
            .map((glob) => ({ dimension: name, glob }))
        ),
        spend
      )
      if (alternative !== undefined) made.push(alternative)
    }
    return new ScopeSet(dimensions, normalForm(made, spend))
  }

  private get index(): Index {
    this.compiled ??= new Index(this.alternatives)
    return this.compiled
  }

  get key(): string {
    this.joined ??= [this.size, ...this.alternatives.map((alternative) => alternative.key)].join("\u0003")
    return this.joined
  }

  get isEmpty(): boolean {
    return this.alternatives.length === 0
  }

  get size(): number {
    return this.alternatives.length
  }

  join(others: ReadonlyArray<ScopeSet>): ScopeSet {
    const rest = others.filter((other) => !other.isEmpty && other !== this)
    if (rest.length === 0) return this
    const all = [this, ...rest].flatMap((set) => set.alternatives)
    return new ScopeSet(this.dimensions, normalForm(all, fuel()))
  }

  meet(that: ScopeSet): ScopeSet {
    if (this === that) return this
    const [few, many] = this.size <= that.size ? [this, that] : [that, this]
    const spend = fuel()
    return new ScopeSet(this.dimensions, normalForm(few.products(many, spend), spend))
  }

  private products(that: ScopeSet, spend: Fuel): ReadonlyArray<Alternative.Alternative> {
    const both: Array<Alternative.Alternative> = []
    for (const one of this.alternatives) {
      for (const other of that.index.overlapping(one)) {
        const alternative = Alternative.make([...one.atoms, ...other.atoms], spend)
        if (alternative !== undefined && both.push(alternative) === ALTERNATIVES) return both
      }
    }
    return both
  }

  /** The literal first segments on a dimension: the commands that are named, whatever their arguments. */
  names(dimension: string): ReadonlySet<string> {
    return getOrSet(this.named, dimension, () => {
      const firsts = this.alternatives.flatMap(({ atoms }) =>
        atoms.flatMap(({ dimension: of, glob }) => (of === dimension ? glob.tokens.slice(0, 1) : []))
      )
      return new Set(firsts.flatMap((token) => (token._tag === "Literal" ? [token.text] : [])))
    })
  }

  includes(that: ScopeSet): boolean {
    const spend = fuel()
    return that.alternatives.every((alternative) => this.covers(alternative, spend))
  }

  /** The alternatives that `held` does not include. */
  missingFrom(held: ScopeSet): ReadonlyArray<Encoded> {
    const spend = fuel()
    return this.alternatives
      .filter((one) => !held.covers(one, spend))
      .map((one) => encodeAlternative(this.dimensions, one))
  }

  beyond(held: ScopeSet): ScopeSet {
    const spend = fuel()
    const rest = this.alternatives.filter((one) => !held.covers(one, spend))
    return rest.length === this.size ? this : new ScopeSet(this.dimensions, rest)
  }

  /** The same set with one dimension left free: what would be held if that did not matter. */
  freeOf(dimension: string): ScopeSet {
    return getOrSet(this.freed, dimension, () => {
      const spend = fuel()
      const made = this.alternatives.flatMap(({ atoms }) => {
        const rest = atoms.filter((atom) => atom.dimension !== dimension)
        return Alternative.make(rest, spend) ?? []
      })
      return new ScopeSet(this.dimensions, normalForm(made, spend))
    })
  }

  /** The same alternatives over more dimensions, which they leave free. */
  widened(dimensions: ReadonlyArray<Dimension>): ScopeSet {
    return new ScopeSet(dimensions, this.alternatives)
  }

  /** What the alternatives ask of one dimension, as a set of another whose globs are the same. */
  projected(dimension: string, onto: Dimension): ScopeSet {
    return ScopeSet.make(
      [onto],
      this.alternatives.map(({ atoms }) => ({
        [onto.name]: atoms.flatMap((atom) => (atom.dimension === dimension ? [atom.glob] : []))
      }))
    )
  }

  /** Whether one alternative holds all that is below these segments of a dimension, and leaves the others free. */
  holdsBelow(dimension: string, segments: ReadonlyArray<string>): boolean {
    const spend = fuel()
    const below = Alternative.make([{ dimension, glob: Glob.below(segments) }], spend)
    return below !== undefined && this.covers(below, spend)
  }

  /** Whether an alternative may hold something below these segments of a dimension; in doubt it may. */
  reachesBelow(dimension: string, segments: ReadonlyArray<string>): boolean {
    const spend = fuel()
    const glob = Glob.below(segments)
    const below = Alternative.make([{ dimension, glob }], spend)
    if (below === undefined) return false
    for (const { atoms } of this.index.overlapping(below)) {
      if (atoms.every((atom) => atom.dimension !== dimension || Glob.overlaps(atom.glob, glob, spend)))
        return true
    }
    return false
  }

  /** Each alternative as text, with where it begins on a dimension: the segments that all it holds there have first. */
  starts(
    dimension: string
  ): ReadonlyArray<{ readonly shown: string; readonly prefix: ReadonlyArray<string> }> {
    return this.alternatives.map((alternative) => {
      const prefixes = alternative.atoms.flatMap(({ dimension: of, glob }) =>
        of === dimension ? [Glob.prefix(glob)] : []
      )
      const prefix = prefixes.reduce((longest, one) => (one.length > longest.length ? one : longest), [])
      return { shown: this.print(alternative), prefix }
    })
  }

  /** What each alternative that holds this element asks of one dimension: all of these globs, or nothing. */
  asksOf(dimension: string, element: Element): ReadonlyArray<ReadonlyArray<Glob.Glob>> {
    return this.alternatives
      .filter((alternative) => Alternative.matches(alternative, element))
      .map(({ atoms }) => atoms.flatMap((atom) => (atom.dimension === dimension ? [atom.glob] : [])))
  }

  /** The alternative that holds this element, as text. */
  find(element: Element): string | undefined {
    const found = this.index.find(element)
    return found && this.print(found)
  }

  /** The first alternatives, as text, for messages. */
  show(limit: number): ReadonlyArray<string> {
    return this.alternatives.slice(0, limit).map((alternative) => this.print(alternative))
  }

  encode(): ReadonlyArray<Encoded> {
    return this.alternatives.map((alternative) => encodeAlternative(this.dimensions, alternative))
  }

  private covers(one: Alternative.Alternative, spend: Fuel): boolean {
    for (const candidate of this.index.covering(one)) {
      if (Alternative.includes(candidate, one, spend)) return true
    }
    return false
  }

  private print(alternative: Alternative.Alternative): string {
    return getOrSet(printed, alternative, () => printAlternative(this.dimensions, alternative))
  }
}

/** An alternative belongs to one list of dimensions for life, so its text can be kept. */
const printed = new WeakMap<Alternative.Alternative, string>()

const printAlternative = (
  dimensions: ReadonlyArray<Dimension>,
  alternative: Alternative.Alternative
): string => print(dimensions, encodeAlternative(dimensions, alternative))

/**
 * One alternative in words.
 *
 * @since 0.1.0
 * @category rendering
 */
export const print = (dimensions: ReadonlyArray<Dimension>, encoded: Encoded): string => {
  const all = (pattern: Pattern): string => [pattern].flat().join(" and ")
  if (typeof encoded === "string" || Array.isArray(encoded)) return all(encoded as Pattern)
  const patterns = encoded as Readonly<Record<string, Pattern>>
  const [first, ...rest] = dimensions.map((dimension) => ({
    dimension,
    pattern: patterns[dimension.name] ?? []
  }))
  return [
    ...(first === undefined ? [] : [all(first.pattern)]),
    ...rest.flatMap(({ dimension, pattern }) =>
      pattern === topText(dimension) ? [] : [`${dimension.name} ${all(pattern)}`]
    )
  ].join(" ")
}

/**
 * An alternative as plain data: with one dimension its pattern, with more a record that names every one, so
 * that nothing is left free by omission. A list of patterns means all of them.
 *
 * @since 0.1.0
 * @category codecs
 */
export type Encoded = Pattern | Readonly<Record<string, Pattern>>

/**
 * @since 0.1.0
 * @category codecs
 */
export type Pattern = string | ReadonlyArray<string>

const topText = (dimension: Dimension | undefined): string | undefined => dimension?.print(dimension.top)

const encodeAlternative = (
  dimensions: ReadonlyArray<Dimension>,
  alternative: Alternative.Alternative
): Encoded => {
  const patterns = dimensions.map((dimension): readonly [string, Pattern] => {
    const texts = alternative.atoms
      .filter((atom) => atom.dimension === dimension.name)
      .map((atom) => dimension.print(atom.glob))
    const [first, second] = texts
    return [
      dimension.name,
      first === undefined ? dimension.print(dimension.top) : second === undefined ? first : texts
    ]
  })
  return dimensions.length === 1 ? (patterns[0]?.[1] ?? []) : Object.fromEntries(patterns)
}

/**
 * `print(top)` is read back even where `parse` refuses it to people, as a bare `*` for secrets. No pattern at
 * all is an error: it would leave the dimension free.
 */
const decodePattern = (
  dimension: Dimension,
  pattern: Pattern | undefined
): Either.Either<ReadonlyArray<Glob.Glob>, ScopeInvalid> => {
  const texts = pattern === undefined ? [] : [pattern].flat()
  if (texts.length === 0) {
    return invalid(
      "SCOPE_INVALID",
      `a scope says nothing of '${dimension.name}'; write '${topText(dimension)}' for all`
    )
  }
  return Either.all(
    texts.map((text) => (text === topText(dimension) ? Either.right(dimension.top) : dimension.parse(text)))
  )
}

/**
 * @since 0.1.0
 * @category codecs
 */
export const decode = (
  dimensions: ReadonlyArray<Dimension>,
  alternatives: ReadonlyArray<Encoded>
): Either.Either<ScopeSet, ScopeInvalid> =>
  Either.map(
    Either.all(
      alternatives.map((encoded) => {
        const [only] = dimensions
        const record: Readonly<Record<string, Pattern>> =
          typeof encoded === "string" || Array.isArray(encoded)
            ? { [only?.name ?? ""]: encoded as Pattern }
            : (encoded as Readonly<Record<string, Pattern>>)
        return Either.all(
          Object.fromEntries(
            dimensions.map((dimension) => [
              dimension.name,
              decodePattern(
                dimension,
                Object.hasOwn(record, dimension.name) ? record[dimension.name] : undefined
              )
            ])
          )
        )
      })
    ),
    (constraints) => ScopeSet.make(dimensions, constraints)
  )
