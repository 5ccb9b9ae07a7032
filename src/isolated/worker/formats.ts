/** How Node reads a file: as its ending says, else as its package does, else as its text does. */
import { existsSync, readFileSync } from "node:fs"
import { basename, dirname, extname, join } from "node:path"
import { compileFunction, SourceTextModule } from "node:vm"

export type Format = "commonjs" | "json" | "module"

/** What a script finds around itself. */
export const GIVEN = ["exports", "require", "module", "__filename", "__dirname"]

const types = new Map<string, unknown>()

const typeRead = (directory: string): unknown => {
  const manifest = join(directory, "package.json")
  if (basename(directory) === "node_modules") return undefined
  if (existsSync(manifest)) return Reflect.get(Object(JSON.parse(readFileSync(manifest, "utf8"))), "type")
  return dirname(directory) === directory ? undefined : typeIn(dirname(directory))
}

/** What the nearest package says of the files in a directory. */
const typeIn = (directory: string): unknown => {
  if (!types.has(directory)) types.set(directory, typeRead(directory))
  return types.get(directory)
}

const compiles = (compile: () => unknown): boolean => {
  try {
    compile()
    return true
  } catch {
    return false
  }
}

/** Whether a text of which nobody says what it is can only be a module. */
export const isModule = (text: string): boolean =>
  !compiles(() => compileFunction(text, GIVEN)) && compiles(() => new SourceTextModule(text))

/** Nothing where it is none of these. */
export const formatOf = (path: string, text: () => string): Format | undefined => {
  switch (extname(path)) {
    case ".mjs":
      return "module"
    case ".cjs":
      return "commonjs"
    case ".json":
      return "json"
    case ".js":
    case "": {
      const type = typeIn(dirname(path))
      if (type === "module" || type === "commonjs") return type
      return isModule(text()) ? "module" : "commonjs"
    }
    default:
      return undefined
  }
}
