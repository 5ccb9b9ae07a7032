/**
 * Roots lead where the home and the workspace lead, and no further: a directory below them may be a link that an agent
 * has made, and what that leads to was never written down.
 */
import { realPath } from "../read.js"

export const realBelow =
  (trusted: ReadonlyArray<string | undefined>) =>
  (path: string): string => {
    const base = trusted
      .flatMap((one) => one ?? [])
      .filter((one) => path === one || path.startsWith(`${one === "/" ? "" : one}/`))
      .sort((a, b) => b.length - a.length)[0]
    return base === undefined ? path : `${realPath(base)}${path.slice(base.length)}`
  }
