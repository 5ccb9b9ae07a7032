/** Who imports whom in `src`, as the files say it: values, types, re-exports and imports that wait alike. */
import { readFileSync } from "node:fs"
import { dirname, join, normalize } from "node:path"
import ts from "typescript"
import { filesUnder, root } from "../lib/project.js"

/** A source file, by its path below `src` and without its ending, and those that it imports. */
export interface Module {
  readonly path: string
  readonly imports: ReadonlyArray<string>
}

const importsOf = (path: string, text: string): ReadonlyArray<string> => {
  const found = ts.preProcessFile(text, true, true).importedFiles.map(({ fileName }) => fileName)
  const relative = found.filter((name) => name.startsWith("."))
  return [
    ...new Set(relative.map((name) => normalize(join(dirname(path), name)).replace(/\.js$/, "")))
  ].sort()
}

/** From texts by their paths below `src`. */
export const modulesOf = (texts: ReadonlyMap<string, string>): ReadonlyArray<Module> =>
  [...texts].map(([file, text]) => {
    const path = file.replace(/\.tsx?$/, "")
    return { path, imports: importsOf(path, text) }
  })

/** Those of this repository. */
export const modules = (): ReadonlyArray<Module> =>
  modulesOf(
    new Map(
      filesUnder("src")
        .filter((file) => /\.tsx?$/.test(file))
        .map((file) => [file.slice("src/".length), readFileSync(join(root, file), "utf8")])
    )
  )
