/**
 * What is known of a child before it starts, so far as somebody needs it who clears up after its end: the child's own
 * program, or the next one if that was killed meanwhile.
 */
import * as fs from "node:fs"
import { dirname } from "node:path"
import { Schema } from "effect"
import * as Judges from "../../../../policy/confinement/Judge.js"
import type { Finding, Judge } from "../../../../policy/confinement/Look.js"
import { type Plan, viewOf } from "../../../../policy/confinement/Plan.js"
import type { Floor } from "../../../../policy/gate/floor/Floor.js"
import type { Planned } from "../survey/Survey.js"
import { identityOf } from "./uncovered.js"

const Path = Schema.String
const As = Schema.Literal("hidden", "frozen")

/** Data that can be written down. */
export const Memory = Schema.Struct({
  /** The key of its judge, which is all that a judge is made of. */
  floor: Schema.String,
  mounts: Schema.Array(
    Schema.Struct({
      path: Path,
      kind: Schema.Literal("tree", "file"),
      access: Schema.Literal("read", "write")
    })
  ),
  covers: Schema.Array(
    Schema.Struct({ path: Path, kind: Schema.Literal("directory", "file"), as: As, reason: Schema.String })
  ),
  /** Which files and directories were covered, in the order of the covers. */
  identities: Schema.Array(Schema.NullOr(Schema.String)),
  /** What was there under names of the floor, where the child may write. */
  before: Schema.Array(Path),
  /** What was there as well, and may be of a child of another program that still runs: that program sees to it. */
  spared: Schema.Array(Path),
  /** Links cannot be covered: what they led to is remembered. */
  links: Schema.Array(Schema.Struct({ path: Path, target: Schema.String, reason: Schema.String })),
  /** What layers keep and was not there. */
  absent: Schema.Array(Schema.Struct({ path: Path, as: As, reason: Schema.String }))
})

export type Memory = typeof Memory.Type

/** A child that has begun and was not cleared up after yet. */
export interface Begun {
  readonly before: ReadonlySet<string>
  readonly isWritten: (path: string) => boolean
}

export interface Known extends Begun {
  readonly memory: Memory
  readonly judge: Judge
}

const writtenIn = (plan: Pick<Plan, "covers" | "mounts">): Begun["isWritten"] => {
  const accessAt = viewOf(plan)
  return (path) => accessAt(path) === "write"
}

const targetOf = (path: string): string | undefined => {
  try {
    return fs.readlinkSync(path)
  } catch {
    return undefined
  }
}

/** Whether something has this name; who cannot tell says so. */
export const isThere = (path: string): boolean | undefined => {
  try {
    return fs.lstatSync(path, { throwIfNoEntry: false }) !== undefined
  } catch {
    return undefined
  }
}

/** What another child may have made that still runs is nobody's yet: it may go, and come again. */
const isUnsettled =
  (others: Iterable<Begun>) =>
  (path: string): boolean => {
    for (const other of others) if (other.isWritten(dirname(path)) && !other.before.has(path)) return true
    return false
  }

/** Of children of this program, and of others. */
export interface Others {
  readonly own: Iterable<Begun>
  readonly foreign: ReadonlyArray<Begun>
}

export const remember = ({ found, judge, kept, plan }: Planned, { foreign, own }: Others): Known => {
  const isWritten = writtenIn(plan)
  const [isOwn, isForeign] = [isUnsettled(own), isUnsettled(foreign)]
  const isNobodys = (path: string): boolean => isOwn(path) || isForeign(path)
  const here = found.filter(({ path }) => isWritten(dirname(path)) || isWritten(path))
  const settled = here.filter(({ path }) => !isNobodys(path))
  const links = [...settled.filter(({ kind }) => kind === "link"), ...kept].flatMap(({ path, reason }) => {
    const target = isWritten(dirname(path)) && !isNobodys(path) ? targetOf(path) : undefined
    return target === undefined ? [] : [{ path, target, reason }]
  })
  const linked = new Set(links.map(({ path }) => path))
  // A link that went away since it was found is not there: whoever makes it makes it anew.
  const isStill = ({ kind, path }: Finding): boolean =>
    kind !== "link" || linked.has(path) || !isWritten(dirname(path))
  const before = settled.filter(isStill).map(({ path }) => path)
  return {
    judge,
    isWritten,
    before: new Set(before),
    memory: {
      floor: judge.key,
      mounts: plan.mounts,
      covers: plan.covers,
      identities: plan.covers.map(({ path }) => identityOf(path) ?? null),
      before,
      spared: here.filter(({ path }) => isForeign(path)).map(({ path }) => path),
      links,
      absent: kept
        .filter(({ path }) => isWritten(dirname(path)) && isThere(path) === false)
        .map(({ as, path, reason }) => ({ path, as, reason }))
    }
  }
}

/** The same from what was written down. Throws if it names no floor. */
export const recall = (memory: Memory): Known => ({
  memory,
  judge: Judges.of(JSON.parse(memory.floor) as Floor),
  before: new Set(memory.before),
  isWritten: writtenIn(memory)
})
