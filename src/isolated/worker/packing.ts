/** Writes the pack of a worker. Every module is read, compiled and linked for that, and none is evaluated. */
import { readFileSync, writeFileSync } from "node:fs"
import { createRequire, isBuiltin } from "node:module"
import { fileURLToPath, pathToFileURL } from "node:url"
import { compileFunction, type Module } from "node:vm"
import { encode, type Packed } from "../protocol/Pack.js"
import { formatOf, GIVEN } from "./formats.js"
import { Linking } from "./linking.js"
import { namesOf } from "./names.js"

const digestOf = (bytes: Uint8Array): string =>
  process.getBuiltinModule("node:crypto").createHash("sha256").update(bytes).digest("hex")

/** Types of Node that are older know nothing of it. */
interface Cacheable {
  createCachedData(): Buffer
}

/**
 * An `import()` is answered by whoever had the text compiled. Where V8 takes what it made before, it does not know any more who
 * that is: such a text is compiled when it is loaded.
 */
const importsAsItRuns = (text: string): boolean =>
  /\bimport\s*(?:\(|\/[*/])|\b(?:eval|Function)\s*\(/.test(text)

/** What V8 makes of a script. */
const codeOf = (text: string, path: string): Buffer => {
  const compiled: object = compileFunction(text, GIVEN, { filename: path, produceCachedData: true })
  const code: unknown = Reflect.get(compiled, "cachedData")
  return Buffer.isBuffer(code) ? code : Buffer.alloc(0)
}

const REQUIRED = /\brequire\s*\(\s*["']([^"'\n]{1,500})["']\s*\)/g

const resolved = (specifier: string, from: string): string | undefined => {
  try {
    return isBuiltin(specifier) ? undefined : createRequire(from).resolve(specifier)
  } catch {
    return undefined
  }
}

interface Noted {
  readonly kind: Packed["kind"]
  readonly key: string
  readonly text: string
}

interface Script {
  readonly text: string
  readonly needs: Map<string, string>
}

interface Piece {
  readonly text: Buffer
  readonly code: Buffer
}

const NOTHING = Buffer.alloc(0)

class Packing {
  private readonly noted = new Map<Module, Noted>()
  private readonly sources = new Map<string, string>()
  private readonly scripts = new Map<string, Script>()
  /** Modules that scripts require. */
  private readonly required = new Set<string>()
  private readonly linking = new Linking({
    namesOf,
    read: (path) => this.read(path),
    run: () => undefined,
    foreign: async (url) => {
      throw new Error(`${url} cannot be packed`)
    },
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
    const needs = new Map<string, string>()
    this.scripts.set(path, { text, needs })
    for (const [, specifier = ""] of text.matchAll(REQUIRED)) {
      const found = resolved(specifier, path)
      if (found === undefined) continue
      const read = this.read(found)
      const format = formatOf(found, () => read)
      if (format === "module") this.required.add(pathToFileURL(found).href)
      if (format !== "commonjs") continue
      needs.set(specifier, found)
      this.script(found, read)
    }
  }

  private async roots(entry: string): Promise<ReadonlyArray<Module>> {
    const all = [await this.linking.linked(entry, entry)]
    // More of them are found on the way.
    for (const url of this.required) all.push(await this.linking.linked(url, entry))
    return all
  }

  private readonly all: Array<Packed> = []
  private readonly pieces: Array<Piece> = []

  private add(packed: Omit<Packed, "code" | "text">, piece: Piece): void {
    this.all.push({ ...packed, text: piece.text.length, code: piece.code.length })
    this.pieces.push(piece)
  }

  private addModules(): ReadonlyMap<Module, number> {
    const at = new Map([...this.noted.keys()].map((module, place) => [module, place] as const))
    for (const [module, { key, kind, text }] of this.noted) {
      if (kind === "script") {
        this.addScript(fileURLToPath(key), Object.getOwnPropertyNames(module.namespace))
        continue
      }
      const needs = [...(this.linking.needs.get(module) ?? [])].map(
        ([name, one]) => [name, at.get(one) ?? -1] as const
      )
      const isKept = kind === "module" && !importsAsItRuns(text)
      const code = isKept ? (module as unknown as Cacheable).createCachedData() : NOTHING
      this.add({ kind, key, needs }, { text: Buffer.from(text), code })
    }
    return at
  }

  private addScript(path: string, names?: ReadonlyArray<string>): void {
    const { needs, text } = this.scripts.get(path) ?? { needs: [], text: "" }
    this.add(
      { kind: "script", key: pathToFileURL(path).href, needs: [], requires: [...needs], names },
      { text: Buffer.from(text), code: importsAsItRuns(text) ? NOTHING : codeOf(text, path) }
    )
  }

  async made(path: string): Promise<Buffer> {
    const entry = pathToFileURL(path).href
    const sources = () => [...this.sources].filter(([source]) => source !== path)
    try {
      const roots = await this.roots(entry)
      const at = this.addModules()
      const imported = new Set(this.all.map(({ key }) => key))
      for (const script of this.scripts.keys()) {
        if (!imported.has(pathToFileURL(script).href)) this.addScript(script)
      }
      const places = roots.map((root) => at.get(root) ?? -1)
      return encode(
        { sources: sources(), isWhole: true, modules: this.all, roots: places },
        this.pieces.flatMap(({ code, text }) => [text, code])
      )
    } catch {
      return encode({ sources: sources(), isWhole: false, modules: [], roots: [] }, [])
    }
  }
}

export const pack = async (entry: string, written: string): Promise<void> =>
  writeFileSync(written, await new Packing().made(entry))
