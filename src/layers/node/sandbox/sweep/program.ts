/**
 * Which program it is that starts children, by a name that no later program has: its number, when it started, since which
 * start of the system, and among which processes it is counted.
 */
import { readdirSync, readFileSync, readlinkSync } from "node:fs"
import { setTimeout as pause } from "node:timers/promises"

const NAMED = /^(\d+)-(\d+)-([0-9a-f]+)-(\d+)$/

const fieldsOf = (pid: number | "self"): ReadonlyArray<string> | undefined => {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "latin1")
    return stat.slice(stat.lastIndexOf(")") + 2).split(" ")
  } catch {
    return undefined
  }
}

/** When a process started, in the time of the system; nothing of one that has ended. */
const startOf = (pid: number): string | undefined => {
  const [state = "", ...rest] = fieldsOf(pid) ?? []
  return ["", "Z", "X"].includes(state) ? undefined : rest[18]
}

const bootOf = (): string => {
  try {
    return readFileSync("/proc/sys/kernel/random/boot_id", "latin1").replace(/[^0-9a-f]/g, "") || "0"
  } catch {
    return "0"
  }
}

/** Numbers of processes mean something only among those who are counted together. */
const countedIn = (): string => {
  try {
    return /\d+/.exec(readlinkSync("/proc/self/ns/pid"))?.[0] ?? "0"
  } catch {
    return "0"
  }
}

let own: { readonly pid: number; readonly name: string } | undefined

export const ownProgram = (): string => {
  if (own?.pid !== process.pid) {
    const name = [process.pid, startOf(process.pid) ?? "0", bootOf(), countedIn()].join("-")
    own = { pid: process.pid, name }
  }
  return own.name
}

const isNobody = (pid: number): boolean => {
  try {
    process.kill(pid, 0)
    return false
  } catch (error) {
    return error instanceof Error && "code" in error && error.code === "ESRCH"
  }
}

/** Whether a program has ended for certain. Of one that is counted elsewhere nobody can tell. */
export const isGone = (name: string): boolean => {
  const [, pid, start, boot, counted] = NAMED.exec(name) ?? []
  const [, , , ownBoot, ownCounted] = NAMED.exec(ownProgram()) ?? []
  if (boot !== ownBoot) return true
  if (counted !== ownCounted) return false
  // Where the system does not tell when a process started, any that has the number is taken for it.
  return start === "0" ? isNobody(Number(pid)) : startOf(Number(pid)) !== start
}

const WAIT_MILLIS = 20
/** What ends the children of a program that was killed takes less than a second. */
const ROUNDS = 500

const has = (pid: string, part: "cmdline" | "environ", mark: string): boolean => {
  try {
    return readFileSync(`/proc/${pid}/${part}`).includes(mark)
  } catch {
    return false
  }
}

const processes = (): ReadonlyArray<string> => {
  try {
    return readdirSync("/proc").filter((name) => /^\d+$/.test(name))
  } catch {
    return []
  }
}

/** Whoever holds a child carries its program's mark, and so does who ends what is left of that program. */
const isLeft = (mark: string): boolean =>
  processes().some(
    (pid) => pid !== String(process.pid) && (has(pid, "environ", mark) || has(pid, "cmdline", mark))
  )

/** Answers `true` once nobody is left of the children of a program that is gone, `false` if that does not come. */
export const nobodyLeft = async (mark: string): Promise<boolean> => {
  for (let round = 0; round < ROUNDS; round++) {
    if (!isLeft(mark)) return true
    await pause(WAIT_MILLIS)
  }
  return false
}
