/**
 * What a module loads from the workspace, as paths for the floor: the module, all that it imports by a path, packages
 * that are links to directories of the workspace, and what decides where imports lead. Whoever could write one of these
 * would be run by the next command.
 */
import { isBuiltin } from "node:module"
import { dirname, extname, join, resolve, sep } from "node:path"
import { fileURLToPath } from "node:url"
import { quote } from "../../../policy/text/Quote.js"
import { CliError } from "../../CliError.js"
import { isFile, readText, realPath } from "../../read.js"
import { packageFrom, upward } from "./Installation.js"
import { type OwnModule, typed } from "./OwnModules.js"
import { packageName } from "./packageName.js"
import { importsIn } from "./specifiers.js"

const MOST = 5000

/** No path is longer. */
const LONGEST = 1024

const scanned: ReadonlySet<string> = new Set([".js", ".mjs", ".cjs", ".jsx", ".ts", ".mts", ".cts", ".tsx"])

const endings = [".ts", ".tsx", ".mts", ".cts", ".js", ".jsx", ".mjs", ".cjs", ".json", ".node"]

const isPackaged = (path: string): boolean => path.split(sep).includes("node_modules")

/** Everything that a loader may take for a path: one that is not there yet may go before one that is. */
const spellings = (path: string, exactly: boolean): ReadonlyArray<string> => {
  const ending = extname(path)
  if (exactly && endings.includes(ending)) return [path]
  const stem = /^\.[mc]?[jt]sx?$/.test(ending) ? path.slice(0, -ending.length) : path
  return [
    path,
    ...endings.map((one) => `${stem}${one}`),
    ...(stem === path ? endings.map((one) => join(path, `index${one}`)) : [])
  ]
}

