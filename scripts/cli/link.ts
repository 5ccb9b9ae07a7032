/** The modules of `dist` as parts of one script, in which each runs once, when another first takes something from it. */
import { readFileSync } from "node:fs"
import { join, posix } from "node:path"
import { joined, type Part, type Parts, pinned } from "../../src/cli/parts.js"
import { type Module, readModules } from "../package/library/modules.js"
import { isOwn, partsOf, placeOf } from "./partsOf.js"
import { pinnedLoader, pinnedTexts } from "./pinned.js"

const loadedBy = (module: Module): ReadonlyArray<string> =>
  [...module.taken, ...module.later].flatMap(({ from }) =>
    from !== undefined && isOwn(from) ? placeOf(module, from) : []
  )

/** Those at the given paths, and all that they load at once or later. */
export const modulesFrom = (
  dist: string,
  paths: ReadonlyArray<string>,
  known: ReadonlyArray<Module> = []
): ReadonlyArray<Module> => {
  const read = readModules(dist, paths)
  const all = [...known, ...read]
  const held = new Set(all.map(({ path }) => path))
  const missing = new Set(read.flatMap(loadedBy).filter((path) => !held.has(path)))
  return missing.size === 0 ? all : modulesFrom(dist, [...missing], all)
}

/** What the script loads modules and packages by. */
const HEAD = `(function(require){"use strict";const $packages=(all=>from=>all[from])(`
const NEXT = `(require)),$ran=[],$module=at=>$ran[at]??=$all[at](),$import=async from=>{const all=require(from);return{...all,default:all}},`
const MODULES = "$all=["
const FOOT = "];return $module(0)})"

const isEmpty = (part: Part): boolean => (typeof part === "string" ? part === "" : part[1] === part[2])

/** Texts that stand side by side are one. */
const tidy = (parts: ReadonlyArray<Part>): ReadonlyArray<Part> =>
  parts
    .filter((part) => !isEmpty(part))
    .reduce<Array<Part>>((done, part) => {
      const last = done.at(-1)
      if (typeof part === "string" && typeof last === "string") done[done.length - 1] = last + part
      else done.push(part)
      return done
    }, [])

/** A module that waits for one that waits for it would never run. */
const checkOrder = (modules: ReadonlyArray<Module>): void => {
  const byPath = new Map(modules.map((module) => [module.path, module]))
  const done = new Set<string>()
  const visit = (module: Module, above: ReadonlyArray<string>): void => {
    const { path, taken } = module
    if (above.includes(path)) throw new Error(`modules wait for each other: ${[...above, path].join(", ")}`)
    if (done.has(path)) return
    done.add(path)
    for (const { from } of taken) {
      const other = isOwn(from) ? byPath.get(placeOf(module, from)) : undefined
      if (other !== undefined) visit(other, [...above, path])
    }
  }
  for (const module of modules) visit(module, [])
}

/** A text of which every character is one byte, for V8 and in a file. */
const plain = (text: string): string => {
  const [other] = /[^\0-\x7f]+/.exec(text) ?? []
  if (other !== undefined) throw new Error(`a bundle has '${other}', which is not ASCII`)
  return text
}

/** The first of the modules is the program; `packages` is the file that gives what they take from packages. */
export const link = (dist: string, modules: ReadonlyArray<Module>, packages: string): Parts => {
  checkOrder(modules)
  const paths = [packages, ...modules.map(({ path }) => path)]
  const own = paths.map(
    (path) => [posix.relative("cli", path), plain(readFileSync(join(dist, path), "utf8"))] as const
  )
  const takesPinned = modules.some(({ taken }) => taken.some(({ from }) => from === pinned.name))
  const installed = takesPinned ? pinnedTexts() : new Map<string, string>()
  const texts = new Map([...own, ...installed])
  const files = [...texts].map(([path, text]) => [path, text.length] as const)
  const places = {
    moduleAt: (path: string) => paths.indexOf(path) - 1,
    fileAt: (path: string) => paths.indexOf(path)
  }
  const parts = tidy([
    HEAD,
    [0, 0, files[0]?.[1] ?? 0],
    NEXT,
    ...pinnedLoader(installed, (path) => files.findIndex(([one]) => one === path)),
    MODULES,
    ...modules.flatMap((module) => partsOf(module, places)),
    FOOT
  ])
  const whole = joined({ files, parts }, (path) => texts.get(path) ?? "")
  return { files, parts, length: whole?.length ?? 0 }
}
