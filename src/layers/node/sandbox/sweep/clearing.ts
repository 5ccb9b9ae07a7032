/** What is done once a child has ended, by what was known of it before: nobody of it may be left. */
import { basename, dirname } from "node:path"
import { setImmediate as immediately } from "node:timers/promises"
import { Effect } from "effect"
import type { Finding } from "../../../../policy/confinement/Look.js"
import { outermost } from "../../../../policy/confinement/Plan.js"
import { codeOf, Trouble } from "../../disk/Trouble.js"
import type { Survey } from "../survey/Survey.js"
import type { Entries } from "./entry.js"
import { isThere, type Known } from "./memory.js"
import { Quarantine } from "./quarantine.js"
import { treat } from "./repositories.js"
import { closed, replaced, type Swept } from "./said.js"
import { uncovered } from "./uncovered.js"

export interface Means {
  readonly survey: Survey
  readonly entries: Entries
  /** A directory, which need not be there yet. */
  readonly quarantine: string
}

export interface Cleared {
  /** What could not be looked through. */
  readonly notes: ReadonlyArray<string>
  readonly swept: ReadonlyArray<Swept>
}

/** How long clearing up keeps others from going on, in milliseconds. */
const SLICE = 8

/** How deep directories that a child has closed are opened, one inside of the other. */
const ROUNDS = 64

const outerFirst = (found: ReadonlyArray<Finding>): ReadonlyArray<Finding> =>
  [...found].sort((a, b) => a.path.split("/").length - b.path.split("/").length)

/** Inside of packages every name stays, but for the command itself. What is part of a repository lies in none. */
const isOfPackages = ({ part, path }: Finding): boolean =>
  part === undefined && path.includes("/node_modules/") && !path.endsWith("/node_modules/bailiwick")

/** `who` made what is found, in the words of the notes. */
export const clear = (
  { before, isWritten, judge, memory }: Known,
  { entries, quarantine: directory, survey }: Means,
  who: string
): Effect.Effect<Cleared> => {
  const gone = (): ReadonlyArray<Swept> => uncovered(memory.covers, memory.identities).map(replaced(who))
  const roots = outermost(memory.mounts.filter(({ access }) => access === "write"))
  if (roots.length === 0) return Effect.sync(() => ({ notes: [], swept: gone() }))
  const spared = new Set(memory.spared)
  const isKnown = (path: string): boolean => before.has(path) || spared.has(path)

  const one = async (quarantine: Quarantine, finding: Finding): Promise<Swept | undefined> => {
    const { path, reason } = finding
    const name = basename(path)
    return entries.within(dirname(path), async (directory) => {
      if (entries.kind(directory, name) === undefined) return undefined
      const treatment = await treat(entries, directory, name, finding, isWritten)
      if (treatment._tag === "Leave") return undefined
      if (treatment._tag === "Take") {
        const to = await quarantine.take(directory, name, reason)
        return { path, reason, said: `was made by ${who}, and was moved to ${to}` }
      }
      const { dropped, held, text } = treatment
      if (dropped.length === 0) {
        entries.replace(directory, name, text)
        return undefined
      }
      const to = await quarantine.keep(path, held, reason)
      entries.replace(directory, name, text)
      return { path, reason, said: `lost ${dropped.join(", ")}; as ${who} made it, it is at ${to}` }
    })
  }

  const relinked = async (
    quarantine: Quarantine,
    { path, reason, target }: (typeof memory.links)[number]
  ): Promise<Swept | undefined> => {
    const name = basename(path)
    return entries.within(dirname(path), async (directory) => {
      if (entries.target(directory, name) === target) return undefined
      const isReplaced = entries.kind(directory, name) !== undefined
      const to = isReplaced ? await quarantine.take(directory, name, reason) : undefined
      entries.link(directory, name, target)
      const was =
        to === undefined ? `was removed by ${who}` : `was replaced by ${who} with what is now at ${to}`
      return { path, reason, said: `${was}, and was put back` }
    })
  }

  /** What nobody can ask for by its name goes first: what else is in the directory is then looked at as it is. */
  const renamed = (quarantine: Quarantine, { path, reason }: Finding): Promise<Swept | undefined> =>
    entries.within(path, async (directory) => {
      const all: Array<string> = []
      for (const name of entries.named(directory)) all.push(await quarantine.take(directory, name, reason))
      if (all.length === 0) return undefined
      return { path, reason, said: `lost what ${who} made in it, which is now at ${all.join(", ")}` }
    })

  const swept = async (
    after: ReadonlyArray<Finding>,
    nameless: ReadonlyArray<Finding>
  ): Promise<ReadonlyArray<Swept>> => {
    const quarantine = new Quarantine(entries, directory)
    const gone: Array<Swept> = []
    let since = performance.now()
    const tried = async (
      path: string,
      reason: string,
      work: () => Promise<Swept | undefined>
    ): Promise<void> => {
      if (performance.now() - since > SLICE) {
        await immediately()
        since = performance.now()
      }
      try {
        const result = await work()
        if (result !== undefined) gone.push(result)
      } catch (error) {
        const code = error instanceof Trouble ? error.code : codeOf(error)
        // It went away by itself, or with what it lay in.
        if (code === "ENOENT") return
        gone.push({
          path,
          reason,
          said: `was made by ${who} and could not be moved away (${code}); look at it first`
        })
      }
    }
    for (const link of memory.links) await tried(link.path, link.reason, () => relinked(quarantine, link))
    for (const one of nameless) await tried(one.path, one.reason, () => renamed(quarantine, one))
    for (const finding of after) await tried(finding.path, finding.reason, () => one(quarantine, finding))
    quarantine.list()
    return gone
  }

  const isNew = (finding: Finding): boolean =>
    (finding.isSpecial !== true || finding.unseen === "name") &&
    !isKnown(finding.path) &&
    !isOfPackages(finding) &&
    isWritten(dirname(finding.path))

  const isNewlyUnseen = (finding: Finding, why: Finding["unseen"]): boolean =>
    finding.unseen === why && !isKnown(finding.path) && isWritten(finding.path)

  const looked = Effect.forEach(roots, (root) => survey.walk(root, judge))

  /** Opens what the child has closed, until there is nothing left to open. */
  const opened = Effect.gen(function* () {
    const tried = new Set<string>()
    let walks = yield* looked
    for (let round = 0; round < ROUNDS; round++) {
      const locked = walks
        .flatMap((walk) => walk.found)
        .filter((finding) => isNewlyUnseen(finding, "locked") && !tried.has(finding.path))
      if (locked.length === 0) break
      for (const { path } of locked) {
        tried.add(path)
        entries.open(path)
      }
      walks = yield* looked
    }
    return walks
  })

  const appeared = (): ReadonlyArray<Finding> =>
    memory.absent.flatMap(({ as, path, reason }) =>
      isThere(path) === true ? [{ path, kind: "other" as const, as, reason }] : []
    )

  return Effect.gen(function* () {
    const walks = yield* opened
    const notes = walks.flatMap((walk, i) =>
      walk.isWhole ? [] : [`what ${who} made in ${roots[i]} could not be looked through: ${walk.why}`]
    )
    const met = walks.flatMap((walk) => walk.found)
    const nameless = met.filter((finding) => isNewlyUnseen(finding, "text"))
    const after = outerFirst([...met.filter(isNew), ...appeared()])
    return {
      notes,
      swept: [
        ...(yield* Effect.promise(() => swept(after, nameless))),
        ...met.filter((finding) => isNewlyUnseen(finding, "locked")).map(closed(who)),
        ...gone()
      ]
    }
  })
}
