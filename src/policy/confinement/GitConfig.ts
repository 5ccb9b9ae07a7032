/**
 * Settings of a repository, reduced to those that run nothing. A child may make a repository; what it writes into its
 * settings is read later by whoever uses git there, and git runs what settings name: monitors, filters, pagers, helpers,
 * hooks at other places. So only keys on the list stay, each with a value of the kind that it has, and the rest goes. What is
 * kept is written anew, so that no other reader finds more in it.
 *
 * @since 0.1.0
 */
import { hasControl } from "../text/Quote.js"

/**
 * @since 0.1.0
 * @category models
 */
export interface Reduced {
  /** As git itself would write it. */
  readonly text: string
  /** The keys that went, without the middle part of their names, which may be anything. */
  readonly dropped: ReadonlyArray<string>
}

type Fits = (value: string) => boolean

const is =
  (pattern: RegExp): Fits =>
  (value) =>
    pattern.test(value)

const bool = is(/^(?:true|false|yes|no|on|off|0|1)$/i)
const whole = is(/^\d{1,9}$/)
const word = is(/^[\w.-]{1,200}$/)
const refName = is(/^[\w./@+-]{1,500}$/)
const refSpec = is(/^[+^]?[\w./@*+-]{0,500}(?::[\w./@*+-]{0,500})?$/)
const plain: Fits = (value) => value.length <= 500

/** What git fetches by itself. Whatever has `::` in front, and every option, would start another program. */
const url: Fits = (value) =>
  value.length <= 2000 &&
  !value.startsWith("-") &&
  !/^[\w+.-]+::/.test(value) &&
  (/^(?:https?|git|ssh|file):\/\/[^-\s][^\s]*$/i.test(value) ||
    /^(?:[\w.-]+@)?[\w][\w.-]*:(?!\/\/)[^-\s:][^\s]*$/.test(value) ||
    /^(?:\/|\.\.?\/)/.test(value))

/** A remote by its name, or this repository. */
const remote: Fits = (value) => !value.startsWith("-") && is(/^[\w./-]{1,200}$/)(value)

const either =
  (...words: ReadonlyArray<string>): Fits =>
  (value) =>
    words.includes(value.toLowerCase())

const or =
  (...all: ReadonlyArray<Fits>): Fits =>
  (value) =>
    all.some((fits) => fits(value))

/** Sections without a middle part. */
const single: ReadonlyMap<string, Fits> = new Map<string, Fits>([
  ["core.repositoryformatversion", either("0", "1")],
  ["core.filemode", bool],
  ["core.bare", bool],
  ["core.logallrefupdates", or(bool, either("always"))],
  ["core.symlinks", bool],
  ["core.ignorecase", bool],
  ["core.precomposeunicode", bool],
  ["core.autocrlf", or(bool, either("input"))],
  ["core.eol", either("lf", "crlf", "native")],
  ["core.quotepath", bool],
  ["core.abbrev", whole],
  ["core.sparsecheckout", bool],
  ["core.sparsecheckoutcone", bool],
  ["extensions.objectformat", either("sha1", "sha256")],
  ["extensions.refstorage", either("files", "reftable")],
  ["extensions.worktreeconfig", bool],
  ["extensions.partialclone", remote],
  ["submodule.active", plain],
  ["user.name", plain],
  ["user.email", plain],
  ["pull.rebase", or(bool, either("merges"))],
  ["pull.ff", or(bool, either("only"))],
  ["push.default", word],
  ["fetch.prune", bool],
  ["gc.auto", whole]
])

/** Sections of something that has a name. */
const named: ReadonlyMap<string, Fits> = new Map<string, Fits>([
  ["remote.url", url],
  ["remote.pushurl", url],
  ["remote.fetch", refSpec],
  ["remote.push", refSpec],
  ["remote.mirror", bool],
  ["remote.prune", bool],
  ["remote.tagopt", either("--tags", "--no-tags")],
  ["remote.promisor", bool],
  ["remote.partialclonefilter", is(/^[\w:.=-]{1,200}$/)],
  ["branch.remote", remote],
  ["branch.pushremote", remote],
  ["branch.merge", refName],
  ["branch.rebase", or(bool, either("merges"))],
  ["submodule.url", url],
  ["submodule.active", bool],
  ["submodule.branch", refName],
  ["submodule.update", either("checkout", "rebase", "merge", "none")]
])

