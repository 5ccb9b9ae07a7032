/** Writes the pack of a worker. Every module is read, compiled and linked for that, and none is evaluated. */
import { readFileSync, writeFileSync } from "node:fs"
import { createRequire, isBuiltin } from "node:module"
import { fileURLToPath, pathToFileURL } from "node:url"
import type { Module } from "node:vm"
import { encode, type Packed } from "../protocol/Pack.js"
import { formatOf } from "./formats.js"
import { Linking } from "./linking.js"
import { namesOf } from "./names.js"

const digestOf = (bytes: Uint8Array): string =>
  process.getBuiltinModule("node:crypto").createHash("sha256").update(bytes).digest("hex")

/** Types of Node that are older know nothing of it. */
interface Cacheable {
  createCachedData(): Buffer
}

const REQUIRED = /\brequire\s*\(\s*["']([^"'\n]{1,500})["']\s*\)/g

interface Noted {
  readonly kind: Packed["kind"]
  readonly key: string
  readonly text: string
}

class Packing {
  private readonly noted = new Map<Module, Noted>()
  private readonly sources = new Map<string, string>()
  private readonly scripts = new Set<string>()
  private readonly required = new Set<string>()
  private readonly linking = new Linking({
    namesOf,
    foreign: async (url) => {
      throw new Error(`${url} cannot be packed`)
    },
    read: (path) => this.read(path),
    note: (module, kind, key, text) => {
      this.noted.set(module, { kind, key, text })
      if (kind === "script") this.script(fileURLToPath(key), text)
    }
  })

  private read(path: string): string {
    const bytes = readFileSync(path)
    this.sources.set(path, digestOf(bytes))
    return bytes.toString("utf8")
  }

  /** What a script requires, it has as it runs; modules among it are linked by then. */
  private script(path: string, text: string): void {
    if (this.scripts.has(path)) return
    this.scripts.add(path)
    for (const [, specifier = ""] of text.matchAll(REQUIRED)) {
      if (isBuiltin(specifier)) continue
      const found = this.resolved(specifier, path)
      if (found === undefined) continue
      const read = this.read(found)
      const format = formatOf(found, () => read)
      if (format === "module") this.required.add(pathToFileURL(found).href)
      if (format === "commonjs") this.script(found, read)
    }
  }

  private resolved(specifier: string, from: string): string | undefined {
    try {
      return createRequire(from).resolve(specifier)
    } catch {
      return undefined
    }
  }

  private async roots(entry: string): Promise<ReadonlyArray<Module>> {
    const all = [await this.linking.linked(entry, entry)]
    // More of them are found on the way.
    for (const url of this.required) all.push(await this.linking.linked(url, entry))
    return all
  }

  private packed(module: Module, at: ReadonlyMap<Module, number>, { key, kind, text }: Noted) {
    const needs = [...(this.linking.needs.get(module) ?? [])].map(
      ([name, one]) => [name, at.get(one) ?? -1] as const
    )
    const isText = kind === "module" || kind === "json"
    const pieces = [
      Buffer.from(isText ? text : ""),
      kind === "module" ? (module as unknown as Cacheable).createCachedData() : Buffer.alloc(0)
    ] as const
    const names = kind === "script" ? Object.getOwnPropertyNames(module.namespace) : undefined
    const [{ length: inText }, { length: inCode }] = pieces
    return { pieces, packed: { kind, key, needs, names, text: inText, code: inCode } satisfies Packed }
  }

  async made(path: string): Promise<Buffer> {
    const entry = pathToFileURL(path).href
    const sources = () => [...this.sources].filter(([source]) => source !== path)
    try {
      const roots = await this.roots(entry)
      const at = new Map([...this.noted.keys()].map((module, place) => [module, place] as const))
      const all = [...this.noted].map(([module, noted]) => this.packed(module, at, noted))
      const index = {
        sources: sources(),
        isWhole: true,
        modules: all.map(({ packed }) => packed),
        roots: roots.map((root) => at.get(root) ?? -1)
      }
      return encode(
        index,
        all.flatMap(({ pieces }) => pieces)
      )
    } catch {
      return encode({ sources: sources(), isWhole: false, modules: [], roots: [] }, [])
    }
  }
}

export const pack = async (entry: string, written: string): Promise<void> =>
  writeFileSync(written, await new Packing().made(entry))
