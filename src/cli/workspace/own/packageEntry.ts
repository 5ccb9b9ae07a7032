/**
 * The file that an import of a package leads to, as Node finds it, and nothing of it loaded. What `exports` names lies in
 * the package: a link that leads out of it is refused.
 */
import { readFileSync } from "node:fs"
import { join, sep } from "node:path"
import { CliError } from "../../CliError.js"
import { isFile, realPath } from "../../read.js"
import { packageFrom } from "./Installation.js"
import { packageName } from "./packageName.js"

/** As Node takes them for an `import`. */
const CONDITIONS = new Set(["node", "import", "module-sync", "default"])

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value)

/** The first target whose conditions hold; `null` closes a path. */
const targetOf = (value: unknown, filling: string): string | undefined => {
  if (typeof value === "string") return value.replaceAll("*", filling)
  if (Array.isArray(value)) return value.map((one) => targetOf(one, filling)).find((one) => one !== undefined)
  if (!isObject(value)) return undefined
  for (const [condition, target] of Object.entries(value)) {
    if (!CONDITIONS.has(condition)) continue
    const found = targetOf(target, filling)
    if (found !== undefined || target === null) return found
  }
  return undefined
}

/** What stands for `*` in a pattern of subpaths. */
const fillingOf = (pattern: string, path: string): string | undefined => {
  const [before = "", after] = pattern.split("*")
  if (after === undefined) return undefined
  const fits = path.startsWith(before) && path.endsWith(after) && path.length >= pattern.length
  return fits ? path.slice(before.length, path.length - after.length) : undefined
}

const exported = (exports: unknown, path: string): string | undefined => {
  const isMap = isObject(exports) && Object.keys(exports).some((key) => key.startsWith("."))
  if (!isMap) return path === "." ? targetOf(exports, "") : undefined
  if (Object.hasOwn(exports, path) && !path.includes("*")) return targetOf(exports[path], "")
  const [best] = Object.keys(exports)
    .filter((pattern) => fillingOf(pattern, path) !== undefined)
    .sort((a, b) => b.indexOf("*") - a.indexOf("*"))
  return best === undefined ? undefined : targetOf(exports[best], fillingOf(best, path) ?? "")
}

/** Of a package that maps nothing: its main file, or a file by its path. */
const unmapped = (main: unknown, path: string, directory: string): string | undefined => {
  if (path !== ".") return path
  const named = typeof main === "string" ? main : "index.js"
  return [named, `${named}.js`, `${named}/index.js`].find((one) => isFile(join(directory, one)))
}

const manifestIn = (directory: string, specifier: string): Readonly<Record<string, unknown>> => {
  try {
    const read: unknown = JSON.parse(readFileSync(join(directory, "package.json"), "utf8"))
    if (isObject(read)) return read
  } catch {
    // It is told below.
  }
  throw new CliError(`${specifier} is named under 'tools', and its package.json cannot be read`)
}

export interface PackageEntry {
  readonly file: string
  /** Where the package was found, and where it really is. */
  readonly directories: ReadonlyArray<string>
}

/** Throws a `CliError`. */
export const packageEntry = (specifier: string, root: string): PackageEntry => {
  const name = packageName(specifier)
  const found = packageFrom(name, root)
  if (found === undefined) {
    throw new CliError(
      `${specifier} is named under 'tools', and is not installed; in the workspace, run: npm i --ignore-scripts ${name}`
    )
  }
  const manifest = manifestIn(found, specifier)
  const path = specifier === name ? "." : `.${specifier.slice(name.length)}`
  const target =
    manifest.exports === undefined || manifest.exports === null
      ? unmapped(manifest.main, path, found)
      : exported(manifest.exports, path)
  const directory = realPath(found)
  const file = target === undefined ? undefined : realPath(join(found, target))
  if (file === undefined || !isFile(file)) {
    throw new CliError(
      `${specifier} is named under 'tools', and its package offers no such module; name what it exports, as its package.json says`
    )
  }
  if (!file.startsWith(directory + sep)) {
    throw new CliError(`${specifier} is named under 'tools', and leads out of its package; it is not run`)
  }
  return { file, directories: [found, directory] }
}
