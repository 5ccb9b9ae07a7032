/** What is there, looked at anew each time. */
import { lstatSync, readdirSync, readlinkSync } from "node:fs"
import type { Entry, Finding, Judge, Kind, Look } from "../../../policy/confinement/Look.js"

const kindOf = (one: { isDirectory(): boolean; isFile(): boolean; isSymbolicLink(): boolean }): Kind =>
  one.isDirectory() ? "directory" : one.isFile() ? "file" : one.isSymbolicLink() ? "link" : "other"

const entries = (path: string): ReadonlyArray<Entry> | undefined => {
  try {
    return readdirSync(path, { withFileTypes: true }).map((one) => ({ name: one.name, kind: kindOf(one) }))
  } catch {
    return undefined
  }
}

const survey = (root: string, judge: Judge) => {
  const found: Array<Finding> = []
  const walk = (path: string, where: ReturnType<Judge["whereOf"]>): void => {
    const list = entries(path)
    if (list === undefined) return void found.push(judge.unreadable(path, "it cannot be read"))
    const judged = judge.directory(path, where, list)
    found.push(...judged.found)
    for (const [name, into] of judged.enter) walk(path === "/" ? `/${name}` : `${path}/${name}`, into)
  }
  walk(root, judge.whereOf(root))
  return { isWhole: true as const, found }
}

export const look: Look = {
  kind: (path) => {
    const found = lstatSync(path, { throwIfNoEntry: false })
    return found === undefined ? undefined : kindOf(found)
  },
  target: (path) => {
    try {
      return readlinkSync(path)
    } catch {
      return undefined
    }
  },
  entries,
  survey
}
