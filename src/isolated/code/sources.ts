/** What a bundle was made from: as long as all of it is the same, the bundle is. */
import { existsSync, readFileSync, statSync } from "node:fs"
import { dirname, join } from "node:path"
import { digestOf } from "./store.js"

/** The package that decides how a file is read, and where its imports lead. */
const packageOf = (file: string, known: Map<string, string | undefined>): string | undefined => {
  const directory = dirname(file)
  if (known.has(directory)) return known.get(directory)
  const here = join(directory, "package.json")
  const found = existsSync(here)
    ? here
    : dirname(directory) === directory
      ? undefined
      : packageOf(directory, known)
  known.set(directory, found)
  return found
}

/** The inputs of a bundle, and the packages that they are of. */
export const withPackages = (inputs: ReadonlyArray<string>): ReadonlyArray<string> => {
  const known = new Map<string, string | undefined>()
  return [...new Set([...inputs, ...inputs.flatMap((file) => packageOf(file, known) ?? [])])].sort()
}

/** What is no file may have no end. */
const read = (file: string): Buffer => {
  if (!statSync(file).isFile()) throw new Error("no file")
  return readFileSync(file)
}

/** One digest of all of them, or nothing where one is gone. */
export const digestOfAll = (files: ReadonlyArray<string>): string | undefined => {
  try {
    return digestOf(files.map((file) => `${file}\0${digestOf(read(file))}\n`).join(""))
  } catch {
    return undefined
  }
}
