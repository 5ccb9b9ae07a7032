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

/**
 * Behind what is no directory there is nothing, but whoever makes one there would be led on: what is left of the path is gone
 * along by the letter, and by links again where it comes back to what is there.
 */
const walk = (look: Look, from: string, left: { links: number; readonly passed: Array<string> }): Way => {
  const { passed } = left
  const pending = [...segmentsOf(from)].reverse()
  let at = "/"
  let kind: Kind | undefined = "directory"
  let link: Way["link"]
  let isBroken = false
  for (let name = pending.pop(); name !== undefined; name = pending.pop()) {
    if (name === ".") continue
    const isBehind = kind !== "directory"
    if (isBehind) isBroken = true
    if (name === "..") {
      at = pathOf(segmentsOf(at).slice(0, -1))
      if (isBehind) kind = at === "/" ? "directory" : look.kind(at)
      continue
    }
    const next = join(at, name)
    if (isBehind) {
      at = next
      kind = undefined
      continue
    }
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
  return { path: at, kind: isBroken ? undefined : kind, link, passed }
}

export const follow = (look: Look, path: string): Way => walk(look, path, { links: LINKS, passed: [] })
