/**
 * Limits of a whole tree of processes, by cgroup v2, where this user may make groups. Each child has a group of its own,
 * which it is put into before its command begins.
 *
 * @since 0.1.0
 */
import { accessSync, constants, mkdirSync, readFileSync, rmdirSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import type { ChildLimits } from "./ChildLimits.js"
import { remember } from "./scratch.js"

const ROOT = "/sys/fs/cgroup"

const NEEDED = ["memory", "pids"]

/** Who is in a group that has no other controllers cannot have any in the groups below: the one above is asked first. */
const candidates = (): ReadonlyArray<string> => {
  const own = /^0::(\/.*)$/m.exec(readFileSync("/proc/self/cgroup", "utf8"))?.[1]
  return own === undefined ? [] : [dirname(join(ROOT, own)), join(ROOT, own)]
}

const isUsable = (parent: string): boolean => {
  try {
    const given = readFileSync(join(parent, "cgroup.subtree_control"), "utf8").split(/\s+/)
    accessSync(parent, constants.W_OK)
    accessSync(join(parent, "cgroup.procs"), constants.W_OK)
    return NEEDED.every((name) => given.includes(name))
  } catch {
    return false
  }
}

/** How often something happened that a group counts. */
const counted = (file: string, name: string): number => {
  try {
    const line = readFileSync(file, "utf8")
      .split("\n")
      .find((one) => one.startsWith(`${name} `))
    return Number(line?.slice(name.length) ?? 0)
  } catch {
    return 0
  }
}

/**
 * The group of one child.
 *
 * @since 0.1.0
 * @category models
 */
export class Cgroup {
  constructor(private readonly path: string) {}

  /** Puts a process into it, with all that it starts from then on. Throws where the system does not let it. */
  add(pid: number): void {
    writeFileSync(join(this.path, "cgroup.procs"), String(pid))
  }

  /** Which limits were met. */
  get met(): { readonly memory: boolean; readonly processes: boolean } {
    return {
      memory: counted(join(this.path, "memory.events"), "oom_kill") > 0,
      processes: counted(join(this.path, "pids.events"), "max") > 0
    }
  }

  /** Once nobody is left in it. */
  remove(): void {
    try {
      rmdirSync(this.path)
    } catch {
      // Whoever is left in it is ended with this program, and it is removed then.
    }
  }
}

/**
 * Makes a group with these limits. Throws where the system does not let it.
 *
 * @since 0.1.0
 * @category models
 */
export type Cgroups = (limits: ChildLimits) => Cgroup

let made = 0

const PREFIX = `bailiwick-${process.pid}-`

const groupIn = (parent: string, { memoryBytes, processes }: ChildLimits): Cgroup => {
  const path = join(parent, `${PREFIX}${++made}`)
  mkdirSync(path)
  const set = (name: string, value: number) => writeFileSync(join(path, name), String(value))
  try {
    set("memory.max", memoryBytes)
    set("pids.max", processes)
    try {
      set("memory.swap.max", 0)
      set("memory.oom.group", 1)
    } catch {
      // Not every kernel counts what is swapped, nor ends a group as a whole.
    }
    return new Cgroup(path)
  } catch (error) {
    new Cgroup(path).remove()
    throw error
  }
}

/**
 * Nothing, where this user may make none. `given` is a directory that the operator has made for it; `false` is none.
 *
 * @since 0.1.0
 * @category constructors
 */
export const find = (given: string | false | undefined): Cgroups | undefined => {
  try {
    if (given === false) return undefined
    const parent = (given === undefined ? candidates() : [given]).find(isUsable)
    if (parent === undefined) return undefined
    remember(join(parent, PREFIX))
    return (limits) => groupIn(parent, limits)
  } catch {
    return undefined
  }
}
