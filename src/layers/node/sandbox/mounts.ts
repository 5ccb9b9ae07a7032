/** A plan as arguments of bwrap, outer before inner: a later mount covers an earlier one. */
import type { Plan } from "../../../policy/confinement/Plan.js"
import { type Descriptors, mustBe } from "./descriptors.js"
import type { Scratch } from "./scratch.js"
import { isSystem } from "./system.js"

type Access = "none" | "hidden" | "read" | "write"

interface Step {
  readonly path: string
  readonly access: Access
  /** At one path what covers comes last. */
  readonly rank: 0 | 1
  readonly put: () => ReadonlyArray<string>
}

const parentOf = (path: string): string => path.slice(0, path.lastIndexOf("/"))

const depthOf = (path: string): number => path.split("/").length

/** What the child may do at a path, by the innermost of what lies there or above. */
const accessIn = ({ covers, mounts }: Pick<Plan, "covers" | "mounts">): ((path: string) => Access) => {
  const known = new Map<string, Access>()
  for (const { access, path } of mounts) known.set(path, access)
  for (const { as, path } of covers) known.set(path, as === "hidden" ? "hidden" : "read")
  return (path) => {
    for (let at = path; at !== ""; at = parentOf(at)) {
      const found = known.get(at)
      if (found !== undefined) return found
    }
    return "none"
  }
}

/**
 * A mount holds its own name, and not that of the directory it is in: `mv .git g2` would make room for another one. So every
 * directory from there up to the root of what may be written is a mount too, and cannot be moved.
 */
const betweenOf = ({ covers, mounts }: Plan, access: (path: string) => Access): ReadonlyArray<string> => {
  const taken = new Set([...mounts, ...covers].map(({ path }) => path))
  const between = new Set<string>()
  for (const { path } of covers) {
    for (let at = parentOf(path); at !== "" && !taken.has(at) && !between.has(at); at = parentOf(at)) {
      if (access(at) !== "write") break
      between.add(at)
    }
  }
  return [...between]
}

const stepsOf = (plan: Plan, given: Descriptors, scratch: Scratch, access: (path: string) => Access) => {
  const bound = (option: string, path: string, kind: "directory" | "file") => [
    option,
    given.giveAt(path, kind),
    path
  ]
  const steps: ReadonlyArray<Step> = [
    ...plan.mounts.map(
      ({ access, kind, path }): Step => ({
        path,
        access,
        rank: 0,
        put: () =>
          bound(
            access === "write" ? "--bind-fd" : "--ro-bind-fd",
            path,
            kind === "tree" ? "directory" : "file"
          )
      })
    ),
    ...betweenOf(plan, access).map(
      (path): Step => ({ path, access: "write", rank: 0, put: () => bound("--bind-fd", path, "directory") })
    ),
    ...plan.covers.map(({ as, kind, path }): Step => {
      const empty = kind === "directory" ? scratch.directory : scratch.file
      return {
        path,
        access: as === "hidden" ? "hidden" : "read",
        rank: 1,
        put: () => {
          if (as === "frozen") return bound("--ro-bind-fd", path, kind)
          mustBe(path, kind)
          return ["--ro-bind", empty, path]
        }
      }
    })
  ]
  return [...steps].sort((a, b) => depthOf(a.path) - depthOf(b.path) || a.rank - b.rank)
}

/** The file that is executed, by the name that it was found under: some are many in one, and the name says which. */
const called = (plan: Plan, found: string, isSeen: (path: string) => boolean) => {
  if (found === plan.binary || isSeen(found)) return { binary: found, links: [] }
  return { binary: found, links: ["--symlink", plan.binary, found] }
}

export interface Mounted {
  readonly args: ReadonlyArray<string>
  /** What is executed inside. */
  readonly binary: string
  /** Whether a path can be seen there. */
  readonly isSeen: (path: string) => boolean
}

/** Throws `Changed` where something is no longer as the plan has it. */
export const mounted = (plan: Plan, found: string, given: Descriptors, scratch: Scratch): Mounted => {
  const access = accessIn(plan)
  const isMounted = (path: string) => ["read", "write"].includes(access(path))
  const isSeen = (path: string) => isSystem(path) || isMounted(path)
  const { binary, links } = called(plan, found, isSeen)
  return {
    binary,
    isSeen,
    args: [
      ...stepsOf(plan, given, scratch, access).flatMap(({ put }) => put()),
      ...(isSeen(plan.binary) ? [] : ["--ro-bind-fd", given.giveAt(plan.binary, "file"), plan.binary]),
      ...links,
      ...plan.links.flatMap(([path, target]) => ["--symlink", target, path]),
      // Where a child runs is there, be it empty.
      ...(isSeen(plan.cwd) || plan.cwd === "/" ? [] : ["--dir", plan.cwd])
    ]
  }
}
