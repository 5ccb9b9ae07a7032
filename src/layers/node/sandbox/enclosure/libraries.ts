/** What Node itself is made of on this machine: its binary, and the libraries that it has loaded here. */
import {
  closeSync,
  lstatSync,
  openSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  readSync,
  realpathSync
} from "node:fs"
import { basename, dirname, join } from "node:path"
import { lazy } from "../../../../policy/Memo.js"

const isLibrary = (path: string): boolean => /\.so(?:\.[\d.]+)?$/.test(path)

const isPackaged = (path: string): boolean => path.split("/").includes("node_modules")

/** The files that this process has mapped, by their real paths. Native code of packages is no part of Node. */
const mapped = (): ReadonlyArray<string> => {
  const paths = readFileSync("/proc/self/maps", "utf8")
    .split("\n")
    .flatMap((line) => /\s(\/\S.*)$/.exec(line)?.[1] ?? [])
  return [...new Set(paths)].filter((path) => isLibrary(path) && !isPackaged(path))
}

/** Names in the same directory that lead to a file: a loader looks for a library by the name that it was linked by. */
const namesOf = (path: string): ReadonlyArray<string> => {
  const directory = dirname(path)
  const stem = basename(path).replace(/\.so.*$/, ".so")
  return readdirSync(directory).filter((name) => {
    if (!name.startsWith(stem) || name === basename(path)) return false
    try {
      return realpathSync(join(directory, name)) === path
    } catch {
      return false
    }
  })
}

/** Directories at the root that are links into `/usr`, as most systems have them by now. */
const ROOTS = ["/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32"]

const rootLinks = (): ReadonlyArray<readonly [path: string, target: string]> =>
  ROOTS.flatMap((path) =>
    lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() === true
      ? [[path, readlinkSync(path)] as const]
      : []
  )

const HEADER = 4096

/** The loader that a binary names, as a link from there to where it really is. */
const loaderOf = (binary: string): ReadonlyArray<readonly [path: string, target: string]> => {
  const file = openSync(binary, "r")
  try {
    const header = Buffer.alloc(HEADER)
    const text = header.toString("latin1", 0, readSync(file, header, 0, HEADER, 0))
    const named = /(\/[\w./-]*\/ld[\w.-]*\.so[.\d]*)\0/.exec(text)?.[1]
    if (named === undefined) return []
    const [path, target] = [join(realpathSync(dirname(named)), basename(named)), realpathSync(named)]
    return path === target ? [] : [[path, target]]
  } finally {
    closeSync(file)
  }
}

export interface NodeRuntime {
  readonly binary: string
  readonly libraries: ReadonlyArray<string>
  readonly links: ReadonlyArray<readonly [path: string, target: string]>
}

/** It is asked of the system once. */
export const nodeRuntime: () => NodeRuntime = lazy(() => {
  const libraries = mapped()
  const binary = realpathSync(process.execPath)
  return {
    binary,
    libraries,
    // One link at a place.
    links: [
      ...new Map([
        ...loaderOf(binary),
        ...rootLinks(),
        ...libraries.flatMap((path) =>
          namesOf(path).map((name) => [join(dirname(path), name), basename(path)] as const)
        )
      ])
    ]
  }
})
