/**
 * Where else git runs hooks from, or reads settings: `core.hooksPath` names a directory, `include` names files, and links lead
 * to both. What is named so is guarded as hooks and settings of a repository are. Conditions are taken to hold.
 */

import { getOrSet } from "../Memo.js"
import { type GitSetting, settingsIn } from "./gitSettings.js"
import type { Finding, Kept, Look, Text } from "./Look.js"
import { follow } from "./links.js"
import { join, parentOf } from "./paths.js"
import { isRepository } from "./repository.js"

const HOOKS = "hooks of git, where its settings name them"
const SETTINGS = "settings of git, which name programs to run"
const UNREAD = "settings of git that nobody could read, which may name hooks anywhere in it"

/** As deep as git follows them, and as many files in all as anybody has. */
const DEPTH = 10
const FILES = 64

/** A repository: where its settings are, and where paths in them may begin. */
interface Repository {
  readonly settings: ReadonlyArray<string>
  readonly bases: ReadonlyArray<string>
}

interface Asked {
  readonly look: Look
  readonly homes: ReadonlyArray<string>
}

const absolute = (base: string, path: string): string => (path.startsWith("/") ? path : join(base, path))

/** What a value may mean to git. Homes of others are where they usually are. */
const meant = (homes: ReadonlyArray<string>, base: string, value: string): ReadonlyArray<string> => {
  const [, name, rest = ""] = /^~([^/]*)(\/.*)?$/s.exec(value) ?? []
  if (name === undefined) return value === "" || value.startsWith("%(prefix)/") ? [] : [absolute(base, value)]
  if (name === "") return homes.map((home) => `${home}${rest}`)
  return [`/home/${name}${rest}`, ...(name === "root" ? [`/root${rest}`] : [])]
}

/** Of a file, or of one that a link leads to, which few are. */
const readAt = (look: Look, path: string): Text => {
  const text = look.text(path)
  return text === "none" && look.kind(path) === "link" ? look.text(follow(look, path).path) : text
}

const textOf = (look: Look, path: string): string | undefined => {
  const read = readAt(look, path)
  return typeof read === "string" ? undefined : read.text
}

const parsed = new WeakMap<Exclude<Text, string>, ReadonlyArray<GitSetting>>()

/** Everything that settings say, with what they include; or that nobody could read it. */
const readAll = ({ homes, look }: Asked, files: ReadonlyArray<string>) => {
  const said: Array<GitSetting> = []
  const included: Array<string> = []
  let isUnread = false
  let left = FILES
  const read = (path: string, depth: number): void => {
    if (depth > DEPTH || --left < 0) {
      isUnread = true
      return
    }
    // What is included is spelt as somebody wrote it.
    const text = depth === 0 ? readAt(look, path) : look.text(follow(look, path).path)
    if (text === "unread") isUnread = true
    if (typeof text === "string") return
    for (const setting of getOrSet(parsed, text, () => settingsIn(text.text))) {
      said.push(setting)
      if (setting.name !== "include.path" && setting.name !== "includeif.path") continue
      for (const one of meant(homes, parentOf(path), setting.value)) {
        included.push(one)
        read(one, depth + 1)
      }
    }
  }
  for (const path of files) read(path, 0)
  return { said, included, isUnread }
}

const named = (said: ReadonlyArray<GitSetting>, name: string): ReadonlyArray<string> =>
  said.filter((one) => one.name === name).map(({ value }) => value)

/** Hooks run in the files of a repository, or in the repository itself. */
const placesOf = (asked: Asked, { bases, settings }: Repository): ReadonlyArray<Kept> => {
  const { included, isUnread, said } = readAll(asked, [...settings, ...ofUser(asked)])
  const frozen = (path: string, reason: string): Kept => ({ path, as: "frozen", reason })
  const [own = "/"] = settings.map(parentOf)
  const roots = [...bases, ...named(said, "core.worktree").flatMap((value) => meant(asked.homes, own, value))]
  return [
    ...named(said, "core.hookspath").flatMap((value) =>
      roots.flatMap((root) => meant(asked.homes, root, value)).map((path) => frozen(path, HOOKS))
    ),
    ...included.map((path) => frozen(path, SETTINGS)),
    ...(isUnread ? roots.map((path) => frozen(path, UNREAD)) : [])
  ]
}

