/** From what tools write to scope sets: the parts that categories share. */
import { Either } from "effect"
import * as Authority from "../policy/lattice/Authority.js"
import type { Glob } from "../policy/lattice/Glob.js"
import type { ScopeInvalid } from "../policy/lattice/ScopeInvalid.js"
import { type Constraints, ScopeSet } from "../policy/lattice/ScopeSet.js"
import type { Listed } from "./Category.js"

export type Parsed<A> = Either.Either<A, ScopeInvalid>

export const everything = Authority.everything.scopes

export const nothing = Authority.nothing.scopes

/** A set like another, of these alternatives. */
const scopeSet = (like: ScopeSet, alternatives: ReadonlyArray<Parsed<Constraints>>): Parsed<ScopeSet> =>
  Either.map(Either.all(alternatives), (all) => ScopeSet.make(like.dimensions, all))

/** One alternative for each text, on the one dimension of that name. */
export const scopesOf = (
  like: ScopeSet,
  dimension: string,
  parse: (text: string) => Parsed<Glob>,
  texts: ReadonlyArray<string>
): Parsed<ScopeSet> =>
  scopeSet(
    like,
    texts.map((text) => Either.map(parse(text), (glob): Constraints => ({ [dimension]: [glob] })))
  )

/** The same scope for each verb that is declared, and none for the others. */
export const forVerbs = <V extends string, S>(verbs: ReadonlyArray<V>, scope: S): { readonly [K in V]?: S } =>
  Object.fromEntries(verbs.map((verb) => [verb, scope])) as { readonly [K in V]?: S }

/** Each verb with each of the names that it is limited to, if it is. */
export const listedVerbs = (
  key: string,
  verbs: ReadonlyArray<string>,
  limit: string,
  names: ReadonlyArray<string> | undefined
): ReadonlyArray<Listed> =>
  verbs.flatMap(
    (verb): ReadonlyArray<Listed> =>
      names === undefined
        ? [{ key, value: verb, alone: { verbs: [verb] }, open: true }]
        : names.map((name) => ({
            key,
            value: `${verb} of ${name}`,
            alone: { verbs: [verb], [limit]: [name] },
            open: false
          }))
  )
