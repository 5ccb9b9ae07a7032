/** Where a path leads, and every link that has a say in it. */
import { readlinkSync } from "node:fs"
import { isAbsolute } from "node:path"

export interface Way {
  /** What it leads to, whether that is there or not. In a loop it is where following was given up. */
  readonly path: string
  /** The links that were followed, each by the path that it really has. */
  readonly links: ReadonlyArray<string>
}

/** As many links as the system itself follows. */
const LINKS = 40

const targetOf = (path: string): string | undefined => {
  try {
    return readlinkSync(path)
  } catch {
    return undefined
  }
}

const parentOf = (path: string): string => path.slice(0, Math.max(0, path.lastIndexOf("/")))

/** Follows an absolute path by hand, and asks only for what its links say. */
export const follow = (given: string): Way => {
  const links = new Set<string>()
  const pending = given.split("/").reverse()
  let at = ""
  for (let followed = 0; pending.length > 0; ) {
    const name = pending.pop() ?? ""
    if (name === "" || name === ".") continue
    if (name === "..") {
      at = parentOf(at)
      continue
    }
    const next = `${at}/${name}`
    const target = followed < LINKS ? targetOf(next) : undefined
    if (target === undefined) {
      at = next
      continue
    }
    followed++
    links.add(next)
    if (isAbsolute(target)) at = ""
    pending.push(...target.split("/").reverse())
  }
  return { path: at === "" ? "/" : at, links: [...links] }
}
