/**
 * What one child sees: the authority of its tool, turned into mounts and hosts. A plan is data; whatever holds children
 * carries it out. Mounts and covers are carried out together, outer before inner: of each path the innermost of both at or
 * above it decides, and a cover before a mount at the same path. A mount may lie inside of what is frozen; none lies inside
 * of what is hidden.
 *
 * @since 0.1.0
 */
import { isWithin } from "./paths.js"

/**
 * A file, or a directory with all that is in it, at the path that it has outside.
 *
 * @since 0.1.0
 * @category models
 */
export interface Mount {
  readonly path: string
  readonly kind: "tree" | "file"
  readonly access: "read" | "write"
}

/**
 * Something inside a mount that the child does not get. `hidden` is empty to it, `frozen` can be read and not changed.
 *
 * @since 0.1.0
 * @category models
 */
export interface Cover {
  readonly path: string
  readonly kind: "directory" | "file"
  readonly as: "hidden" | "frozen"
  readonly reason: string
}

/**
 * A host that is granted by its full name: programs that know of no proxy reach it by an address of its own.
 *
 * @since 0.1.0
 * @category models
 */
export interface Door {
  readonly host: string
  readonly port: number
}

/**
 * @since 0.1.0
 * @category models
 */
export interface LeftOut {
  /** What the authority permits, as it is written there. */
  readonly what: string
  readonly why: string
  /** It is about where the command may run, and not about what it may touch. */
  readonly of?: "command"
}

/**
 * @since 0.1.0
 * @category models
 */
export interface Plan {
  /** Outer before inner. */
  readonly mounts: ReadonlyArray<Mount>
  /** Outer before inner; all inside of mounts. */
  readonly covers: ReadonlyArray<Cover>
  /** Links that lead to what is mounted, from where nothing is: `[path, target]`. */
  readonly links: ReadonlyArray<readonly [path: string, target: string]>
  readonly cwd: string
  /** The file that is executed, which is visible wherever it lies. */
  readonly binary: string
  /** Whether it may reach any host at all; each connection is asked about. */
  readonly reaches: boolean
  readonly doors: ReadonlyArray<Door>
  /** What the authority permits and the child does not get, because it cannot be expressed exactly. */
  readonly leftOut: ReadonlyArray<LeftOut>
}

/**
 * The outermost of the trees among these mounts: what lies inside of one is looked through with it.
 *
 * @since 0.1.0
 * @category deciding
 */
export const outermost = (mounts: ReadonlyArray<Mount>): ReadonlyArray<string> => {
  const trees = mounts.filter(({ kind }) => kind === "tree").map(({ path }) => path)
  return trees.filter((path) => !trees.some((other) => other !== path && isWithin(path, other)))
}

/**
 * What a child may do with what is at a path: `hidden` is there and empty to it, `none` is not there at all. The system's
 * own files and the binary are not counted.
 *
 * @since 0.1.0
 * @category models
 */
export type Access = "none" | "hidden" | "read" | "write"

/**
 * Says of each path what a child may do there.
 *
 * @since 0.1.0
 * @category deciding
 */
export const viewOf = ({
  covers,
  mounts
}: {
  readonly covers: Iterable<Cover> | ReadonlyMap<string, Cover>
  readonly mounts: Iterable<Mount>
}): ((path: string) => Access) => {
  const covered: ReadonlyMap<string, Cover> =
    covers instanceof Map ? covers : new Map([...(covers as Iterable<Cover>)].map((one) => [one.path, one]))
  const mounted = new Map([...mounts].map((one) => [one.path, one]))
  return (path) => {
    for (let at = path; at !== ""; at = at.slice(0, at.lastIndexOf("/"))) {
      const cover = covered.get(at)
      if (cover !== undefined) return cover.as === "hidden" ? "hidden" : "read"
      const mount = mounted.get(at)
      if (mount !== undefined && (mount.kind === "tree" || at === path)) return mount.access
    }
    return "none"
  }
}
