/** How the places of the floor are written down. */

/**
 * A path below where its group is looked for, in lower case, and why it is there. `*` stands for any part of a name, and
 * `<word>` at its end for letters and digits that are not the ending of a source or a text.
 */
export type Entry = readonly [path: string, reason: string]

export interface Group {
  readonly title: string
  /** Below the root of the machine, below each home, below the root of the workspace, or at any depth. */
  readonly where: "root" | "home" | "workspace" | "anywhere"
  /** Whether reading is refused too. */
  readonly closed: "always" | "to change"
  /** Whether a policy lifts it by naming the exact path: only what runs later by itself. */
  readonly lifts: boolean
  readonly entries: ReadonlyArray<Entry>
}