const HEADER = /^\s*\[([A-Za-z0-9-]+)(?:[ \t]+"((?:[^"\\]|\\["\\])*)")?\]\s*$/
const ENTRY = /^\s*([A-Za-z][A-Za-z0-9-]*)\s*(?:=(.*))?$/s

const escapes: Readonly<Record<string, string>> = { '"': '"', "\\": "\\", n: "\n", t: "\t", b: "\b" }

/** What git reads from behind the sign; nothing where it would go on in another line, or cannot be read. */
const valueOf = (text: string): string | undefined => {
  let value = ""
  let kept = 0
  let isQuoted = false
  const trimmed = text.trimStart()
  for (let at = 0; at < trimmed.length; at++) {
    const character = trimmed[at] as string
    if (character === '"') isQuoted = !isQuoted
    else if (character === "\\") {
      const next = escapes[trimmed[++at] ?? ""]
      if (next === undefined) return undefined
      value += next
      kept = value.length
      continue
    } else if (!isQuoted && (character === "#" || character === ";")) break
    else value += character
    if (isQuoted || !/\s/.test(character)) kept = value.length
  }
  return isQuoted ? undefined : value.slice(0, kept)
}

interface Section {
  readonly name: string
  readonly of: string | undefined
  readonly lines: Array<string>
}

const quoted = (text: string): string => text.replace(/["\\]/g, "\\$&")

const printedValue = (value: string): string =>
  /^\s|\s$|[#;]/.test(value) ? `"${quoted(value)}"` : quoted(value)

const print = ({ lines, name, of }: Section): string =>
  [of === undefined ? `[${name}]` : `[${name} "${quoted(of)}"]`, ...lines, ""].join("\n")

/**
 * Keeps what runs nothing. `isWorktree` says of a value whether the files of the repository may be there: without it they
 * are where they always are.
 *
 * @since 0.1.0
 * @category deciding
 */
export const reduce = (text: string, isWorktree: (value: string) => boolean = () => false): Reduced => {
  const sections: Array<Section> = []
  const dropped = new Set<string>()
  let current: Section | undefined
  const open = (name: string, of: string | undefined): void => {
    current = { name: name.toLowerCase(), of: of?.replace(/\\(["\\])/g, "$1"), lines: [] }
    if (of !== undefined && hasControl(of)) current = undefined
    else sections.push(current)
  }
  const take = (section: Section, key: string, value: string | undefined): void => {
    const name = `${section.name}.${key.toLowerCase()}`
    const fits =
      name === "core.worktree" && section.of === undefined
        ? isWorktree
        : (section.of === undefined ? single : named).get(name)
    if (fits !== undefined && value !== undefined && !hasControl(value) && fits(value)) {
      section.lines.push(`\t${key} = ${printedValue(value)}`)
    } else dropped.add(name)
  }
  for (const line of text.split("\n")) {
    if (/^\s*(?:[#;].*)?$/s.test(line)) continue
    const [isHeader, name = "", of] = HEADER.exec(line) ?? []
    const [isEntry, key = "", written] = ENTRY.exec(line) ?? []
    if (isHeader !== undefined) open(name, of)
    else if (isEntry !== undefined && current !== undefined) {
      take(current, key, written === undefined ? "true" : valueOf(written))
    } else {
      // Nobody knows what such a line does to the next ones.
      dropped.add("what cannot be read")
      current = undefined
    }
  }
  return {
    text: sections
      .filter(({ lines }) => lines.length > 0)
      .map(print)
      .join(""),
    dropped: [...dropped].sort()
  }
}
