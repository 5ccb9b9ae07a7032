/** Where grants of files and commands are rooted: the grant's own directory, the agent's, the workspace's. */
import { Either } from "effect"
import * as Path from "../lattice/dimensions/Path.js"
import * as Glob from "../lattice/Glob.js"
import { quote } from "../text/Quote.js"
import { type GrantReading, invalid, wrong } from "./scope.js"

/** What `~` stands for, and where a path really leads. */
export interface Anchors {
  readonly home?: string | undefined
  readonly real?: ((path: string) => string) | undefined
}

/** A directory as it was written, its whole path, and its tree in each spelling. */
export interface Root {
  readonly written: string
  readonly path: string
  readonly tree: Glob.Glob
  readonly real: Glob.Glob
  /** It was written and cannot be read: nothing lies in it. */
  readonly nowhere?: true
}

const expanded = (written: string, { home }: Anchors): GrantReading<string> => {
  if (written !== "~" && !written.startsWith("~/")) return Either.right(written)
  return home === undefined || home === ""
    ? wrong(
        "PATH_INVALID",
        `${quote(written)} starts at a home, and there is none here`,
        "write the whole path"
      )
    : Either.right(`${home}${written.slice(1)}`)
}

const treeOf = (path: string): GrantReading<Glob.Glob> =>
  Either.mapLeft(Path.parseTree(path), invalid("PATH_INVALID"))

const globOf = (path: string): GrantReading<Glob.Glob> =>
  Either.mapLeft(Path.path.parse(path), invalid("PATH_INVALID"))

const spelt = (tree: Glob.Glob): string =>
  `/${tree.tokens.flatMap((token) => (token._tag === "Literal" ? [token.text] : [])).join("/")}`

export const rootOf = (written: string, places: Anchors): GrantReading<Root> =>
  Either.flatMap(Either.flatMap(expanded(written, places), treeOf), (tree) => {
    const path = spelt(tree)
    const real = places.real?.(path) ?? path
    return Either.map(real === path ? Either.right(tree) : treeOf(real), (leads) => ({
      written,
      path,
      tree,
      real: leads
    }))
  })

/** What a root that cannot be read leaves: a bound that is not understood must not widen. */
export const nowhere = (written: string): Root => {
  const tree = Glob.exact(["\u0000"])
  return { written, path: written, tree, real: tree, nowhere: true }
}

/** Whether one root lies in another, as it is written and where it leads. */
const lies = (inner: Root, outer: Root): boolean =>
  [inner.tree, inner.real].every((tree) => Glob.includes(outer.tree, tree) || Glob.includes(outer.real, tree))

export type Clamped =
  | { readonly _tag: "Same"; readonly root: Root }
  | { readonly _tag: "Narrowed"; readonly root: Root }
  | { readonly _tag: "Outside" }

/** What of a root is left below another: roots only narrow. */
export const clamp = (root: Root, bound: Root | undefined): Clamped => {
  if (bound === undefined || lies(root, bound)) return { _tag: "Same", root }
  return bound.nowhere !== true && lies(bound, root) ? { _tag: "Narrowed", root: bound } : { _tag: "Outside" }
}

export const spellings = ({ real, tree }: Root): ReadonlyArray<Glob.Glob> =>
  real.key === tree.key ? [tree] : [tree, real]

/** A path of a grant below its root, in each spelling of that. An absolute one must lie in it. */
export const below = (root: Root, written: string, places: Anchors): GrantReading<ReadonlyArray<Glob.Glob>> =>
  Either.gen(function* () {
    const text = yield* expanded(written, places)
    const path = text.startsWith("/") ? text : `${root.path === "/" ? "" : root.path}/${text}`
    const glob = yield* globOf(path)
    if (!Glob.includes(root.tree, glob)) {
      return yield* wrong(
        "PATH_INVALID",
        `the path ${quote(written)} is outside of ${quote(root.written)}`,
        "write a path below 'in', or another 'in'"
      )
    }
    const rest = glob.tokens.slice(root.tree.literals)
    return spellings(root).map((tree) => Glob.make([...tree.tokens.slice(0, -1), ...rest]))
  })
