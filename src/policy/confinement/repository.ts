/**
 * What of a repository runs, or leads to what runs. The rest of it is git's own, and a child commits to it. Others than the
 * names here are read by nobody who runs something: objects, references, the index, the logs.
 */
import type { Entry, Part, Where } from "./Look.js"

const parts: ReadonlyMap<string, readonly [part: Part, reason: string]> = new Map([
  ["hooks", ["hooks", "hooks of git"]],
  ["config", ["settings", "settings of git, which name programs to run"]],
  ["config.worktree", ["settings", "settings of git, which name programs to run"]],
  ["commondir", ["pointer", "where git reads hooks and settings from"]],
  ["gitdir", ["pointer", "where git reads hooks and settings from"]]
])

/** Some file systems take these for the same names. */
const folded = (name: string): string => name.toLowerCase()

export const isRepository = (name: string): boolean => folded(name) === ".git"

export const partOf = (name: string) => parts.get(folded(name))

const has = (entries: ReadonlyArray<Entry>, name: string, isDirectory: boolean): boolean =>
  entries.some((entry) => folded(entry.name) === name && (!isDirectory || entry.kind !== "file"))

/** What git takes for a repository by what is in it: a part may lie elsewhere, where a pointer leads. */
const isComplete = (entries: ReadonlyArray<Entry>): boolean =>
  has(entries, "head", false) &&
  (has(entries, "commondir", false) || (has(entries, "objects", true) && has(entries, "refs", true)))

/** What a directory turns out to be by what is in it: whatever may lead git there, it runs what this one names. */
export const recognised = (path: string, where: Where, entries: ReadonlyArray<Entry>): Where => {
  if (where === "modules") return has(entries, "head", false) ? "git" : where
  if (where === "settled") return isComplete(entries) ? "git" : where
  const isBare =
    where === "plain" && !isRepository(path.slice(path.lastIndexOf("/") + 1)) && isComplete(entries)
  return isBare ? "bare" : where
}

/** What a directory inside of a repository is. */
export const inside = (name: string): Where => {
  const known = folded(name)
  if (isRepository(name)) return "git"
  return known === "modules" || known === "worktrees" ? known : "settled"
}

export const insideBare = (name: string): Where => (folded(name) === "worktrees" ? "bareWorktrees" : "plain")
