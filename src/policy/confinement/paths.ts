/** Absolute paths in one spelling, taken by the letter. */

export type Segments = ReadonlyArray<string>

export const segmentsOf = (path: string): Segments => path.split("/").filter((name) => name !== "")

export const pathOf = (segments: Segments): string => `/${segments.join("/")}`

export const join = (directory: string, name: string): string =>
  directory === "/" ? `/${name}` : `${directory}/${name}`

export const parentOf = (path: string): string => path.slice(0, path.lastIndexOf("/")) || "/"

/** Whether a path is this one, or lies below it. */
export const isWithin = (path: string, root: string): boolean =>
  path === root || root === "/" || path.startsWith(`${root}/`)

const depthOf = (path: string): number => segmentsOf(path).length

/** Outer before inner, and the same every time. */
export const outerFirst = <A extends { readonly path: string }>(all: Iterable<A>): ReadonlyArray<A> =>
  [...all].sort((a, b) => depthOf(a.path) - depthOf(b.path) || (a.path < b.path ? -1 : 1))
