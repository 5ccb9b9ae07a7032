/** A module and all that it imports as one file, so that a worker sees no directory at all. Nothing of it is run for that. */
import { readFileSync, realpathSync, statSync } from "node:fs"
import { builtinModules, isBuiltin } from "node:module"
import { dirname, extname, join, relative, sep } from "node:path"
import { pathToFileURL } from "node:url"
import type { BuildFailure, BuildResult, Loader, OnLoadResult, Plugin } from "esbuild"
import { home, isSource, loadingFile, workerFile } from "./library.js"
import { ours } from "./loose.js"
import { isFoundFrom, isOfPackage, isPackaged, isWithin } from "./packaged.js"
import { Unbundled } from "./Unbundled.js"

/**
 * One copy of each: tools are known by the copy that made them. Whoever imports them has what is found from where a bundle is
 * made. A plugin could say the same, and would be asked a thousand times.
 */
const oneCopy = { bailiwick: "bailiwick", effect: "effect" }

/**
 * What is not there is missed when it is asked for, as without a bundle: many a package asks in vain, and goes on. It looks at
 * every import, so it is used only where one was not found.
 */
const absent: Plugin = {
  name: "absent",
  setup({ onResolve, resolve: find }) {
    onResolve({ filter: /^/ }, async ({ importer, kind, path, pluginData, resolveDir }) => {
      if (pluginData !== undefined || (kind !== "require-call" && kind !== "dynamic-import")) return undefined
      const found = await find(path, { importer, kind, resolveDir, pluginData: absent })
      return found.errors.length === 0 ? found : { path, external: true }
    })
  }
}

