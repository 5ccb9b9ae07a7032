/**
 * What a child left behind. The kernel does not keep it from making a name of the floor that was not there: once it has
 * ended, what is new under such a name is moved into a quarantine, and said.
 *
 * @since 0.1.0
 */
import * as fs from "node:fs"
import { basename, dirname } from "node:path"
import { setImmediate as immediately } from "node:timers/promises"
import { Effect } from "effect"
import type { Finding } from "../../../../policy/confinement/Look.js"
import { viewOf } from "../../../../policy/confinement/Plan.js"
import type { Proof } from "../../../../policy/gate/Proof.js"
import type { Scoped } from "../../../../policy/lattice/Request.js"
import * as Reality from "../../disk/Reality.js"
import { codeOf, Trouble } from "../../disk/Trouble.js"
import type { Planned, Survey } from "../survey/Survey.js"
import { Entries } from "./entry.js"
import { openQuarantine, Quarantine } from "./quarantine.js"
import { treat } from "./repositories.js"
import { closed, heard, replaced, type Swept } from "./said.js"
import { remembered } from "./uncovered.js"

/**
 * @since 0.1.0
 * @category models
 */
export interface Options {
  readonly survey: Survey
  /** A directory, which need not be there yet. */
  readonly quarantine: string
  /** @internal */
  readonly verification?: Reality.Verification | undefined
}

/**
 * Of one child.
 *
 * @since 0.1.0
 * @category models
 */
export interface Sweep {
  /** To be called once the child has ended. It answers with what it did, in sentences for the result. */
  readonly finish: (proof: Proof<Scoped>) => Effect.Effect<ReadonlyArray<string>>
}

/** Sentences in one result. */
const NOTES = 20

/** How long clearing up keeps others from going on, in milliseconds. */
const SLICE = 8

/** How deep directories that a child has closed are opened, one inside of the other. */
const ROUNDS = 64

const isWithin = (path: string, root: string): boolean => path === root || path.startsWith(`${root}/`)

const outerFirst = (found: ReadonlyArray<Finding>): ReadonlyArray<Finding> =>
  [...found].sort((a, b) => a.path.split("/").length - b.path.split("/").length)

const targetOf = (path: string): string | undefined => {
  try {
    return fs.readlinkSync(path)
  } catch {
    return undefined
  }
}

/** Whether something has this name; who cannot tell says so. */
const isThere = (path: string): boolean | undefined => {
  try {
    return fs.lstatSync(path, { throwIfNoEntry: false }) !== undefined
  } catch {
    return undefined
  }
}

/**
 * @since 0.1.0
 * @category models
 */
export interface Sweeper {
  /** To be called before the child starts, with the plan that it starts by. */
  readonly begin: (planned: Planned) => Sweep
}

/**
 * To be called before the first plan is made: from then on the quarantine is closed to tools and children.
 *
 * @since 0.1.0
 * @category constructors
 */
export const make = (options: Options): Sweeper => {
  openQuarantine(options.quarantine)
  const others = new Set<Begun>()
  return { begin: (planned) => begin(planned, options, others) }
}

/** A child that has begun and was not swept after yet. */
interface Begun {
  readonly before: ReadonlySet<string>
  readonly isWritten: (path: string) => boolean
}

/** Inside of packages every name stays, but for the command itself. What is part of a repository lies in none. */
const isOfPackages = ({ part, path }: Finding): boolean =>
  part === undefined && path.includes("/node_modules/") && !path.endsWith("/node_modules/bailiwick")

