/**
 * Strings at the level of types: which of them are literal, and what a literal host, path or ref says.
 * Nothing here is the last word; the check at run time parses again.
 */

/**
 * True for `"a"`; false for `string`, `a${string}` and `Lowercase<string>`, whose mapped type is an index signature
 * that `{}` satisfies. Distribute before asking: a union with one literal member counts as literal.
 */
export type IsLiteral<S extends string> = {} extends { [K in S]: 1 } ? false : true

declare const atRunTime: unique symbol

/**
 * A string of a declaration that only the run time knows, as `Tool.dynamic` makes it. It covers every literal.
 *
 * @since 0.1.0
 * @category models
 */
export type Dynamic = string & { readonly [atRunTime]: true }

/** A declared list that is not literal would cover every literal; this is the complaint about it. */
export type NotLiteral =
  "capabilities are not literal: write them inline, add 'as const', or give Tool.dynamic what only the run time knows"

/** One declared string: what it supplies when it is literal, and a complaint otherwise. */
export type IfLiteral<D extends string, Supplied, Anything> = {} extends { [K in D]: 1 }
  ? NotLiteral | Anything
  : Supplied

type Before<S extends string, D extends string> = S extends `${infer Head}${D}${string}` ? Head : S

type WithoutPort<S extends string> = S extends `[${infer Address}]${string}` ? `[${Address}]` : Before<S, ":">

type WithoutDot<S extends string> = S extends `${infer Head}.` ? Head : S

type AuthorityOf<Rest extends string> = Before<Before<Before<Before<Rest, "/">, "?">, "#">, "\\">

/** An authority that is more than a plain host name: it has a port, user info, an early end or a final dot. */
export type OddAuthority = "" | `${string}${":" | "@" | "?" | "#" | "\\"}${string}` | `${string}.`

type HostOfAuthority<A extends string> =
  IsLiteral<A> extends false
    ? string
    : A extends "" | `${string}@${string}`
      ? never
      : Lowercase<WithoutDot<WithoutPort<A>>>

/**
 * The host of one literal URL: `string` when it is not fully literal, `never` when the URL can never be allowed
 * (another scheme, none at all, or user info).
 */
export type HostOf<U extends string> = U extends `${infer Scheme}://${infer Rest}`
  ? Lowercase<Scheme> extends "http" | "https"
    ? HostOfAuthority<AuthorityOf<Rest>>
    : IsLiteral<Scheme> extends true
      ? never
      : string
  : IsLiteral<U> extends true
    ? never
    : string

type TrimSlash<P extends string> = P extends `${infer Head}/` ? (Head extends "" ? P : TrimSlash<Head>) : P

/** The paths at and under a declared root: `/etc` covers `/etc` and `/etc/x`, not `/etcx`. */
export type PathPattern<D extends string> =
  TrimSlash<D> extends infer Root extends string
    ? Root extends "/"
      ? `/${string}`
      : Root | `${Root}/${string}`
    : never

/** Any path with a `..` segment. */
export type Climbing = ".." | `../${string}` | `${string}/../${string}` | `${string}/..`

/** A path that starts at the root or at home, so that a declared root can cover it. */
export type Anchored = `/${string}` | "~" | `~/${string}`

/** The strings of a declared list, or a declared word in its place. */
export type Items<L> = L extends ReadonlyArray<infer X extends string> ? X : L extends string ? L : never
