/**
 * Where a program is that holds children. Whoever could write it, or a directory that leads to it, would decide what holds
 * them: such a one is not used.
 */
import { realpathSync, statSync } from "node:fs"
import { dirname, isAbsolute, join, resolve } from "node:path"

export type Located =
  | { readonly at: string }
  | { readonly at: undefined; readonly why: "missing" | "setuid" | "writable" | "relative" }

interface Stats {
  readonly mode: number
  readonly uid: number
  readonly gid: number
}

/** Only root may write it. */
const isRoots = ({ gid, mode, uid }: Stats): boolean =>
  uid === 0 && (mode & 0o002) === 0 && ((mode & 0o020) === 0 || gid === 0)

const above = (path: string): ReadonlyArray<string> =>
  path === "/" ? ["/"] : [path, ...above(dirname(path))]

const SETUID = 0o6000

type Seen = "absent" | "good" | "setuid" | "writable"

const seenAt = (path: string): Seen => {
  try {
    const real = realpathSync(path)
    const found = statSync(real)
    if (!found.isFile() || (found.mode & 0o111) === 0) return "absent"
    if ((found.mode & SETUID) !== 0) return "setuid"
    return [...above(path), ...above(real)].every((one) => isRoots(statSync(one))) ? "good" : "writable"
  } catch {
    return "absent"
  }
}

/** Where distributions put it, for who has no path. */
const USUAL = ["/usr/bin", "/bin", "/usr/local/bin"]

/** The first on the operator's path that only root may write; without a path, where it usually is. */
export const locate = (name: string, searched: string | undefined): Located => {
  const entries = searched?.split(":").filter((entry) => entry !== "") ?? USUAL
  const places = entries.filter(isAbsolute).map((folder) => join(folder, name))
  const seen = new Map(places.map((path) => [path, seenAt(path)]))
  const good = places.find((path) => seen.get(path) === "good")
  if (good !== undefined) return { at: good }
  const all = [...seen.values()]
  for (const why of ["setuid", "writable"] as const) if (all.includes(why)) return { at: undefined, why }
  const isRelative = entries.some(
    (entry) => !isAbsolute(entry) && seenAt(join(resolve(entry), name)) !== "absent"
  )
  return { at: undefined, why: isRelative ? "relative" : "missing" }
}

/** The one that the operator names. */
export const check = (path: string): Located => {
  const seen = isAbsolute(path) ? seenAt(path) : "writable"
  return seen === "good" ? { at: path } : { at: undefined, why: seen === "absent" ? "missing" : seen }
}
