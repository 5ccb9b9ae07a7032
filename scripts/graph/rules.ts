/**
 * Two rules that no linter has. What a folder keeps to itself is not imported from elsewhere, and folders do not
 * import one another in circles.
 */
import { basename, dirname } from "node:path"
import type { Module } from "./modules.js"

/**
 * A module that exports a concept has a capital; other folders may import it, and `index` too. What begins with a small
 * letter is private to its folder and to what lies below.
 */
const isPrivate = (path: string): boolean => /^[a-z]/.test(basename(path)) && basename(path) !== "index"

const isWithin = (folder: string, ancestor: string): boolean =>
  folder === ancestor || ancestor === "." || folder.startsWith(`${ancestor}/`)

export interface Import {
  readonly from: string
  readonly to: string
}

/** Imports of what another folder keeps to itself. */
export const privateEntries = (modules: ReadonlyArray<Module>): ReadonlyArray<Import> =>
  modules.flatMap(({ imports, path }) =>
    imports
      .filter((to) => isPrivate(to) && !isWithin(dirname(path), dirname(to)))
      .map((to) => ({ from: path, to }))
  )

/** Folder by folder, the others that it imports from. A folder and its own subfolders are one house. */
export const foldersOf = (modules: ReadonlyArray<Module>): ReadonlyMap<string, ReadonlySet<string>> => {
  const all = new Map<string, Set<string>>()
  for (const { imports, path } of modules) {
    const from = dirname(path)
    const entered = all.get(from) ?? new Set()
    all.set(from, entered)
    for (const to of imports.map((one) => dirname(one))) {
      if (!isWithin(from, to) && !isWithin(to, from)) entered.add(to)
    }
  }
  return all
}

/** The folders that reach each other, in groups of two and more, as Tarjan finds them. */
export const folderCycles = (modules: ReadonlyArray<Module>): ReadonlyArray<ReadonlyArray<string>> => {
  const graph = foldersOf(modules)
  const order = new Map<string, number>()
  const low = new Map<string, number>()
  const stack: Array<string> = []
  const groups: Array<ReadonlyArray<string>> = []
  const visit = (folder: string): number => {
    const known = order.get(folder)
    if (known !== undefined) return stack.includes(folder) ? known : Number.POSITIVE_INFINITY
    const mine = order.size
    order.set(folder, mine)
    stack.push(folder)
    let lowest = mine
    for (const next of graph.get(folder) ?? []) {
      const reached = visit(next)
      lowest = Math.min(
        lowest,
        order.has(next) && stack.includes(next) ? (low.get(next) ?? reached) : reached
      )
    }
    low.set(folder, lowest)
    if (lowest === mine) groups.push(stack.splice(stack.indexOf(folder)).sort())
    return lowest
  }
  for (const folder of graph.keys()) visit(folder)
  return groups.filter((group) => group.length > 1)
}

/** The files by which the folders of a circle import one another. */
const between = (modules: ReadonlyArray<Module>, group: ReadonlyArray<string>): ReadonlyArray<Import> =>
  modules.flatMap(({ imports, path }) =>
    imports
      .filter((to) => {
        const [here, there] = [dirname(path), dirname(to)]
        return (
          group.includes(here) && group.includes(there) && !isWithin(here, there) && !isWithin(there, here)
        )
      })
      .map((to) => ({ from: path, to }))
  )

const arrow = ({ from, to }: Import): string => `${from} -> ${to}`

/** One sentence for each thing that breaks a rule. */
export const complaints = (modules: ReadonlyArray<Module>): ReadonlyArray<string> => [
  ...privateEntries(modules).map(
    (one) =>
      `${arrow(one)} enters a private file; give the concept a name with a capital, or move what is needed`
  ),
  ...folderCycles(modules).map(
    (group) =>
      `the folders ${group.join(", ")} import one another:\n${between(modules, group)
        .map((one) => `  ${arrow(one)}`)
        .join("\n")}`
  )
]
