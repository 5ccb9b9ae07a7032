/** Where a path leads, link by link, without asking for more than each name of it. */
import type { Kind, Look } from "./Look.js"
import { join, pathOf, segmentsOf } from "./paths.js"

export interface Way {
  /** What it leads to, and what is there. */
  readonly path: string
  readonly kind: Kind | undefined
  /** The first link on the way, and what that leads to. */
  readonly link?: readonly [path: string, target: string] | undefined
  /** All links on the way. */
  readonly passed: ReadonlyArray<string>
}

/** As many links as the system itself follows. */
const LINKS = 40

/** What is left of a path where nothing is, by the letter. */
const unfound = (at: string, rest: ReadonlyArray<string>): string => {
  const names = [...segmentsOf(at)]
  for (const name of rest) {
    if (name === "..") names.pop()
    else if (name !== ".") names.push(name)
  }
  return pathOf(names)
}

const walk = (look: Look, from: string, left: { links: number; readonly passed: Array<string> }): Way => {
  const { passed } = left
  const pending = [...segmentsOf(from)].reverse()
  let at = "/"
  let kind: Kind | undefined = "directory"
  let link: Way["link"]
  for (let name = pending.pop(); name !== undefined; name = pending.pop()) {
    if (name === ".") continue
    if (name === "..") {
      at = pathOf(segmentsOf(at).slice(0, -1))
      continue
    }
    // Nothing is below what is no directory.
    if (kind !== "directory") {
      return { path: unfound(at, [name, ...pending.reverse()]), kind: undefined, link, passed }
    }
    const next = join(at, name)
    kind = look.kind(next)
    const target = kind === "link" ? look.target(next) : undefined
    if (target === undefined) {
      at = next
      continue
    }
    passed.push(next)
    if (--left.links < 0) return { path: next, kind: undefined, link, passed }
    const led = walk(look, target.startsWith("/") ? target : `${at}/${target}`, left)
    link ??= [next, led.path]
    at = led.path
    kind = led.kind
  }
  return { path: at, kind, link, passed }
}

export const follow = (look: Look, path: string): Way => walk(look, path, { links: LINKS, passed: [] })