const begin = ({ found, judge, kept, plan }: Planned, options: Options, others: Set<Begun>): Sweep => {
  const written = plan.mounts.filter(({ access, kind }) => access === "write" && kind === "tree")
  const uncovered = remembered(plan.covers)
  if (written.length === 0) {
    return { finish: (proof) => Effect.sync(() => uncovered().map((one) => heard(proof, replaced(one)))) }
  }
  const accessAt = viewOf(plan)
  const isWritten = (path: string): boolean => accessAt(path) === "write"
  /** What another child may have made that still runs is nobody's yet: it may go, and come again. */
  const isUnsettled = (path: string): boolean =>
    [...others].some((other) => other.isWritten(dirname(path)) && !other.before.has(path))
  const settled = found.filter(({ path }) => !isUnsettled(path))
  const before = new Set(settled.map(({ path }) => path))
  const begun: Begun = { before, isWritten }
  others.add(begun)
  const verification = options.verification ?? (process.platform === "linux" ? "descriptor" : "realpath")
  const entries = new Entries(Reality.of(verification))
  /** Links cannot be covered: what they led to is remembered. */
  const links = new Map(
    [...settled.filter(({ kind }) => kind === "link"), ...kept].flatMap(({ path, reason }) => {
      const target = isWritten(dirname(path)) && !isUnsettled(path) ? targetOf(path) : undefined
      return target === undefined ? [] : [[path, { target, reason }] as const]
    })
  )
  const absent = kept.filter(({ path }) => isWritten(dirname(path)) && isThere(path) === false)
  const roots = written
    .map(({ path }) => path)
    .filter((path, _, all) => !all.some((other) => other !== path && isWithin(path, other)))

  const one = async (quarantine: Quarantine, finding: Finding): Promise<Swept | undefined> => {
    const { path, reason } = finding
    const name = basename(path)
    return entries.within(dirname(path), async (directory) => {
      if (entries.kind(directory, name) === undefined) return undefined
      const treatment = await treat(entries, directory, name, finding, isWritten)
      if (treatment._tag === "Leave") return undefined
      if (treatment._tag === "Take") {
        const to = await quarantine.take(directory, name, reason)
        return { path, reason, said: `was made by the child, and was moved to ${to}` }
      }
      const { dropped, held, text } = treatment
      if (dropped.length === 0) {
        entries.replace(directory, name, text)
        return undefined
      }
      const to = await quarantine.keep(path, held, reason)
      entries.replace(directory, name, text)
      return { path, reason, said: `lost ${dropped.join(", ")}; as the child made it, it is at ${to}` }
    })
  }

  const relinked = async (quarantine: Quarantine, path: string): Promise<Swept | undefined> => {
    const link = links.get(path)
    const name = basename(path)
    if (link === undefined) return undefined
    return entries.within(dirname(path), async (directory) => {
      if (entries.target(directory, name) === link.target) return undefined
      const isReplaced = entries.kind(directory, name) !== undefined
      const to = isReplaced ? await quarantine.take(directory, name, link.reason) : undefined
      entries.link(directory, name, link.target)
      const was =
        to === undefined ? "was removed by the child" : `was replaced by the child with what is now at ${to}`
      return { path, reason: link.reason, said: `${was}, and was put back` }
    })
  }

  /** What nobody can ask for by its name goes first: what else is in the directory is then looked at as it is. */
  const renamed = (quarantine: Quarantine, { path, reason }: Finding): Promise<Swept | undefined> =>
    entries.within(path, async (directory) => {
      const all: Array<string> = []
      for (const name of entries.named(directory)) all.push(await quarantine.take(directory, name, reason))
      if (all.length === 0) return undefined
      return { path, reason, said: `lost what the child made in it, which is now at ${all.join(", ")}` }
    })

  const swept = async (
    after: ReadonlyArray<Finding>,
    nameless: ReadonlyArray<Finding>
  ): Promise<ReadonlyArray<Swept>> => {
    const quarantine = new Quarantine(entries, options.quarantine)
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
          said: `was made by the child and could not be moved away (${code}); look at it first`
        })
      }
    }
    for (const [path, { reason }] of links) await tried(path, reason, () => relinked(quarantine, path))
    for (const one of nameless) await tried(one.path, one.reason, () => renamed(quarantine, one))
    for (const finding of after) await tried(finding.path, finding.reason, () => one(quarantine, finding))
    quarantine.list()
    return gone
  }

  const isNew = (finding: Finding): boolean =>
    (finding.isSpecial !== true || finding.unseen === "name") &&
    !before.has(finding.path) &&
    !isOfPackages(finding) &&
    isWritten(dirname(finding.path))

  const isNewlyUnseen = (finding: Finding, why: Finding["unseen"]): boolean =>
    finding.unseen === why && !before.has(finding.path) && isWritten(finding.path)

  const looked = Effect.forEach(roots, (root) => options.survey.walk(root, judge))

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
    absent.flatMap(({ as, path, reason }) =>
      isThere(path) === true ? [{ path, kind: "other" as const, as, reason }] : []
    )

  return {
    finish: (proof) =>
      Effect.gen(function* () {
        const walks = yield* opened
        const notes = walks.flatMap((walk, i) =>
          walk.isWhole ? [] : [`what the child made in ${roots[i]} could not be looked through: ${walk.why}`]
        )
        const met = walks.flatMap((walk) => walk.found)
        const nameless = met.filter((finding) => isNewlyUnseen(finding, "text"))
        const after = outerFirst([...met.filter(isNew), ...appeared()])
        const all = [
          ...(yield* Effect.promise(() => swept(after, nameless))),
          ...met.filter((finding) => isNewlyUnseen(finding, "locked")).map(closed),
          ...uncovered().map(replaced)
        ]
        const said = all.map((one) => heard(proof, one))
        const rest = said.length - NOTES
        return [
          ...notes,
          ...said.slice(0, NOTES),
          ...(rest > 0 ? [`${rest} more were moved to ${options.quarantine}; its lists name them`] : [])
        ]
      }).pipe(Effect.ensuring(Effect.sync(() => others.delete(begun))))
  }
}
