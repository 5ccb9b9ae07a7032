/**
 * What bounds a child, with what holds where a policy writes nothing.
 *
 * @since 0.1.0
 */
import { readFileSync } from "node:fs"
import type { Limits } from "../../../policy/Sandbox.js"

/**
 * @since 0.1.0
 * @category models
 */
export type ChildLimits = Readonly<
  Record<"processes" | "openFiles" | "fileBytes" | "memoryBytes" | "tmpBytes", number>
>

const MEBIBYTE = 1024 * 1024

/** Wide enough for builds and package managers, and far from what hurts a machine. */
const defaults: ChildLimits = {
  processes: 512,
  openFiles: 4096,
  fileBytes: 1024 * MEBIBYTE,
  memoryBytes: 4096 * MEBIBYTE,
  tmpBytes: 512 * MEBIBYTE
}

/** What this program itself may not exceed, as nobody below it may. */
const hardest = (name: string): number => {
  try {
    const line = readFileSync("/proc/self/limits", "utf8")
      .split("\n")
      .find((one) => one.startsWith(name))
    const value = Number(line?.slice(name.length).trim().split(/\s+/)[1])
    return Number.isNaN(value) ? Number.POSITIVE_INFINITY : value
  } catch {
    return Number.POSITIVE_INFINITY
  }
}

let ceilings: Pick<ChildLimits, "openFiles" | "fileBytes" | "processes" | "memoryBytes"> | undefined

/**
 * @since 0.1.0
 * @category constructors
 */
export const settle = (written: Limits): ChildLimits => {
  ceilings ??= {
    processes: hardest("Max processes"),
    openFiles: hardest("Max open files"),
    fileBytes: hardest("Max file size"),
    memoryBytes: hardest("Max data size")
  }
  const settled = (name: keyof ChildLimits, ceiling = Number.POSITIVE_INFINITY) =>
    Math.min(written[name] ?? defaults[name], ceiling)
  return {
    processes: settled("processes", ceilings.processes),
    openFiles: settled("openFiles", ceilings.openFiles),
    fileBytes: settled("fileBytes", ceilings.fileBytes),
    memoryBytes: settled("memoryBytes", ceilings.memoryBytes),
    tmpBytes: settled("tmpBytes")
  }
}

/**
 * As arguments of prlimit. It is run inside: outside, the number of processes would count all that the user runs. Where
 * a group counts the memory of all, no process is counted alone.
 *
 * @since 0.1.0
 * @category conversions
 */
export const prlimitArguments = (
  { fileBytes, memoryBytes, openFiles, processes }: ChildLimits,
  isGrouped: boolean
): ReadonlyArray<string> => [
  `--nproc=${processes}`,
  `--nofile=${openFiles}`,
  `--fsize=${fileBytes}`,
  "--core=0",
  ...(isGrouped ? [] : [`--data=${memoryBytes}`])
]
