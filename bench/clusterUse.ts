/** What processes have used of the processors, by the kernel's own count. */
import { readdirSync, readFileSync } from "node:fs"

/** Clock ticks of the kernel are hundredths of a second wherever Node runs. */
const MILLIS = 10

interface Stat {
  readonly parent: number
  readonly millis: number
  /** What children that ended have used. */
  readonly ofEnded: number
}

const statOf = (pid: number): Stat | undefined => {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, "utf8")
    const fields = text
      .slice(text.lastIndexOf(")") + 2)
      .split(" ")
      .map(Number)
    const at = (index: number) => fields[index] ?? 0
    return { parent: at(1), millis: (at(11) + at(12)) * MILLIS, ofEnded: (at(13) + at(14)) * MILLIS }
  } catch {
    return undefined
  }
}

/** Of a process, in milliseconds. */
export const used = (pid: number): number => statOf(pid)?.millis ?? 0

/** Of a process and all that it has started. */
export const usedBelow = (pid: number): number => {
  const own = statOf(pid)
  if (own === undefined) return 0
  let sum = own.millis + own.ofEnded
  for (const name of readdirSync("/proc")) {
    const stat = /^\d+$/.test(name) ? statOf(Number(name)) : undefined
    if (stat?.parent === pid) sum += stat.millis
  }
  return sum
}

/** How long the processors of this machine had nothing to do, for anybody, in milliseconds of one processor. */
export const idle = (): number => {
  const [, , , , millis = 0] = (readFileSync("/proc/stat", "utf8").split("\n")[0] ?? "")
    .split(/ +/)
    .map(Number)
  return millis * MILLIS
}
