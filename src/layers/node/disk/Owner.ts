/**
 * Names that say which process a file belongs to, so that what a dead one left behind is known for what it is, and
 * what a living one still uses is left alone. A number alone would not do: the next process may have it.
 */
import { createHash, randomBytes } from "node:crypto"
import * as fs from "node:fs"
import { hostname } from "node:os"

const read = (path: string): string | undefined => {
  try {
    return fs.readFileSync(path, "utf8")
  } catch {
    return undefined
  }
}

const space = (): string => {
  try {
    return fs.readlinkSync("/proc/self/ns/pid")
  } catch {
    return ""
  }
}

/** Where a process number means the same: this machine since it was started, and its part that counts as we do. */
const place = createHash("sha256")
  .update(`${hostname()} ${read("/proc/sys/kernel/random/boot_id") ?? ""} ${space()}`)
  .digest("hex")
  .slice(0, 12)

interface Status {
  readonly ended: boolean
  readonly started: string
}

/** What the system says of a process; `undefined` where it says nothing. */
const statusOf = (pid: string): Status | undefined => {
  // The name of a program stands in brackets, and may hold anything.
  const fields = read(`/proc/${pid}/stat`)?.replace(/^.*\)/s, "").trim().split(" ")
  const [state, started] = [fields?.[0], fields?.[19]]
  return state === undefined || started === undefined ? undefined : { ended: /[ZXx]/.test(state), started }
}

const started = statusOf("self")?.started ?? "0"

/** A name of its own for each use. */
export const name = (): string => `${randomBytes(8).toString("hex")}.${place}.${process.pid}.${started}`

export const NAME = /[0-9a-f]{16}\.[0-9a-f]{12}\.\d+\.\d+/

/** Signal 0 reaches nobody, and says whether there is someone. */
const isThere = (pid: number): boolean => {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return error instanceof Error && "code" in error && error.code !== "ESRCH"
  }
}

/** Whether the process of a name has ended; `undefined` where it cannot be known from here. */
export const hasEnded = (name: string): boolean | undefined => {
  const [, where, pid = "", since] = name.split(".")
  if (where !== place) return undefined
  if (!isThere(Number(pid))) return true
  const status = statusOf(pid)
  if (status !== undefined) return status.ended || status.started !== since
  return Number(pid) === process.pid ? false : undefined
}