const ofUser = ({ homes }: Asked): ReadonlyArray<string> => [
  "/etc/gitconfig",
  ...homes.flatMap((home) => [`${home}/.gitconfig`, `${home}/.config/git/config`])
]

/** Work trees elsewhere, whose own directory in the repository says where they are. */
const worktreesOf = (look: Look, directory: string, found: ReadonlyArray<Finding>): ReadonlyArray<string> =>
  found.flatMap(({ part, path }) => {
    const isOf = part === "pointer" && path.startsWith(`${directory}/`) && path.endsWith("/gitdir")
    const text = isOf ? textOf(look, path)?.trim() : undefined
    return text === undefined || text === "" ? [] : [parentOf(absolute(parentOf(path), text))]
  })

const inDirectory = (look: Look, directory: string, found: ReadonlyArray<Finding>): Repository => ({
  settings: [join(directory, "config"), join(directory, "config.worktree")],
  bases: [
    ...(isRepository(directory.slice(directory.lastIndexOf("/") + 1)) ? [parentOf(directory)] : []),
    directory,
    ...worktreesOf(look, directory, found)
  ]
})

/** A file in the place of a repository says where that is. */
const byFile = (look: Look, file: string): ReadonlyArray<Repository> => {
  const [, target] = /^gitdir: ([^\n]+)/.exec(textOf(look, file) ?? "") ?? []
  if (target === undefined) return []
  const directory = follow(look, absolute(parentOf(file), target.trim())).path
  const common = textOf(look, join(directory, "commondir"))?.trim()
  const shared = common === undefined ? [] : [follow(look, absolute(directory, common)).path]
  return [
    {
      settings: [directory, ...shared].flatMap((one) => [join(one, "config"), join(one, "config.worktree")]),
      bases: [parentOf(file), directory]
    }
  ]
}

const at = (look: Look, path: string, found: ReadonlyArray<Finding>): ReadonlyArray<Repository> => {
  const kind = look.kind(path)
  if (kind === "directory") return [inDirectory(look, path, found)]
  if (kind === "file") return byFile(look, path)
  const way = kind === "link" ? follow(look, path) : undefined
  if (way?.kind !== "directory") return []
  const { bases, settings } = inDirectory(look, way.path, found)
  return [{ settings, bases: [parentOf(path), ...bases] }]
}

/** Of the directories above a mount, which may be files of a repository as well. */
const above = (look: Look, roots: ReadonlyArray<string>): ReadonlyArray<Repository> => {
  const seen = new Set<string>()
  for (const root of roots) for (let one = root; one !== "/"; one = parentOf(one)) seen.add(parentOf(one))
  return [...seen].flatMap((directory) => at(look, join(directory, ".git"), []))
}

/** The place itself, where it leads, and every link on the way: whoever replaced one would decide what runs. */
const withWay = (look: Look, { path, ...rest }: Kept): ReadonlyArray<Kept> => {
  const way = follow(look, path)
  return [...way.passed, way.path].map((one) => ({ path: one, ...rest }))
}

/** What of repositories is a link leads to hooks, and to settings, too. */
const linked = (found: ReadonlyArray<Finding>): ReadonlyArray<Kept> =>
  found.flatMap(({ kind, part, path, reason }) =>
    kind === "link" && (part === "hooks" || part === "settings") ? [{ path, as: "frozen", reason }] : []
  )

export const hooksOf = (
  asked: Asked,
  roots: ReadonlyArray<string>,
  found: ReadonlyArray<Finding>
): ReadonlyArray<Kept> => {
  const { look } = asked
  const directories = new Set(
    found.flatMap(({ part, path }) => (part === "settings" ? [parentOf(path)] : []))
  )
  const leading = found.filter(
    ({ kind, path }) => kind !== "directory" && isRepository(path.slice(path.lastIndexOf("/") + 1))
  )
  const repositories = [
    ...[...directories].map((directory) => inDirectory(look, directory, found)),
    ...leading.flatMap(({ path }) => at(look, path, found)),
    ...above(look, roots)
  ]
  const all = [...linked(found), ...repositories.flatMap((one) => placesOf(asked, one))]
  const places = new Map(all.flatMap((one) => withWay(look, one)).map((one) => [one.path, one]))
  return [...places.values()]
}