/** Imports of what is named only at run time, and threads. */
const UNSNAPPABLE = /\bimport\(|\brequire\("(?:node:)?worker_threads"\)/

const BUILTIN = "builtin"

/** What goes to a plugin is slow, and a module has thousands of imports: only these do. */
const BUILTINS = new RegExp(`^(?:node:.*|${builtinModules.join("|")})$`)

/** What Node has of its own is there without waiting; a snapshot imports nothing. */
const builtins: Plugin = {
  name: BUILTIN,
  setup({ onLoad, onResolve }) {
    onResolve({ filter: BUILTINS }, ({ kind, path }) =>
      kind === "dynamic-import" && isBuiltin(path) ? { path, namespace: BUILTIN } : undefined
    )
    onLoad({ filter: /^/, namespace: BUILTIN }, ({ path }) => ({
      contents: `module.exports = require(${JSON.stringify(path)})`,
      resolveDir: "/"
    }))
  }
}

const CODE = new Set([".js", ".mjs", ".cjs", ".jsx", ".ts", ".mts", ".cts", ".tsx"])

const NATIVE = ".node"

const isHidden = (path: string): boolean =>
  path.split(sep).some((part) => part.startsWith(".") && part !== "..")

/** Whether a file is code that a module may be made of: none that it only wants to read, nor what is another's. */
const isCode = (
  path: string,
  module: string,
  root: string,
  within: ReadonlyArray<string> | undefined
): boolean => {
  if (within !== undefined && !ours().some((one) => isWithin(path, one))) {
    const all = [root, ...within]
    if (!within.some((one) => isWithin(path, one)) && !isFoundFrom(path, [module, ...all])) return false
  }
  if (isPackaged(path) ? isOfPackage(path) : isWithin(path, root)) {
    return CODE.has(extname(path)) || extname(path) === ".json" || extname(path) === NATIVE
  }
  if (isPackaged(path)) return false
  // What is kept out of sight is no code.
  if (isHidden(relative(dirname(module), path))) return false
  return CODE.has(extname(path)) || (extname(path) === ".json" && isWithin(path, dirname(module)))
}

const OWN_CODE = "own-code"

/** What a file knows of its place. As an object it stays in the bundle for as long as somebody asks. */
const PLACE = "bailiwickPlace"

/** Only Node knows where an import leads, and only a module can ask it. */
const RESOLVE = "bailiwickResolve"

const PLACES: Readonly<Record<string, string>> = {
  "import.meta": PLACE,
  __filename: `${PLACE}.filename`,
  __dirname: `${PLACE}.dirname`
}

const LOADERS: Readonly<Record<string, Loader>> = {
  ".jsx": "jsx",
  ".ts": "ts",
  ".mts": "ts",
  ".cts": "ts",
  ".tsx": "tsx"
}

/** Declares what a file of this text knows of its place. */
const placeOf = (path: string, text: string): string => {
  const url = JSON.stringify(pathToFileURL(path).href)
  const known = { url: pathToFileURL(path).href, filename: path, dirname: dirname(path) }
  const resolve = /\bresolve\b/.test(text) ? `,resolve:(to,from=${url})=>${RESOLVE}(to,from)` : ""
  return `const ${PLACE} = ${JSON.stringify(known).slice(0, -1)}${resolve}};`
}

/** Compiled code is loaded from where it lies. */
const native = (path: string): OnLoadResult => ({
  contents: `${placeOf(path, "")}module.exports = require(${PLACE}.filename)`,
  loader: "js"
})

/** One that asks where it is has the answer as it would without a bundle. */
const placed = (path: string): OnLoadResult | undefined => {
  if (extname(path) === ".json") return undefined
  if (extname(path) === NATIVE) return native(path)
  const text = readFileSync(path, "utf8")
  if (!/\bmeta\b|\b__(?:dir|file)name\b/.test(text)) return undefined
  // It stays as strict as it is.
  const strict = /^["']use strict["']/m.test(text) ? `"use strict";` : ""
  return {
    contents: `${strict}${placeOf(path, text)}${text.replace(/^#!.*/, "")}`,
    loader: LOADERS[extname(path)] ?? "js"
  }
}

/** Nothing else is even read: what is no file may have no end. */
const ownCode = (module: string, root: string, within: ReadonlyArray<string> | undefined): Plugin => ({
  name: OWN_CODE,
  setup({ onLoad }) {
    onLoad({ filter: /^/, namespace: "file" }, ({ path }) =>
      isCode(path, module, root, within) && statSync(path).isFile()
        ? placed(path)
        : { errors: [{ text: `it imports ${path}, which is no code of its own` }] }
    )
  }
})

export interface Bundle {
  readonly text: string
  readonly inputs: ReadonlyArray<string>
  readonly format: "cjs" | "esm"
  /** Some of it asks where it is, and may look for what lies there. */
  readonly isPlaced: boolean
  /** Some of it does what a process that starts from a snapshot cannot do. */
  readonly isUnsnappable: boolean
}

/** In this order: what a worker is made of itself is there before its module is watched. */
const entryOf = (module: string): string =>
  `import { main } from ${JSON.stringify(workerFile())}\nimport ${JSON.stringify(loadingFile())}\nimport * as tools from ${JSON.stringify(module)}\nmain(tools)\n`

/** Packages that are no modules ask for what Node has by `require`. */
const REQUIRE = `import { createRequire as requireFrom } from "node:module"; const require = requireFrom("/");`

/** With a second argument where Node is told so; what is asked without one is answered as for the file that asks. */
const RESOLVING = `const ${RESOLVE} = (to, from) => import.meta.resolve(to, from);`

const ENTRY = "bailiwick-isolated-entry"

type Esbuild = typeof import("esbuild")

/** It is the host's own, and never one that comes with the module. */
const load = async (): Promise<Esbuild> => {
  try {
    return await import("esbuild")
  } catch {
    throw new Unbundled("esbuild is not installed; run: npm i -D esbuild")
  }
}

const built = async (
  esbuild: Esbuild,
  module: string,
  format: Bundle["format"],
  within: ReadonlyArray<string> | undefined,
  further: ReadonlyArray<Plugin> = []
): Promise<BuildResult> => {
  const root = home()
  const building = esbuild.build({
    stdin: { contents: entryOf(module), resolveDir: root, loader: "js", sourcefile: ENTRY },
    absWorkingDir: root,
    alias: oneCopy,
    bundle: true,
    write: false,
    metafile: true,
    platform: "node",
    target: "node20",
    format,
    minifySyntax: true,
    minifyWhitespace: true,
    // Whoever shows a line of it shows a short one.
    lineLimit: 160,
    legalComments: "none",
    ...(format === "esm" ? { banner: { js: REQUIRE + RESOLVING } } : {}),
    logLevel: "silent",
    // Nothing beside the module decides how it is read.
    tsconfigRaw: {},
    define: { BAILIWICK_VERSION: '""', ...PLACES },
    conditions: isSource() ? ["bailiwick-source"] : [],
    plugins: [builtins, ...further, ownCode(module, root, within)]
  })
  return building.catch((error: BuildFailure) => {
    const isMissing = error.errors.some(({ text }) => text.startsWith("Could not resolve"))
    if (!isMissing || further.length > 0) throw error
    return built(esbuild, module, format, within, [absent])
  })
}

const textOf = ({ outputFiles }: BuildResult): string => outputFiles?.[0]?.text ?? ""

/** Throws `Unbundled` in words where it is not possible. */
export const bundle = async (module: string, within?: ReadonlyArray<string>): Promise<Bundle> => {
  const esbuild = await load()
  const file = realpathSync(module)
  let result: BuildResult
  let format: Bundle["format"] = "cjs"
  try {
    result = await built(esbuild, file, "cjs", within).catch((error: unknown) => {
      if (!String(error).includes("Top-level await")) throw error
      format = "esm"
      return built(esbuild, file, "esm", within)
    })
    if (format === "cjs" && textOf(result).includes(RESOLVE)) {
      format = "esm"
      result = await built(esbuild, file, "esm", within)
    }
  } catch (error) {
    const [line = ""] = String(error instanceof Error ? error.message : error)
      .split("\n")
      .slice(1)
    const own = line.split(`[plugin: ${OWN_CODE}] `)[1]
    throw new Unbundled(own ?? `it cannot be bundled: ${line}`)
  }
  const inputs = Object.keys(result.metafile?.inputs ?? {})
    // What is not a file is not read from one.
    .filter((name) => !name.endsWith(ENTRY) && !name.startsWith("(") && !name.startsWith(`${BUILTIN}:`))
    .map((name) => join(home(), name))
  const text = textOf(result)
  const [isPlaced, isUnsnappable] = [text.includes(PLACE), UNSNAPPABLE.test(text)]
  return { text, inputs: inputs.sort(), format, isPlaced, isUnsnappable }
}
