/**
 * A set of hosts. Rules say of a name, of all names below a suffix, or of all names, whether they are in; the
 * most specific rule decides. Sets are kept without needless rules, which makes the form unique, and every
 * operation, difference included, is exact. A decision is one look-up for the name and one per suffix of it.
 *
 * @since 0.1.0
 */

import { Either } from "effect"
import * as Host from "./Host.js"
import type { ScopeInvalid } from "./ScopeInvalid.js"
import type { Scoping } from "./Scoping.js"

type Rules = ReadonlyMap<string, boolean>

/** The verdict of the nearest rule above a name, or of none. */
const inherited = (below: Rules, any: boolean, name: string): boolean => {
  if (below.size === 0) return any
  for (let dot = name.indexOf("."); dot >= 0; dot = name.indexOf(".", dot + 1)) {
    const rule = below.get(name.slice(dot + 1))
    if (rule !== undefined) return rule
  }
  return any
}

/** Of a rule as it is shown. */
const patternOf = (shown: string): Host.HostPattern =>
  shown === "*"
    ? { _tag: "Any" }
    : shown.startsWith("*.")
      ? { _tag: "Below", suffix: shown.slice(2) }
      : { _tag: "Exact", host: shown }

/**
 * @since 0.1.0
 * @category models
 */
export class HostSet implements Scoping<HostSet, string> {
  private joined: string | undefined

  private constructor(
    private readonly exact: Rules,
    private readonly below: Rules,
    private readonly any: boolean
  ) {}

  private static normal(exact: Rules, below: Rules, any: boolean): HostSet {
    const needed = ([name, rule]: readonly [string, boolean]) => rule !== inherited(below, any, name)
    return new HostSet(new Map([...exact].filter(needed)), new Map([...below].filter(needed)), any)
  }

  static readonly empty: HostSet = new HostSet(new Map(), new Map(), false)

  static readonly all: HostSet = new HostSet(new Map(), new Map(), true)

  static make(patterns: Iterable<Host.HostPattern>): HostSet {
    return HostSet.fromRules(Array.from(patterns, (pattern) => [pattern, true] as const))
  }

  /** @internal */
  static fromRules(rules: ReadonlyArray<readonly [Host.HostPattern, boolean]>): HostSet {
    const exact = new Map<string, boolean>()
    const below = new Map<string, boolean>()
    // Of a rule and its opposite, the one that leaves out holds.
    const set = (into: Map<string, boolean>, name: string, rule: boolean) =>
      into.set(name, rule && into.get(name) !== false)
    for (const [pattern, rule] of rules) {
      if (pattern._tag === "Below") set(below, pattern.suffix, rule)
      else if (pattern._tag === "Exact") set(exact, pattern.host, rule)
    }
    return HostSet.normal(
      exact,
      below,
      rules.some(([pattern]) => pattern._tag === "Any")
    )
  }

  private combine(that: HostSet, verdict: (a: boolean, b: boolean) => boolean): HostSet {
    const exact = new Map<string, boolean>()
    const below = new Map<string, boolean>()
    for (const name of [...this.exact.keys(), ...that.exact.keys()]) {
      exact.set(name, verdict(this.has(name), that.has(name)))
    }
    for (const suffix of [...this.below.keys(), ...that.below.keys()]) {
      below.set(suffix, verdict(this.hasBelow(suffix), that.hasBelow(suffix)))
    }
    // Exact because every name and suffix that either set rules on gets a rule of its own here.
    return HostSet.normal(exact, below, verdict(this.any, that.any))
  }

  has(host: string): boolean {
    return this.exact.get(host) ?? inherited(this.below, this.any, host)
  }

  private hasBelow(suffix: string): boolean {
    return this.below.get(suffix) ?? inherited(this.below, this.any, suffix)
  }

  join(others: ReadonlyArray<HostSet>): HostSet {
    const sets = [this, ...others.filter((other) => !other.isEmpty && other !== this)]
    if (sets.length === 1) return this
    if (!sets.every((set) => set.onlyLetsIn)) return HostSet.either(sets)
    const exact = new Map(sets.flatMap((set) => [...set.exact]))
    const below = new Map(sets.flatMap((set) => [...set.below]))
    return HostSet.normal(
      exact,
      below,
      sets.some((set) => set.any)
    )
  }

