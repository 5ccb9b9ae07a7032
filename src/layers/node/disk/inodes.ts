/** Which files lie in a directory, by what they are and not by their names. */
import * as fs from "node:fs"
import { join } from "node:path"

export type Identity = Pick<fs.Stats, "dev" | "ino">

interface Known {
  /** When each directory was changed last, by its path. */
  readonly directories: ReadonlyMap<string, string>
  readonly files: ReadonlySet<string>
  readonly isWhole: boolean
}

/** As many entries as are looked at; of a directory with more, every file may be one. */
const MOST = 10_000

/** What was changed less long ago may be changed again and show the same time. */
const SETTLED = 1000

const keyOf = ({ dev, ino }: Identity): string => `${dev}:${ino}`

const stampOf = ({ ctimeMs, mtimeMs, ...stats }: fs.Stats): string => `${keyOf(stats)}:${mtimeMs}:${ctimeMs}`

const lookedAt = (path: string): fs.Stats | undefined => {
  try {
    return fs.lstatSync(path, { throwIfNoEntry: false })
  } catch {
    return undefined
  }
}

const namesIn = (path: string): ReadonlyArray<string> => {
  try {
    return fs.readdirSync(path)
  } catch {
    return []
  }
}

const known = new Map<string, Known>()

const walk = (root: string): Known => {
  const directories = new Map<string, string>()
  const files = new Set<string>()
  const pending = [root]
  const since = Date.now() - SETTLED
  let isSettled = true
  let left = MOST
  for (let path = pending.pop(); path !== undefined && left >= 0; path = pending.pop()) {
    const stats = lookedAt(path)
    if (stats?.isFile() === true) files.add(keyOf(stats))
    if (stats?.isDirectory() !== true) continue
    directories.set(path, stampOf(stats))
    isSettled &&= Math.max(stats.mtimeMs, stats.ctimeMs) < since
    const names = namesIn(path)
    left -= names.length
    if (left >= 0) for (const name of names) pending.push(join(path, name))
  }
  const found = { directories, files, isWhole: left >= 0 }
  if (isSettled) known.set(root, found)
  else known.delete(root)
  return found
}

const isStill = ({ directories }: Known): boolean => {
  for (const [path, stamp] of directories) {
    const stats = lookedAt(path)
    if (stats === undefined || stampOf(stats) !== stamp) return false
  }
  return true
}

/** Whether a file is the one at a path, or lies anywhere below it. */
export const holds = (path: string, identity: Identity): boolean => {
  const stats = lookedAt(path)
  if (stats?.isDirectory() !== true) return stats?.isFile() === true && keyOf(stats) === keyOf(identity)
  const last = known.get(path)
  const { files, isWhole } = last !== undefined && isStill(last) ? last : walk(path)
  return !isWhole || files.has(keyOf(identity))
}
