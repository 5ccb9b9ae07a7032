/**
 * Entries that allow each by itself, cut down to what is needed of them together. How an entry is written is for whoever
 * writes it; here is what it must still give.
 *
 * @since 0.1.0
 */
import type { ScopeSet } from "./ScopeSet.js"

/**
 * `gives` is what an entry gives; `cut` is what stands in its place so that this much of it is still given, and may be
 * itself alone.
 *
 * @since 0.1.0
 * @category models
 */
export interface Notation<A> {
  readonly gives: (entry: A) => ScopeSet
  readonly cut: (entry: A, needed: ScopeSet) => ReadonlyArray<A>
}

/** So many are compared with one another; of more, those come first that are written first. */
const FEW = 64

interface Wide<A> {
  readonly entry: A
  readonly at: number
  readonly gives: ScopeSet
  readonly needed: ScopeSet
}

/** The narrow before the wide: where both give what is needed, the wide one is not. */
const narrowFirst = <A>(all: ReadonlyArray<Wide<A>>): ReadonlyArray<Wide<A>> => {
  if (all.length > FEW) return all
  const widths = new Map(all.map((one) => [one, all.filter(({ gives }) => one.gives.includes(gives)).length]))
  return all.toSorted((a, b) => (widths.get(a) ?? 0) - (widths.get(b) ?? 0) || a.at - b.at)
}

/** Without those that another one gives anyway: what is written may come out wider than what was needed. */
const irredundant = <A>(entries: ReadonlyArray<A>, gives: Notation<A>["gives"]): ReadonlyArray<A> => {
  if (entries.length < 2 || entries.length > FEW) return entries
  const sets = entries.map(gives)
  return entries.filter(
    (_, at) =>
      !sets.some(
        (other, i) =>
          i !== at &&
          other.includes(sets[at] as ScopeSet) &&
          (i < at || !(sets[at] as ScopeSet).includes(other))
      )
  )
}

/** What one of them gives is not asked of another again; one that is needed as it is stays. */
const once = <A>(
  entries: ReadonlyArray<A>,
  needs: ScopeSet,
  { cut, gives }: Notation<A>
): ReadonlyArray<ReadonlyArray<A>> => {
  const made = entries.map((entry): ReadonlyArray<A> => [entry])
  const whole: Array<ScopeSet> = []
  const wide: Array<Wide<A>> = []
  for (const [at, entry] of entries.entries()) {
    const own = gives(entry)
    const needed = own.meet(needs)
    if (needed.includes(own)) whole.push(own)
    else wide.push({ entry, at, gives: own, needed })
  }
  let accepted = needs.beyond(needs).join(whole)
  for (const { at, entry, needed } of narrowFirst(wide)) {
    const stays = irredundant(cut(entry, needed.beyond(accepted)), gives)
    made[at] = stays
    accepted = accepted.join(stays.map(gives))
  }
  return made
}

/** Each time there is less to cut; it is mostly over after the second. */
const MOST_ROUNDS = 8

/**
 * What stands in the place of each entry, so that together they give all that is needed of what they gave. It is done
 * again until nothing changes: one that is narrower by now may give what another was kept for.
 *
 * @since 0.1.0
 * @category lattice
 */
export const cutAll = <A>(
  entries: ReadonlyArray<A>,
  needs: ScopeSet,
  notation: Notation<A>
): ReadonlyArray<ReadonlyArray<A>> => {
  let all = entries.map((entry, at) => ({ entry, at }))
  for (let round = 0; round < MOST_ROUNDS; round++) {
    const before = all.map(({ entry }) => entry)
    const made = once(before, needs, notation)
    if (made.every(([first, second], i) => first === before[i] && second === undefined)) break
    all = all.flatMap(({ at }, i) => (made[i] ?? []).map((entry) => ({ entry, at })))
  }
  const stays: Array<Array<A>> = entries.map(() => [])
  for (const { at, entry } of all) stays[at]?.push(entry)
  return stays
}
