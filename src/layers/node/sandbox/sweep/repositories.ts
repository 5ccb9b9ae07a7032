/** What stays of a repository that a child made: all but what runs, and what leads to what runs. */
import { dirname, resolve } from "node:path"
import { reduce } from "../../../../policy/confinement/GitConfig.js"
import type { Finding } from "../../../../policy/confinement/Look.js"
import type { Directory, Entries } from "./entry.js"

/** More than that no settings and no pointer have. */
const MOST = 1024 * 1024

/** What git says of a repository without settings. */
const LEAST = "[core]\n\trepositoryformatversion = 0\n"

/** `take`: it goes. `write`: it becomes this, and what it held is kept if that says why. */
export type Treatment =
  | { readonly _tag: "Leave" }
  | { readonly _tag: "Take"; readonly reason: string }
  | {
      readonly _tag: "Write"
      readonly text: string
      readonly held: Buffer
      readonly dropped: ReadonlyArray<string>
    }

const leave: Treatment = { _tag: "Leave" }

const isWithin = (path: string, root: string): boolean => path.startsWith(`${root}/`)

/** The files of a submodule lie in the repository that it is a module of, and nowhere that is git's. */
const worktreeIn =
  (directory: string) =>
  (value: string): boolean => {
    const [, top] = /^(.*?)\/\.git\/modules\//.exec(`${directory}/`) ?? []
    const files = resolve(directory, value)
    return top !== undefined && isWithin(files, top) && !/\/\.git(?:\/|$)/i.test(files.slice(top.length))
  }

/** Hooks that git itself put there as examples do not run. */
const areExamples = (entries: Entries, directory: Directory, name: string): Promise<boolean> =>
  entries
    .within(`${directory.path}/${name}`, (hooks) =>
      entries
        .names(hooks)
        .every((one) => one.endsWith(".sample") && entries.kind(hooks, one)?.isFile() === true)
    )
    .catch(() => false)

const settings = (entries: Entries, directory: Directory, name: string, reason: string): Treatment => {
  const held = entries.bytes(directory, name, MOST)
  if (held === undefined) return { _tag: "Take", reason }
  const { dropped, text } = reduce(held.toString("utf8"), worktreeIn(directory.path))
  const written = text === "" && name === "config" ? LEAST : text
  return held.equals(Buffer.from(written)) ? leave : { _tag: "Write", text: written, held, dropped }
}

/** Whether git takes a directory for a repository, all of which is there: then its settings were looked at. */
const isWhole = (entries: Entries, path: string): Promise<boolean> =>
  entries
    .within(path, (directory) => {
      const names = new Set(entries.names(directory))
      return ["HEAD", "objects", "refs"].every((name) => names.has(name))
    })
    .catch(() => false)

/** `commondir` of a work tree says that the repository is two directories up, where it is. */
const isOwnPointer = async (entries: Entries, directory: Directory, name: string): Promise<boolean> => {
  if (!/\/worktrees\/[^/]+$/.test(directory.path)) return false
  const text = entries.bytes(directory, name, MOST)?.toString("utf8").replace(/\n$/, "")
  if (name === "commondir") return text === "../.." && isWhole(entries, dirname(dirname(directory.path)))
  return text !== undefined && /^[^\n]*\/\.git$/.test(text)
}

/** A file in the place of a repository leads to a module or a work tree of one around it that the child may write anyway. */
const leadsInside = (
  entries: Entries,
  directory: Directory,
  name: string,
  isWritten: (path: string) => boolean
): boolean => {
  const text = entries.bytes(directory, name, MOST)?.toString("utf8")
  const [, target] = /^gitdir: ([^\n]+)\n?$/.exec(text ?? "") ?? []
  if (target === undefined) return false
  const repository = resolve(directory.path, target)
  const [, top] = /^(.*)\/\.git\/(?:modules\/.+|worktrees\/[^/]+)$/.exec(repository) ?? []
  return top !== undefined && isWritten(repository) && isWritten(dirname(repository))
}

export const treat = async (
  entries: Entries,
  directory: Directory,
  name: string,
  { kind, part, reason }: Finding,
  isWritten: (path: string) => boolean
): Promise<Treatment> => {
  const take: Treatment = { _tag: "Take", reason }
  if (part === "hooks")
    return kind === "directory" && (await areExamples(entries, directory, name)) ? leave : take
  if (part === "settings") return settings(entries, directory, name, reason)
  if (part === "pointer") return (await isOwnPointer(entries, directory, name)) ? leave : take
  return name === ".git" && kind === "file" && leadsInside(entries, directory, name, isWritten) ? leave : take
}
