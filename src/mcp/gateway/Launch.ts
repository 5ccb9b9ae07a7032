/**
 * What a local server is started as: its words, where it stands, and what it is let to besides what it requires. That is
 * its own command, its files among the arguments, and its code; never the folders around them.
 *
 * @since 0.1.0
 */
import { statSync } from "node:fs"
import { isAbsolute, resolve } from "node:path"
import * as Authority from "../../policy/lattice/Authority.js"
import { facets } from "../../policy/lattice/Facets.js"
import * as Glob from "../../policy/lattice/Glob.js"
import { ScopeSet } from "../../policy/lattice/ScopeSet.js"
import type { Local } from "../../policy/server/Server.js"

/**
 * @since 0.1.0
 * @category models
 */
export interface Launch {
  readonly command: string
  readonly args: ReadonlyArray<string>
  /** Without it, an empty directory that is made for it. */
  readonly cwd: string | undefined
  readonly own: Authority.Authority
}

const kindOf = (path: string): "file" | "directory" | undefined => {
  try {
    const stats = statSync(path)
    return stats.isFile() ? "file" : stats.isDirectory() ? "directory" : undefined
  } catch {
    return undefined
  }
}

const from = (root: string | undefined, path: string): string | undefined =>
  isAbsolute(path) ? resolve(path) : root === undefined ? undefined : resolve(root, path)

/** An argument that names a file: by its absolute path, because the server does not start where it was written. */
const placed = ({ root }: Local, word: string): { readonly word: string; readonly file?: string } => {
  const path = word.includes("\u0000") ? undefined : from(root, word)
  return path !== undefined && kindOf(path) === "file" ? { word: path, file: path } : { word }
}

const segmentsOf = (path: string): ReadonlyArray<string> => path.split("/").filter((part) => part !== "")

/** A command with a slash in it is a path. */
const commandOf = ({ command, root }: Local): string =>
  command.includes("/") ? (from(root, command) ?? command) : command

/**
 * How a server is started, as of now: what its arguments and `code` name is looked up.
 *
 * @since 0.1.0
 * @category constructors
 */
export const launchOf = (local: Local): Launch => {
  const command = commandOf(local)
  const words = local.args.map((word) => placed(local, word))
  const args = words.map(({ word }) => word)
  const code = local.code.flatMap((path) => from(local.root, path) ?? [])
  const files = [
    ...words.flatMap(({ file }) => file ?? []),
    ...code.filter((path) => kindOf(path) === "file")
  ]
  const trees = code.filter((path) => kindOf(path) === "directory")
  const read = ScopeSet.make(facets.files.read, [
    ...files.map((path) => ({ path: [Glob.exact(segmentsOf(path))] })),
    ...trees.map((path) => ({ path: [Glob.tree(segmentsOf(path))] }))
  ])
  // In no directory of its own: one that is named would be shown to it.
  const exec = ScopeSet.make(facets.process.exec, [{ argv: [Glob.exact([command, ...args])] }])
  return {
    command,
    args,
    cwd: local.cwd === undefined ? undefined : from(local.root, local.cwd),
    own: Authority.make({ files: { read }, process: { exec } })
  }
}
