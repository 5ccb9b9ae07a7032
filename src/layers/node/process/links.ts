/**
 * Where a path leads, with its links followed by hand. `..` in a link is taken by the letter, so that nothing outside is
 * looked at to find out where a link leads back in.
 */
import { readlinkSync } from "node:fs"
import { resolve } from "node:path"

/** As many as the system itself follows. */
const HOPS = 40

const targetOf = (path: string): string | undefined => {
  try {
    return readlinkSync(path)
  } catch {
    return undefined
  }
}

const segmentsOf = (path: string): ReadonlyArray<string> => path.split("/").filter((part) => part !== "")

/** What is missing is no link. In a loop it is the path where following was given up. */
export const withoutLinks = (asked: string): string => {
  let segments = segmentsOf(asked)
  for (let i = 0, hops = 0; i < segments.length && hops < HOPS; ) {
    const above = `/${segments.slice(0, i).join("/")}`
    const target = targetOf(`/${segments.slice(0, i + 1).join("/")}`)
    if (target === undefined) {
      i++
      continue
    }
    segments = segmentsOf(resolve(above, target, ...segments.slice(i + 1)))
    i = 0
    hops++
  }
  return `/${segments.join("/")}`
}