  /** By halves, so that a long list is not walked once for each of its members. */
  private static either(sets: ReadonlyArray<HostSet>): HostSet {
    const [only = HostSet.empty, second] = sets
    if (second === undefined) return only
    const half = sets.length >> 1
    return HostSet.either(sets.slice(0, half)).combine(HostSet.either(sets.slice(half)), (a, b) => a || b)
  }

  meet(that: HostSet): HostSet {
    return this === that ? this : this.combine(that, (a, b) => a && b)
  }

  /** All of this set but what is in the other: a policy's deny list. */
  without(that: HostSet): HostSet {
    return this.combine(that, (a, b) => a && !b)
  }

  includes(that: HostSet): boolean {
    return that.without(this).isEmpty
  }

  private get onlyLetsIn(): boolean {
    for (const rules of [this.exact, this.below]) for (const rule of rules.values()) if (!rule) return false
    return true
  }

  get isEmpty(): boolean {
    return !this.any && this.exact.size === 0 && this.below.size === 0
  }

  get size(): number {
    return this.exact.size + this.below.size + (this.any ? 1 : 0)
  }

  get key(): string {
    this.joined ??= this.encode().join(" ")
    return this.joined
  }

  /** The pattern that lets this host in, as text. */
  find(host: string): string | undefined {
    const rule = this.exact.get(host)
    return rule === undefined ? this.findAbove(host) : rule ? host : undefined
  }

  /** The pattern that lets in what is below the first dot of a name, as text. */
  private findAbove(name: string): string | undefined {
    if (this.below.size === 0) return this.any ? "*" : undefined
    for (let dot = name.indexOf("."); dot >= 0; dot = name.indexOf(".", dot + 1)) {
      const suffix = name.slice(dot + 1)
      const rule = this.below.get(suffix)
      if (rule !== undefined) return rule ? `*.${suffix}` : undefined
    }
    return this.any ? "*" : undefined
  }

  /** The patterns of this set that the other does not cover whole. */
  missingFrom(held: HostSet): ReadonlyArray<string> {
    const rest = this.without(held)
    const missing = new Set<string | undefined>(rest.any ? ["*"] : [])
    for (const [name, rule] of rest.exact) if (rule) missing.add(this.find(name))
    for (const [suffix, rule] of rest.below) if (rule) missing.add(this.findAbove(`.${suffix}`))
    return [...missing].filter((pattern) => pattern !== undefined).sort()
  }

  beyond(held: HostSet): HostSet {
    const rules = this.missingFrom(held).map((pattern) => [patternOf(pattern), true] as const)
    // What these let in and the set leaves out again stays out.
    return HostSet.fromRules(rules).meet(this)
  }

  show(limit: number): ReadonlyArray<string> {
    const shown: Array<string> = this.any ? ["*"] : []
    for (const [rules, prefix] of [
      [this.below, "*."],
      [this.exact, ""]
    ] as const) {
      for (const [name, rule] of rules) {
        if (shown.length === limit) return shown
        shown.push(`${rule ? "" : "!"}${prefix}${name}`)
      }
    }
    return shown
  }

  /** Patterns; one that starts with `!` leaves out, and the most specific pattern decides. */
  encode(): ReadonlyArray<string> {
    return [...this.show(Number.POSITIVE_INFINITY)].sort()
  }
}

/**
 * @since 0.1.0
 * @category codecs
 */
export const decode = (encoded: ReadonlyArray<string>): Either.Either<HostSet, ScopeInvalid> =>
  Either.map(
    Either.all(
      encoded.map((text) => {
        const rule = !text.startsWith("!")
        const pattern = rule ? Host.parsePattern(text) : Host.parseException(text.slice(1))
        return Either.map(pattern, (parsed) => [parsed, rule] as const)
      })
    ),
    HostSet.fromRules
  )