const pathOf = (specifier: string, from: string): string | undefined => {
  if (specifier.startsWith("file:")) {
    try {
      return fileURLToPath(specifier)
    } catch {
      return undefined
    }
  }
  if (specifier.length > LONGEST || !/^(?:\.{0,2}\/|\.{1,2}$)/.test(specifier)) return undefined
  const plain = specifier.replace(/[?#].*$/, "")
  try {
    return resolve(dirname(from), decodeURIComponent(plain))
  } catch {
    return resolve(dirname(from), plain)
  }
}

/** What is none was taken for an import, and is something else. */
const SPECIFIER = /^[\w.~@$+/-]{1,500}$/

const jsonIn = (file: string): Readonly<Record<string, unknown>> => {
  try {
    const found: unknown = JSON.parse(readText(file))
    return typeof found === "object" && found !== null ? { ...found } : {}
  } catch {
    return {}
  }
}

const targetsIn = (value: unknown): ReadonlyArray<string> =>
  typeof value === "string"
    ? [value]
    : typeof value === "object" && value !== null
      ? Object.values(value).flatMap(targetsIn)
      : []

/** What redirects the imports of modules written in TypeScript, as far as one can see. */
const redirects = (directory: string): boolean => {
  const file = join(directory, "tsconfig.json")
  return isFile(file) && /"(?:paths|baseUrl|extends|rootDirs)"/.test(readText(file))
}

class Search {
  readonly code = new Set<string>()
  private readonly seen = new Set<string>()

  constructor(
    private readonly root: string,
    /** Whether a path with an ending is taken as it is: a loader of TypeScript looks for others first. */
    private readonly exactly: boolean
  ) {}

  module(file: string): void {
    const waiting = [file]
    for (let one = waiting.pop(); one !== undefined; one = waiting.pop()) waiting.push(...this.imported(one))
  }

  /** A package that is run isolated: as a whole, with all that it depends on. */
  package(name: string): void {
    this.around(this.root)
    const found = packageFrom(name, this.root)
    if (found !== undefined) this.needed(found, new Set())
  }

  /** One that is a link to a directory of the workspace may be needed by one that is none. */
  private needed(directory: string, walked: Set<string>): void {
    const real = realPath(directory)
    if (walked.has(real) || walked.size >= MOST) return
    walked.add(real)
    this.linked(directory)
    for (const found of this.dependencies(real)) this.needed(found, walked)
  }

  /** Closes a file and what decides on its imports, and gives what it imports. */
  private imported(given: string): ReadonlyArray<string> {
    this.code.add(given)
    const file = realPath(given)
    if (this.seen.has(file) || isPackaged(file)) return []
    if (this.seen.size >= MOST) {
      throw new CliError(`${given}: the modules of 'tools' import more than ${MOST} files; import fewer`)
    }
    this.seen.add(file)
    this.code.add(file)
    this.around(dirname(file))
    if (!isFile(file) || !scanned.has(extname(file))) return []
    const { computes, specifiers } = importsIn(readText(file))
    if (computes) this.whole(file)
    return specifiers.flatMap((specifier) => this.resolved(specifier, file))
  }

  /** Where imports are looked for, and how they are read. */
  private around(directory: string): void {
    for (const one of upward(directory)) {
      this.code.add(join(one, "node_modules"))
      if (this.contains(one)) {
        this.code.add(join(one, "package.json"))
        this.code.add(join(one, "tsconfig.json"))
      }
    }
  }

  private contains(path: string): boolean {
    return `${path}/`.startsWith(`${this.root}/`)
  }

  /** What a module computes lies, as far as one can see, beside it. */
  private whole(file: string): void {
    const directory = dirname(file)
    if (`${this.root}/`.startsWith(`${directory}/`)) {
      throw new CliError(
        `${file} imports what only running it tells, and lies in the root of the workspace; put it into a folder of its own, which is then closed to tools`
      )
    }
    this.code.add(directory)
  }

  private resolved(specifier: string, from: string): ReadonlyArray<string> {
    if (isBuiltin(specifier) || /^(?:data|https?):/.test(specifier)) return []
    const path = pathOf(specifier, from)
    if (path !== undefined) return this.spelled(path)
    const scope = upward(dirname(from)).find((one) => isFile(join(one, "package.json")))
    const { exports, imports, name } = scope === undefined ? {} : jsonIn(join(scope, "package.json"))
    if (scope !== undefined && specifier.startsWith("#")) return this.mapped(scope, imports)
    const wanted = packageName(specifier)
    if (!SPECIFIER.test(specifier)) return []
    if (scope !== undefined && wanted === name) {
      return this.contains(scope) ? this.mapped(scope, exports) : this.topmost(scope, exports)
    }
    const found = packageFrom(wanted, dirname(from))
    if (found !== undefined) this.linked(found)
    else if (typed.has(extname(from)) && upward(dirname(from)).some(redirects)) {
      throw new CliError(
        `${from} imports ${quote(specifier)}, which is no package here and is perhaps led elsewhere by a tsconfig.json; import the file by its path`
      )
    }
    return []
  }

  private spelled(path: string): ReadonlyArray<string> {
    const all = spellings(path, this.exactly)
    for (const one of all) this.code.add(one)
    return all.filter(isFile)
  }

  /** The targets of a map in a `package.json`; of a pattern, the directory that it lies in. */
  private mapped(scope: string, map: unknown): ReadonlyArray<string> {
    return targetsIn(map)
      .filter((target) => target.startsWith("./"))
      .flatMap((target) => {
        const [before = "", after] = target.split("*")
        if (after === undefined) return this.spelled(join(scope, target))
        const directory = join(scope, before.slice(0, before.lastIndexOf("/") + 1))
        if (`${this.root}/`.startsWith(directory.endsWith("/") ? directory : `${directory}/`)) {
          throw new CliError(
            `${join(scope, "package.json")} maps imports to any file of the workspace; map them to a folder`
          )
        }
        this.code.add(directory)
        return []
      })
  }

  /** Of a package around the workspace, the folders that it offers something of. */
  private topmost(scope: string, map: unknown): ReadonlyArray<string> {
    for (const target of targetsIn(map)) {
      const folder = join(scope, target.split("/")[1] ?? "")
      if (folder !== scope && !`${this.root}/`.startsWith(`${folder}/`)) this.code.add(folder)
    }
    return []
  }

  /** A package that is a link to a directory of its own, with the packages that it depends on. */
  private linked(directory: string): void {
    this.code.add(directory)
    const real = realPath(directory)
    if (isPackaged(real) || this.seen.has(real)) return
    this.seen.add(real)
    this.around(real)
    const manifest = jsonIn(join(real, "package.json"))
    // One that the workspace itself lies in cannot be closed as a whole.
    if (`${this.root}/`.startsWith(`${real}/`)) this.topmost(real, manifest.exports)
    else this.code.add(real)
    for (const found of this.dependencies(real)) this.linked(found)
  }

  /** The packages that one says it needs, as far as they are installed. */
  private dependencies(real: string): ReadonlyArray<string> {
    const manifest = jsonIn(join(real, "package.json"))
    const needed = [manifest.dependencies, manifest.optionalDependencies, manifest.peerDependencies]
    return needed
      .flatMap((one) => Object.keys(Object(one)))
      .flatMap((name) => (SPECIFIER.test(name) ? (packageFrom(name, real) ?? []) : []))
  }
}

/** Throws a `CliError` where it cannot be known what a module loads. */
export const codeOf = (
  { file, isolated }: OwnModule,
  root: string,
  modules: ReadonlyArray<OwnModule>
): ReadonlyArray<string> => {
  const search = new Search(realPath(root), !modules.some((one) => typed.has(extname(one.file))))
  if (isolated?.package === undefined) search.module(file)
  else search.package(isolated.package)
  return [...search.code]
}
