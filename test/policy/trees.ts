/** Trees that are data, for those who look into them. A string is a link, a number says what else there is. */
import type { Entry, Finding, Judge, Kind, Look, Where } from "../../src/policy/confinement/Look.js"

export const FILE = 1
export const FIFO = 2

export interface Tree {
  readonly [name: string]: Tree | string | number
}

type Node = Tree[string]

const kindOf = (node: Node): Kind => {
  if (typeof node === "string") return "link"
  if (typeof node === "object") return "directory"
  return node === FIFO ? "other" : "file"
}

const at = (tree: Tree, path: string): Node | undefined => {
  let node: Node | undefined = tree
  for (const name of path.split("/").filter((part) => part !== "")) {
    node = typeof node === "object" && Object.hasOwn(node, name) ? node[name] : undefined
  }
  return node
}

const entriesOf = (tree: Tree, path: string): ReadonlyArray<Entry> | undefined => {
  const node = at(tree, path)
  return typeof node === "object"
    ? Object.entries(node).map(([name, below]) => ({ name, kind: kindOf(below) }))
    : undefined
}

const found = (tree: Tree, judge: Judge, path: string, where: Where): ReadonlyArray<Finding> => {
  const judged = judge.directory(path, where, entriesOf(tree, path) ?? [])
  return [
    ...judged.found,
    ...judged.enter.flatMap(([name, as]) =>
      found(tree, judge, path === "/" ? `/${name}` : `${path}/${name}`, as)
    )
  ]
}

const count = (node: Node | undefined): number =>
  typeof node === "object" ? Object.values(node).reduce((sum: number, one) => sum + 1 + count(one), 0) : 0

/** Texts of files by their paths; of those that have none nobody says anything. */
type Texts = ReadonlyMap<string, string>

export const lookAt = (
  tree: Tree,
  { most = Number.POSITIVE_INFINITY, texts = new Map() }: { most?: number; texts?: Texts } = {}
): Look => ({
  kind: (path) => {
    const node = at(tree, path)
    return node === undefined ? undefined : kindOf(node)
  },
  target: (path) => {
    const node = at(tree, path)
    return typeof node === "string" ? node : undefined
  },
  entries: (path) => entriesOf(tree, path),
  text: (path) => {
    if (at(tree, path) !== FILE) return "none"
    return { text: texts.get(path) ?? "" }
  },
  survey: (root, judge) =>
    count(at(tree, root)) > most
      ? { isWhole: false, why: "it is too large" }
      : { isWhole: true, found: found(tree, judge, root, judge.whereOf(root)) }
})

/** Every path of a tree, with what is there. */
export const pathsOf = (tree: Tree, above = ""): ReadonlyArray<readonly [path: string, kind: Kind]> =>
  Object.entries(tree).flatMap(([name, node]) => [
    [`${above}/${name}`, kindOf(node)] as const,
    ...(typeof node === "object" ? pathsOf(node, `${above}/${name}`) : [])
  ])
