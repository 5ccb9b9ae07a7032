/**
 * The modules of a worker that is started from a pack, each of them once: those of the pack, and what is imported as it runs, from
 * where Node finds it. What is no module of text, Node loads, and it is shown as a module here. Node itself loads no module
 * that has imports: there would be two of whatever it imports.
 */
import { statSync } from "node:fs"
import { dirname } from "node:path"
import { fileURLToPath, pathToFileURL } from "node:url"
import { type Module, SourceTextModule, SyntheticModule } from "node:vm"
import { getOrSet } from "../../policy/Memo.js"
import { formatOf } from "./formats.js"

export type Attributes = Readonly<Record<string, string | undefined>>

/** What is done with what is no module of text. */
export interface Ways {
  /** The names that a script exports. */
  readonly namesOf: (url: string) => Promise<ReadonlyArray<string>>
  /** What is none of these, as Node has it. */
  readonly foreign: (url: string, attributes: Attributes) => Promise<Module>
  readonly read: (path: string) => string
  /** What a script exports, once it has run. */
  readonly run: (path: string) => unknown
  /** Hears what was made. */
  readonly note: (
    module: Module,
    kind: "builtin" | "json" | "module" | "script",
    key: string,
    text: string
  ) => void
}

/** One file is another module where it is imported with other attributes. An address has no space. */
const keyOf = (name: string, attributes: Attributes): string =>
  Object.keys(attributes).length === 0 ? name : `${name} ${JSON.stringify(attributes)}`

const failing = (code: string, message: string): Error => Object.assign(new TypeError(message), { code })

const fileAt = (url: string) => statSync(fileURLToPath(url), { throwIfNoEntry: false })

const isFile = (url: string): boolean => fileAt(url)?.isFile() === true

/** In the words of Node. */
const missing = (url: string, from: string): Error => {
  const [path, by] = [url, from].map((one) => (one.startsWith("file:") ? fileURLToPath(one) : one))
  return Object.assign(new Error(`Cannot find module '${path}' imported from ${by}`), {
    code: "ERR_MODULE_NOT_FOUND",
    url
  })
}

const SCRIPT_IN_ADDRESS = /^data:\s*(?:text|application)\/javascript\s*(;[^,]*)?,(.*)$/is

const textIn = (url: string): string | undefined => {
  const [, options = "", body] = SCRIPT_IN_ADDRESS.exec(url) ?? []
  if (body === undefined) return undefined
  const text = decodeURIComponent(body)
  return /;\s*base64\s*$/i.test(options) ? Buffer.from(text, "base64").toString("utf8") : text
}

/** A module that has these exports once it is evaluated. */
const showing = (
  url: string,
  names: ReadonlyArray<string>,
  values: () => (name: string) => unknown
): Module =>
  new SyntheticModule(
    [...names],
    function () {
      const valueOf = values()
      for (const name of names) this.setExport(name, valueOf(name))
    },
    { identifier: url }
  )

/** One that throws when it is asked for is not asked for by whoever imports others. */
const readFrom = (exported: object, name: string): unknown => {
  try {
    return Reflect.get(exported, name)
  } catch {
    return undefined
  }
}

const shown = (url: string, namespace: object): Module =>
  showing(url, Object.keys(namespace), () => (name) => Reflect.get(namespace, name))

/** What Node would answer, with its own words. It is asked for nothing that it could load other modules with. */
export const ofNode = async (url: string, attributes: Attributes): Promise<Module> => {
  if (
    url.startsWith("file:") &&
    isFile(url) &&
    !/\.(?:json|node|wasm|[cm]?js)$/.test(new URL(url).pathname)
  ) {
    throw failing("ERR_UNKNOWN_FILE_EXTENSION", `Unknown file extension for ${fileURLToPath(url)}`)
  }
  const found: unknown = await import(url, { with: { ...attributes } as ImportAttributes })
  return shown(url, Object(found))
}

type Fresh = Map<string, Promise<Module>>

export class Linking {
  /** Those that are linked. */
  readonly modules = new Map<string, Module>()
  /** Where the imports of each lead. */
  readonly needs = new Map<Module, Map<string, Module>>()
  private readonly found = new Map<string, string>()
  private turn: Promise<unknown> = Promise.resolve()
  /** V8 takes what was made by the same V8, with the same options. */
  private isCodeTaken = true

  constructor(private readonly ways: Ways) {}

  ofText(url: string, text: string, code?: Buffer): Module {
    const options = {
      identifier: url,
      initializeImportMeta: (meta: ImportMeta) => this.describe(meta, url),
      importModuleDynamically: this.importing(url)
    }
    if (code !== undefined && code.length > 0 && this.isCodeTaken) {
      try {
        return new SourceTextModule(text, { ...options, cachedData: code })
      } catch {
        this.isCodeTaken = false
      }
    }
    return new SourceTextModule(text, options)
  }

  ofJson(url: string, text: string): Module {
    const value: unknown = JSON.parse(text.replace(/^\uFEFF/, ""))
    return showing(url, ["default"], () => () => value)
  }

  /** A script runs when its turn comes, and not before. */
  ofScript(url: string, names: ReadonlyArray<string>): Module {
    return showing(url, names, () => {
      const exported = this.ways.run(fileURLToPath(url))
      return (name) => {
        if (name === "default" || name === "module.exports") return exported
        return Object.hasOwn(Object(exported), name) ? readFrom(Object(exported), name) : undefined
      }
    })
  }

  ofBuiltin(url: string): Module {
    const exported: object = process.getBuiltinModule(url) ?? {}
    const names = new Set(["default", ...Object.keys(exported)])
    return showing(
      url,
      [...names],
      () => (name) => (name === "default" ? exported : Reflect.get(exported, name))
    )
  }

