/**
 * The files that a module is made of, for one that is no bundle, or that looks from its bundle for what lies beside it: its own,
 * one by one, and the packages that it is of or imports, each as a whole. Nothing around them is seen.
 */
import { existsSync, lstatSync, readdirSync, readFileSync, realpathSync } from "node:fs"
import { isBuiltin } from "node:module"
import { dirname, extname, join, resolve, sep } from "node:path"
import { pathToFileURL } from "node:url"
import type { Seen } from "../../layers/node/sandbox/enclosure/Enclosure.js"
import { lazy } from "../../policy/Memo.js"
import { home, isSource, workerFile } from "./library.js"
import { isFoundFrom, isOfPackage, isPackaged, isWithin, packageOf } from "./packaged.js"
import { Unbundled } from "./Unbundled.js"

const MOST = 5000

const READ = new Set([".js", ".mjs", ".cjs", ".json"])

/** Every text that an import could name, whatever stands around it: what is none names nothing. */
const SPECIFIER =
  /(?:\bfrom|\bimport|\brequire|\b(?:meta|require)\.(resolve))\s*\(?\s*["']([^"'\n]{1,500})["']/g

const packageName = (specifier: string): string =>
  specifier
    .split("/")
    .slice(0, specifier.startsWith("@") ? 2 : 1)
    .join("/")

const NEEDS = ["dependencies", "peerDependencies", "optionalDependencies"] as const

/** The packages that one says it needs. */
const needsOf = (directory: string, kinds: ReadonlyArray<string> = NEEDS): ReadonlyArray<string> => {
  try {
    const read: unknown = JSON.parse(readFileSync(join(directory, "package.json"), "utf8"))
    return kinds.flatMap((key) => Object.keys(Object(Reflect.get(Object(read), key))))
  } catch {
    return []
  }
}

const upward = (from: string): ReadonlyArray<string> =>
  dirname(from) === from ? [from] : [from, ...upward(dirname(from))]

/** The nearest directory with a package in it. */
const rootOf = (directory: string): string =>
  upward(directory).find((at) => existsSync(join(at, "package.json"))) ?? directory

/** Where a package is found from a directory. */
const placeOf = (name: string, from: string): string | undefined =>
  upward(from)
    .map((at) => join(at, "node_modules", name))
    .find((place) => lstatSync(place, { throwIfNoEntry: false }) !== undefined)

/** Whether a text may import more of this library than its main entry: what that needs is seen only then. */
const namesMore = (text: string): boolean => /\bbailiwick\/|\bimport\s*\(\s*[^"'\s]/.test(text)

/** These are ours, wherever they are imported. */
const OURS = new Set(["bailiwick", "effect"])

class Gathering {
  readonly seen = new Map<string, Seen>()
  readonly links = new Map<string, string>()
  private readonly known = new Set<string>()
  /** Whether all entries of this library may be imported, and not only what a worker needs of it. */
  private isWide = false

  constructor(
    private readonly entry: string,
    private readonly within: ReadonlyArray<string> | undefined,
    /** What of ours it imports is in its bundle. */
    private readonly isBundled: boolean
  ) {}

  private file(path: string): void {
    this.seen.set(path, { path, kind: "file" })
  }

  private directory(path: string): void {
    this.seen.set(path, { path, kind: "directory" })
  }

  /** A folder that somebody works in, as if it were installed: without links, what is hidden, and packages that it does not need. */
  private folder(path: string): void {
    for (const one of readdirSync(path, { withFileTypes: true })) {
      if (/^(?:\.|node_modules$)/.test(one.name)) continue
      if (one.isDirectory()) this.directory(join(path, one.name))
      else if (one.isFile()) this.file(join(path, one.name))
    }
  }

  /** The package that the module is installed as by a link: none that leads to what is around the link. */
  private linked(): void {
    for (const one of this.within ?? []) {
      if (packageOf(one) !== one || !existsSync(one)) continue
      const path = realpathSync(one)
      if (isWithin(this.entry, path) && !isWithin(realpathSync(dirname(one)), path)) this.whole(path, false)
    }
  }

  /** Code of the module itself, and what it imports; of its files some may be known. */
  module(known: ReadonlyArray<string> = []): void {
    const root = rootOf(dirname(this.entry))
    const installed = packageOf(this.entry)
    if (installed === undefined) this.linked()
    else this.directory(installed)
    const waiting = [this.entry, ...known]
    for (let file = waiting.pop(); file !== undefined; file = waiting.pop()) {
      if (this.known.has(file)) continue
      if (this.known.size >= MOST) throw new Unbundled(`it has more than ${MOST} files`)
      this.known.add(file)
      this.file(file)
      const manifest = join(rootOf(dirname(file)), "package.json")
      if (existsSync(manifest)) this.file(manifest)
      if (extname(file) === ".json") continue
      const text = readFileSync(file, "utf8")
      this.isWide ||= namesMore(text)
      for (const [, resolve, specifier = ""] of text.matchAll(SPECIFIER)) {
        waiting.push(...this.imported(specifier, file, root, resolve !== undefined))
      }
    }
  }

  private imported(
    specifier: string,
    from: string,
    root: string,
    isLookedFor: boolean
  ): ReadonlyArray<string> {
    if (isBuiltin(specifier)) return []
    if (!specifier.startsWith(".")) {
      this.package(packageName(specifier), dirname(from), false, isLookedFor)
      return []
    }
    const named = resolve(dirname(from), specifier)
    const found = [named, `${named}.js`, `${named}.cjs`, `${named}.json`, join(named, "index.js")].find(
      (path) => lstatSync(path, { throwIfNoEntry: false })?.isFile() === true
    )
    if (found === undefined) return []
    const path = realpathSync(found)
    return READ.has(extname(path)) && isWithin(path, root) && path === found ? [path] : []
  }

  /** A package that is found from a directory, with all that it needs itself. */
  package(name: string, from: string, isOurs = false, isLookedFor = false): void {
    if (!/^(?:@[\w~-][\w.~-]*\/)?[\w~-][\w.~-]*$/.test(name)) return
    if (OURS.has(name)) {
      if (isLookedFor || !this.isBundled) this.ours(name, from)
      return
    }
    const place = placeOf(name, from)
    if (place !== undefined) this.take(place, isOurs)
  }

  /** One copy of each: what is found from there leads here. */
  private ours(name: string, from: string): void {
    const own = this.home(name)
    const place = placeOf(name, from) ?? join(rootOf(from), "node_modules", name)
    if (place !== own) this.links.set(place, own)
    this.whole(own)
  }

  private home(name: string): string {
    if (name === "bailiwick") return home()
    const place = placeOf(name, home())
    if (place === undefined) throw new Unbundled(`${name} is not installed`)
    return realpathSync(place)
  }

  private take(place: string, isOurs: boolean): void {
    const path = realpathSync(place)
    if (path !== place) this.links.set(place, path)
    this.whole(path, isOurs)
  }

  /** A package that is a link to a directory of somebody else is not shown to a module that may not be made of it. */
  private isOpen(path: string): boolean {
    if (this.within === undefined || path === home()) return true
    const all = [this.entry, home(), ...this.within]
    return this.within.some((one) => isWithin(path, one)) || (isOfPackage(path) && isFoundFrom(path, all))
  }

  /** What this library needs is where its installer put it, and is as open as the library is. */
  private whole(path: string, isOurs = true): void {
    if (this.known.has(path)) return
    this.known.add(path)
    if (!isOurs && !this.isOpen(path))
      throw new Unbundled(`it imports ${path}, which is no package of its own`)
    if (path === home()) {
      // Of this library only what is published: it may stand in a directory of its authors.
      this.file(join(path, "package.json"))
      this.directory(join(path, "dist"))
      this.needs(needsOf(path, this.isBundled ? NEEDS : ["dependencies"]), path, isOurs)
      return
    }
    if (isPackaged(path)) this.directory(path)
    else this.folder(path)
    const needs = needsOf(path)
    // Which of its entries another package imports is not looked at.
    this.isWide ||= needs.includes("bailiwick") && !isWithin(this.entry, path)
    this.needs(needs, path, isOurs)
  }

  private needs(names: ReadonlyArray<string>, path: string, isOurs: boolean): void {
    for (const name of names) this.package(name, path, isOurs)
  }

  /** This library, with what its entries need where somebody may import them. */
  library(from: string, isWhole = this.isWide): void {
    for (const name of OURS) this.package(name, from)
    // It may be found there by a link of its own.
    this.package("effect", home())
    if (isWhole) this.needs(needsOf(home()), home(), true)
  }
}

export interface Around {
  readonly seen: ReadonlyArray<Seen>
  readonly links: ReadonlyArray<readonly [path: string, target: string]>
}

export interface Loose extends Around {
  readonly entry: string
}

/** Outer before inner: what is put into a directory that is there already would have to be made in it. */
const byDepth = (a: string, b: string): number =>
  a.split(sep).length - b.split(sep).length || (a < b ? -1 : 1)

const sorted = ({ links, seen }: Gathering): Around => {
  const directories = [...seen.values()].filter(({ kind }) => kind === "directory")
  const isInside = (path: string) => directories.some((one) => one.path !== path && isWithin(path, one.path))
  return {
    seen: [...seen.values()].filter(({ path }) => !isInside(path)).sort((a, b) => byDepth(a.path, b.path)),
    links: [...links].filter(([path]) => !isInside(path)).sort(([a], [b]) => byDepth(a, b))
  }
}

/** This library and what it needs, wherever an installer put that: links lead there from anywhere. */
export const ours: () => ReadonlyArray<string> = lazy(() => {
  const gathering = new Gathering(home(), undefined, false)
  gathering.library(home(), true)
  return [home(), ...sorted(gathering).seen.map(({ path }) => path)]
})

/** Throws `Unbundled` in words where it is not possible. `module` is a real path. */
export const loose = (module: string, within?: ReadonlyArray<string>): Loose => {
  if (isSource() || !READ.has(extname(module))) {
    throw new Unbundled("only JavaScript can be run from its files; compile it, or install esbuild")
  }
  const gathering = new Gathering(module, within, false)
  gathering.module()
  gathering.library(dirname(module))
  const urlOf = (path: string) => JSON.stringify(pathToFileURL(path).href)
  return {
    entry: `import * as tools from ${urlOf(module)}\nimport { main } from ${urlOf(workerFile())}\nmain(tools)\n`,
    ...sorted(gathering)
  }
}

/** What one sees that is a bundle of these files, and asks where it is. */
export const aroundBundle = (
  module: string,
  inputs: ReadonlyArray<string>,
  within?: ReadonlyArray<string>
): Around => {
  const gathering = new Gathering(module, within, true)
  const own = packageOf(module)
  gathering.module(inputs.filter((path) => packageOf(path) === own && !isWithin(path, home())))
  return sorted(gathering)
}
