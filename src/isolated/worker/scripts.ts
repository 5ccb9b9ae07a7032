/**
 * Scripts of a worker that is started from a pack. What they import, and what they require of modules, is what modules import;
 * those of the pack are run from there. All else about them is Node's.
 */
import Node, { createRequire } from "node:module"
import { dirname } from "node:path"
import { pathToFileURL } from "node:url"
import { compileFunction } from "node:vm"
import { GIVEN, isModule } from "./formats.js"
import type { Linking } from "./linking.js"

/** A script as Node holds it. */
interface Held {
  exports: unknown
  filename: string
  loaded: boolean
  paths: ReadonlyArray<string>
  require(id: string): unknown
  /** Has a text run as this, whoever requires it. */
  _compile(text: string, path: string, format?: string): unknown
}

interface Loader {
  new (path: string, parent?: Held): Held
  readonly prototype: Held
  readonly _cache: Record<string, Held | undefined>
  _nodeModulePaths(directory: string): ReadonlyArray<string>
}

const Held = Node as unknown as Loader

export interface Script {
  readonly text: string
  readonly code: Buffer
  /** The files that it requires. */
  readonly needs: ReadonlyMap<string, string>
}

type Compiled = ReturnType<typeof compileFunction>

export class Scripts {
  readonly packed = new Map<string, Script>()

  constructor(private readonly linking: Linking) {
    const scripts = this
    Held.prototype._compile = function (text, path, format) {
      if (format === "module" || (format !== "commonjs" && isModule(text))) {
        this.exports = linking.required(path)
        return undefined
      }
      return Reflect.apply(scripts.compiled(text, path), this.exports, [
        this.exports,
        Object.assign((id: string) => scripts.required(id, this), createRequire(path)),
        this,
        path,
        dirname(path)
      ])
    }
  }

  private compiled(text: string, path: string): Compiled {
    const known = this.packed.get(path)
    const isMade = known?.text === text && known.code.length > 0
    return compileFunction(text, GIVEN, {
      filename: path,
      importModuleDynamically: this.linking.importing(pathToFileURL(path).href),
      ...(isMade ? { cachedData: known.code } : {})
    })
  }

  private required(id: string, by: Held): unknown {
    const path = this.packed.get(by.filename)?.needs.get(id)
    return path === undefined ? by.require(id) : this.run(path, by)
  }

  /** What a script exports, once it has run. */
  run(path: string, by?: Held): unknown {
    const known = this.packed.get(path)
    if (known === undefined) return createRequire(path)(path)
    const cached = Held._cache[path]
    if (cached !== undefined) return cached.exports
    const held = new Held(path, by)
    held.filename = path
    held.paths = Held._nodeModulePaths(dirname(path))
    Held._cache[path] = held
    try {
      held._compile(known.text, path, "commonjs")
      held.loaded = true
    } catch (error) {
      delete Held._cache[path]
      throw error
    }
    return held.exports
  }
}
