/**
 * Trees of paths, whose names are compared as the most forgiving file system compares them. What is asked costs the
 * depth of the path, however many trees there are.
 *
 * @since 0.1.0
 */
import { getOrSet } from "../../Memo.js"
import { fold, foldAll } from "./fold.js"

/**
 * The names of a path, from the root on.
 *
 * @since 0.1.0
 * @category models
 */
export type Segments = ReadonlyArray<string>

interface Node<A> {
  readonly below: Map<string, Node<A>>
  root: A | undefined
}

const node = <A>(): Node<A> => ({ below: new Map(), root: undefined })

/**
 * What is said of each tree, by the path of its root.
 *
 * @since 0.1.0
 * @category models
 */
export class Trees<A> {
  private readonly top = node<A>()

  /** What was said of a tree first stays. */
  add(segments: Segments, said: A): void {
    let at = this.top
    for (const name of foldAll(segments)) at = getOrSet(at.below, name, node<A>)
    at.root ??= said
  }

  /** What is said of the outermost tree that a path, which is absolute, is the root of, or lies in. */
  find(path: string): A | undefined {
    let at: Node<A> | undefined = this.top
    for (let from = 1; from < path.length && at !== undefined && at.root === undefined; ) {
      const next = path.indexOf("/", from)
      const end = next === -1 ? path.length : next
      if (end > from) at = at.below.get(fold(path.slice(from, end)))
      from = end + 1
    }
    return at?.root
  }

  /** What is said of the innermost of these trees. */
  innermost(path: string): A | undefined {
    let at: Node<A> | undefined = this.top
    let found = this.top.root
    for (const name of path.split("/")) {
      if (name === "") continue
      at = at.below.get(fold(name))
      if (at === undefined) break
      found = at.root ?? found
    }
    return found
  }

  /** What is said of a tree whose root is exactly this path. */
  exactly(path: string): A | undefined {
    return this.exactlyFolded(foldAll(path.split("/").filter((name) => name !== "")))
  }

  /** Whether a tree has its root below this path. */
  hasBelow(path: string): boolean {
    return this.hasBelowFolded(foldAll(path.split("/").filter((name) => name !== "")))
  }

  /** @internal */
  hasBelowFolded(folded: Segments): boolean {
    let at: Node<A> | undefined = this.top
    for (const name of folded) {
      at = at.below.get(name)
      if (at === undefined) return false
    }
    return at.below.size > 0
  }

  /** @internal */
  exactlyFolded(folded: Segments): A | undefined {
    let at: Node<A> | undefined = this.top
    for (const name of folded) {
      at = at.below.get(name)
      if (at === undefined) return undefined
    }
    return at.root
  }

  /** @internal */
  findFolded(folded: Segments): A | undefined {
    let at: Node<A> | undefined = this.top
    for (const name of folded) {
      if (at === undefined || at.root !== undefined) break
      at = at.below.get(name)
    }
    return at?.root
  }
}
