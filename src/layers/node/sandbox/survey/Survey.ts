/**
 * What is on the disk, for those who plan what a child sees. Large trees are looked through once; before each start only
 * their directories are compared with what is known of them, and those that changed are read again.
 *
 * @since 0.1.0
 */
import * as fs from "node:fs"
import { dirname } from "node:path"
import { Effect } from "effect"
import {
  complete,
  type Given,
  type Outline,
  outline,
  withHooks
} from "../../../../policy/confinement/Confinement.js"
import * as Judges from "../../../../policy/confinement/Judge.js"
import type { Finding, Judge, Look, Surveyed } from "../../../../policy/confinement/Look.js"
import { outermost, type Plan } from "../../../../policy/confinement/Plan.js"
import * as Kept from "../../disk/Kept.js"
import * as Reality from "../../disk/Reality.js"
import { Directories, kindOf } from "./directories.js"
import { Texts } from "./texts.js"
import { Walk } from "./walk.js"

/**
 * @since 0.1.0
 * @category models
 */
export interface Options {
  /** A tree with more entries is not mounted. */
  readonly entries?: number | undefined
  /** @internal */
  readonly now?: (() => number) | undefined
  /** @internal */
  readonly verification?: Reality.Verification | undefined
}

/**
 * What was found in a tree, with how many entries it has and how many of its directories had to be read.
 *
 * @since 0.1.0
 * @category models
 */
export type Walked = Surveyed & {
  /** What was found, be it not all. */
  readonly found: ReadonlyArray<Finding>
  readonly entries: number
  readonly read: number
}

/**
 * A plan, with all that was found in its mounts when it was made: what is found there later and is not among it is new.
 *
 * @since 0.1.0
 * @category models
 */
export interface Planned {
  readonly plan: Plan
  readonly judge: Judge
  readonly found: ReadonlyArray<Finding>
  readonly kept: Given["kept"]
}

/**
 * @since 0.1.0
 * @category models
 */
export interface Survey {
  /** What a child sees that is about to start. */
  readonly plan: (given: Omit<Given, "kept">) => Effect.Effect<Planned>
  /** The same of one that nobody starts: nothing is made for it. */
  readonly foresee: (given: Omit<Given, "kept">) => Effect.Effect<Planned>
  /** All that is found in a tree now, which may have grown far beyond what would be mounted. */
  readonly walk: (root: string, judge: Judge) => Effect.Effect<Walked>
}

const ENTRIES = 250_000

/** Who clears up looks through so many times more: what cannot be looked through stays. */
const AFTERWARDS = 8

/** What changed less long ago than this may change again and show the same time; no file system is coarser. */
const SETTLES = 2000

/** How long a walk keeps others from going on, in milliseconds. */
const SLICE = 8

const tooLarge = (most: number): string =>
  `it has more than ${most} entries, and all would have to be looked through; name smaller directories`

const surveyedOf = (walk: Walk, most: number): Walked => {
  const { entries, found, read } = walk
  return walk.isTooLarge
    ? { isWhole: false, why: tooLarge(most), found, entries, read }
    : { isWhole: true, found, entries, read }
}

const otherwise = <A>(look: () => A): A | undefined => {
  try {
    return look()
  } catch {
    return undefined
  }
}

/** Whatever is asked of the disk is asked without following a link at the end. */
const lookAt = (survey: Look["survey"], text: Look["text"]): Look => ({
  kind: (path) => {
    const stats = otherwise(() => fs.lstatSync(path, { throwIfNoEntry: false }))
    return stats === undefined ? undefined : kindOf(stats)
  },
  target: (path) => otherwise(() => fs.readlinkSync(path)),
  entries: (path) =>
    otherwise(() =>
      fs
        .readdirSync(path, { withFileTypes: true })
        .map((entry) => ({ name: entry.name, kind: kindOf(entry) }))
    ),
  text,
  survey
})

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

const isWithin = (path: string, root: string): boolean => path === root || path.startsWith(`${root}/`)

/** Where a directory is to be made, if no link leads there. */
const isReal = (path: string): boolean =>
  otherwise(() => fs.realpathSync.native(path) === path) ?? isReal(dirname(path))

/** A directory that this program would make later is made now: otherwise the child could, and fill it. */
const madeBefore = ({ given, mounts }: Outline): void => {
  const roots = mounts.filter(({ access, kind }) => access === "write" && kind === "tree")
  for (const { path } of Kept.forChild().filter(({ isMade }) => isMade)) {
    const isReached = roots.some((root) => isWithin(path, root.path))
    if (isReached && given.kept.some((place) => place.path === path) && isReal(path)) {
      otherwise(() => fs.mkdirSync(path, { recursive: true, mode: 0o700 }))
    }
  }
}

/**
 * @since 0.1.0
 * @category constructors
 */
export const make = (options: Options = {}): Survey => {
  const most = options.entries ?? ENTRIES
  const verification = options.verification ?? (process.platform === "linux" ? "descriptor" : "realpath")
  const directories = new Directories({
    reality: Reality.of(verification),
    now: options.now ?? Date.now,
    settles: SETTLES
  })
  const texts = new Texts({ now: options.now ?? Date.now, settles: SETTLES })
  const begin = (root: string, judge: Judge, most: number): Walk => new Walk(directories, judge, root, most)

  const walked = async (root: string, judge: Judge, most: number): Promise<Walked> => {
    const walk = begin(root, judge, most)
    for (let since = performance.now(); walk.step(); ) {
      if (performance.now() - since < SLICE) continue
      await turn()
      since = performance.now()
    }
    return surveyedOf(walk, most)
  }

  const flights = new Map<string, { running: Promise<Walked>; next: Promise<Walked> | undefined }>()

  /** Who comes while a tree is looked through waits for the next time, together with all others who do. */
  const shared = (root: string, judge: Judge, most: number): Promise<Walked> => {
    const key = `${most} ${root}\u0000${judge.key}`
    const flight = flights.get(key)
    if (flight !== undefined) {
      flight.next ??= flight.running.then(() => take(key, root, judge, most))
      return flight.next
    }
    return take(key, root, judge, most)
  }

  const take = (key: string, root: string, judge: Judge, most: number): Promise<Walked> => {
    const running = walked(root, judge, most)
    const flight = { running, next: undefined as Promise<Walked> | undefined }
    flights.set(key, flight)
    void running.finally(() => {
      if (flight.next === undefined) flights.delete(key)
    })
    return running
  }

  const walk: Survey["walk"] = (root, judge) => Effect.promise(() => shared(root, judge, AFTERWARDS * most))

  const planning =
    (before: (outlined: Outline) => void): Survey["plan"] =>
    (asked) =>
      Effect.gen(function* () {
        const given: Given = { ...asked, kept: Kept.forChild() }
        const judge = Judges.of(given.floor)
        const known = new Map<string, Surveyed>()
        const at = (root: string): Surveyed => {
          const before = known.get(root)
          if (before !== undefined) return before
          const late = begin(root, judge, most)
          while (late.step());
          const found = surveyedOf(late, most)
          known.set(root, found)
          return found
        }
        const look = lookAt(at, (path) => texts.read(path))
        const outlined = outline(given, look)
        before(outlined)
        for (const root of outermost(outlined.mounts)) {
          known.set(root, yield* Effect.promise(() => shared(root, judge, most)))
        }
        const pointed = withHooks(outlined, look)
        const plan = complete(pointed, look)
        const found = [...known.values()].flatMap((one) => (one.isWhole ? one.found : []))
        return { plan, judge, found, kept: pointed.given.kept }
      })

  return { walk, plan: planning(madeBefore), foresee: planning(() => {}) }
}
