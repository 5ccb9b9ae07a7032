/** Which files below a `node_modules` are of packages that a module can import: not those of others, nor what lies beside them. */
import { sep } from "node:path"

const MODULES = "node_modules"

export const isWithin = (path: string, root: string): boolean => path === root || path.startsWith(root + sep)

export const isPackaged = (path: string): boolean => path.split(sep).includes(MODULES)

/** Caches and lists of what is installed lie there, too. */
export const isOfPackage = (path: string): boolean => {
  const parts = path.split(sep)
  return parts[parts.lastIndexOf(MODULES) + 1]?.startsWith(".") === false
}

/** The directory of the package that a file is installed with, if it is. */
export const packageOf = (path: string): string | undefined => {
  const parts = path.split(sep)
  const at = parts.lastIndexOf(MODULES) + 1
  return at > 0 && isOfPackage(path)
    ? parts.slice(0, at + (parts[at]?.startsWith("@") ? 2 : 1)).join(sep)
    : undefined
}

/** Whether it is installed where imports of these files are looked for: on the way up from one of them. */
export const isFoundFrom = (path: string, files: ReadonlyArray<string>): boolean => {
  const above = path.slice(0, path.indexOf(`${sep}${MODULES}${sep}`))
  return isPackaged(path) && files.some((file) => isWithin(file, above))
}
