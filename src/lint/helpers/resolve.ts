/** The file behind an import of the same project, as the compiler and bundlers find it. */
import { statSync } from "node:fs"
import { dirname, resolve } from "node:path"
import { subpathImports } from "./subpathImports.js"

/** What may stand on the disk for the ending that is written. */
const written: ReadonlyMap<string, ReadonlyArray<string>> = new Map([
  [".js", [".ts", ".tsx", ".js", ".jsx"]],
  [".jsx", [".tsx", ".jsx"]],
  [".mjs", [".mts", ".mjs"]],
  [".cjs", [".cts", ".cjs"]]
])

const endings = [".ts", ".tsx", ".mts", ".cts", ".js", ".jsx", ".mjs", ".cjs"]

const isFile = (path: string): boolean => statSync(path, { throwIfNoEntry: false })?.isFile() === true

const candidates = (path: string): ReadonlyArray<string> => {
  const [ending = ""] = /\.[cm]?[jt]sx?$/.exec(path) ?? []
  const stem = path.slice(0, path.length - ending.length)
  const others = written.get(ending)?.map((one) => `${stem}${one}`) ?? (ending === "" ? [] : [path])
  return [
    ...others,
    ...endings.map((one) => `${path}${one}`),
    ...endings.map((one) => resolve(path, `index${one}`))
  ]
}

/** Nothing where no file of code is found: that is for the compiler to say. */
export const resolved = (specifier: string, from: string): string | undefined => {
  try {
    const paths = specifier.startsWith("#")
      ? subpathImports(specifier, from)
      : [resolve(dirname(from), specifier.replace(/[?#].*$/, ""))]
    return paths.flatMap(candidates).find(isFile)
  } catch {
    return undefined
  }
}