  /** What a file knows of its place, as Node tells it. */
  private describe(meta: ImportMeta, url: string): void {
    const filename = url.startsWith("file:") ? fileURLToPath(url) : undefined
    Object.assign(meta, {
      ...(filename === undefined ? {} : { dirname: dirname(filename), filename }),
      ...("main" in import.meta ? { main: false } : {}),
      resolve: (specifier: string) => this.resolved(`${specifier}`, url),
      url
    })
  }

  private resolved(specifier: string, from: string): string {
    const isPlaced = /^\.{0,2}\//.test(specifier) && from.startsWith("file:")
    const asked = isPlaced ? new URL(specifier, from).href : specifier
    const key = isPlaced ? asked : `${specifier} ${from}`
    const known = this.found.get(key)
    if (known !== undefined) return known
    const url = import.meta.resolve(asked, from)
    this.found.set(key, url)
    return url
  }

  /** `import()` of one that is at this address. */
  importing(from: string) {
    return async (specifier: string, _: unknown, attributes: Attributes = {}): Promise<Module> => {
      const module = await this.linked(specifier, from, attributes)
      await module.evaluate()
      return module
    }
  }

  /** One after the other. Of one that cannot be linked nothing is kept: none of it was evaluated. */
  linked(specifier: string, from: string, attributes: Attributes = {}): Promise<Module> {
    const done = this.turn.then(async () => {
      const fresh: Fresh = new Map()
      const module = await this.find(specifier, from, attributes, fresh)
      await this.link(module, fresh)
      for (const [key, one] of fresh) this.modules.set(key, await one)
      return module
    })
    this.turn = done.catch(() => {})
    return done
  }

  async link(module: Module, fresh: Fresh = new Map()): Promise<void> {
    if (module.status !== "unlinked") return
    try {
      await module.link((specifier, from, { attributes }) => this.need(specifier, from, attributes, fresh))
    } catch (error) {
      // What broke before breaks whoever imports it, in the same words.
      throw Reflect.get(Object(error), "code") === "ERR_VM_MODULE_LINK_FAILURE"
        ? Reflect.get(Object(error), "cause")
        : error
    }
  }

  private need(
    specifier: string,
    from: Module,
    attributes: Attributes,
    fresh: Fresh
  ): Module | Promise<Module> {
    const key = keyOf(specifier, attributes)
    const known = this.needs.get(from)?.get(key)
    if (known !== undefined) return known
    return this.find(specifier, from.identifier, attributes, fresh).then((found) => {
      const needs = this.needs.get(from) ?? new Map<string, Module>()
      this.needs.set(from, needs.set(key, found))
      return found
    })
  }

  private async find(specifier: string, from: string, attributes: Attributes, fresh: Fresh): Promise<Module> {
    const url = this.resolved(specifier, from)
    const key = keyOf(url, attributes)
    if (url.startsWith("file:") && !this.modules.has(key) && fileAt(url) === undefined)
      throw missing(url, from)
    return this.modules.get(key) ?? getOrSet(fresh, key, () => this.made(url, key, attributes))
  }

  private async made(url: string, key: string, attributes: Attributes): Promise<Module> {
    const { foreign, namesOf, note } = this.ways
    const isPlain = Object.keys(attributes).length === 0
    const noted = (module: Module, kind: Parameters<Ways["note"]>[1], text = "") => {
      note(module, kind, key, text)
      return module
    }
    // One that this Node has not is missed in its words.
    const isBuiltin = url.startsWith("node:") && process.getBuiltinModule(url) !== undefined
    if (isPlain && isBuiltin) return noted(this.ofBuiltin(url), "builtin")
    if (isPlain && url.startsWith("data:")) {
      const text = textIn(url)
      return text === undefined ? foreign(url, attributes) : noted(this.ofText(url, text), "module", text)
    }
    if (!url.startsWith("file:") || !isFile(url)) return foreign(url, attributes)
    const path = fileURLToPath(url)
    const text = this.ways.read(path)
    const format = formatOf(path, () => text)
    if (isPlain && format === "module") return noted(this.ofText(url, text), "module", text)
    if (isPlain && format === "commonjs") return noted(this.ofScript(url, await namesOf(url)), "script", text)
    if (format === "json" && keyOf("", attributes) === AS_JSON)
      return noted(this.ofJson(url, text), "json", text)
    return foreign(url, attributes)
  }

  /** What `require` gives for a module: one that is in the pack, and does not wait. */
  required(path: string): unknown {
    const module = this.modules.get(pathToFileURL(path).href)
    if (module === undefined || module.status === "unlinked" || module.status === "linking") {
      throw failing("ERR_REQUIRE_ESM", `require() of ES Module ${path} is not possible in here; import it`)
    }
    if (module.status === "evaluating") {
      throw failing("ERR_REQUIRE_CYCLE_MODULE", `require() of ES Module ${path} in a cycle`)
    }
    if (module.status === "linked") module.evaluate().catch(() => {})
    if (String(module.status) === "errored") throw module.error
    return requiredOf(module.namespace)
  }
}

const AS_JSON = keyOf("", { type: "json" })

/** As Node has it: a module with a default says that it was no script. */
const requiredOf = (namespace: object): unknown => {
  if (Object.hasOwn(namespace, "module.exports")) return Reflect.get(namespace, "module.exports")
  if (!Object.hasOwn(namespace, "default") || Object.hasOwn(namespace, "__esModule")) return namespace
  const shown = Object.keys(namespace).map((name) => [
    name,
    { enumerable: true, get: () => Reflect.get(namespace, name) }
  ])
  return Object.defineProperties(
    {},
    { ...Object.fromEntries(shown), __esModule: { value: true, enumerable: true } }
  )
}
