/**
 * What is there, as far as a plan needs to know it. A layer looks at the disk; tests look at a tree that is data.
 *
 * @since 0.1.0
 */

/**
 * `other` is whatever is neither of these: pipes, sockets, devices.
 *
 * @since 0.1.0
 * @category models
 */
export type Kind = "directory" | "file" | "link" | "other"

/**
 * @since 0.1.0
 * @category models
 */
export interface Entry {
  readonly name: string
  readonly kind: Kind
}

/**
 * What of a repository runs, or leads to what runs: hooks, settings, and what says where else both are read from.
 *
 * @since 0.1.0
 * @category models
 */
export type Part = "hooks" | "settings" | "pointer"

/**
 * What a directory is to the judge. In `packages` and `settled` ones names that run later by themselves mean nothing:
 * packages bring theirs along, and what is inside of a repository is for git alone. `git` is a repository, and
 * `modules` and `worktrees` hold more of them; `bare` is one by its contents and not by its name, and else like any other. `frozen` ones are guarded as a whole already.
 *
 * @since 0.1.0
 * @category models
 */
export type Where =
  | "plain"
  | "packages"
  | "settled"
  | "git"
  | "modules"
  | "worktrees"
  | "bare"
  | "bareWorktrees"
  | "frozen"

/**
 * @since 0.1.0
 * @category models
 */
export interface Finding {
  readonly path: string
  readonly kind: Kind
  readonly as: "hidden" | "frozen"
  readonly reason: string
  /** Which part of a repository it is, where it is found for that. */
  readonly part?: Part | undefined
  /** It is there because of what it is, and not because of its name. */
  readonly isSpecial?: boolean | undefined
  /**
   * Why nobody knows what is in this directory: it cannot be listed, its name cannot be asked for, or it holds a directory
   * by a name that is no text.
   */
  readonly unseen?: "locked" | "name" | "text" | undefined
}

/**
 * @since 0.1.0
 * @category models
 */
export interface Judged {
  readonly found: ReadonlyArray<Finding>
  /** The directories in it that are to be looked through. */
  readonly enter: ReadonlyArray<readonly [name: string, where: Where]>
}

/**
 * @since 0.1.0
 * @category models
 */
export interface Judge {
  /** Judges with equal keys give equal answers. */
  readonly key: string
  /** What a directory is to whoever begins to look there. */
  readonly whereOf: (root: string) => Where
  readonly directory: (path: string, where: Where, entries: ReadonlyArray<Entry>) => Judged
  /** A directory that nobody could look into. */
  readonly unreadable: (path: string, reason: string) => Finding
}

/**
 * What a tree holds that is not for the child, or why nobody can tell.
 *
 * @since 0.1.0
 * @category models
 */
export type Surveyed =
  | { readonly isWhole: true; readonly found: ReadonlyArray<Finding> }
  | { readonly isWhole: false; readonly why: string }

/**
 * What a small file holds: `unread` is there, and nobody could read all of it.
 *
 * @since 0.1.0
 * @category models
 */
export type Text = { readonly text: string } | "none" | "unread"

/**
 * Paths are absolute, and no link leads to them.
 *
 * @since 0.1.0
 * @category models
 */
export interface Look {
  /** What is at a path, itself and not where it leads. */
  readonly kind: (path: string) => Kind | undefined
  /** What a link says. */
  readonly target: (path: string) => string | undefined
  /** What is in a directory; nothing where that cannot be told. */
  readonly entries: (path: string) => ReadonlyArray<Entry> | undefined
  /** What settings and pointers of git say. */
  readonly text: (path: string) => Text
  /** All that the judge finds in a tree, however deep. */
  readonly survey: (root: string, judge: Judge) => Surveyed
}

/**
 * A file or a tree that the layers of this program keep for themselves: closed, or only guarded against changes.
 *
 * @since 0.1.0
 * @category models
 */
export interface Kept {
  readonly path: string
  readonly as: Finding["as"]
  readonly reason: string
}
