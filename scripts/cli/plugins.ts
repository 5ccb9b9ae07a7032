/** What the bundle of the command line does to the packages that it is made of. */
import { readFile } from "node:fs/promises"
import { createRequire } from "node:module"
import { join } from "node:path"
import type { Plugin } from "esbuild"
import { root } from "../lib/project.js"

/** Schemas can make test data, which a command line does not. */
export const withoutTestData: Plugin = {
  name: "without-test-data",
  setup: ({ onLoad, onResolve }) => {
    onResolve({ filter: /^fast-check$/ }, ({ path }) => ({ path, namespace: "empty" }))
    onLoad({ filter: /.*/, namespace: "empty" }, () => ({ contents: "module.exports = {}" }))
  }
}

const importOf = (name: string): string => {
  const [exported = name, local = exported] = name.split(" as ")
  if (name.startsWith("type ")) return ""
  // The modules have capitals; the few functions beside them are of one module.
  return /^[A-Z]/.test(exported)
    ? `import * as ${local} from "effect/${exported}"`
    : `import { ${name} } from "effect/Function"`
}

/**
 * Effect from the modules that are named, instead of from the index of all of them: of a namespace that comes through
 * an index everything is bundled or loaded, and of one that is imported itself what is used.
 */
export const byModule = (text: string): string =>
  text.replace(/^import \{([^}]*)\} from "effect"$/gm, (_, names: string) =>
    names
      .split(",")
      .map((name) => importOf(name.trim()))
      .join(";")
  )

export const effectByModule: Plugin = {
  name: "effect-by-module",
  setup: ({ onLoad }) => {
    onLoad({ filter: /\.ts$/ }, async ({ path }) => {
      if (!path.startsWith(join(root, "src"))) return undefined
      return { contents: byModule(await readFile(path, "utf8")), loader: "ts" }
    })
  }
}

const require = createRequire(import.meta.url)

/** Packages that stay where they are installed, and are loaded when something of them is first used. */
export const lazily = (packages: ReadonlyArray<string>): Plugin => ({
  name: "lazily",
  setup: ({ onLoad, onResolve }) => {
    onResolve({ filter: /^[^.]/ }, ({ namespace, path }) => {
      if (!packages.includes(path)) return undefined
      return namespace === "lazily" ? { path, external: true } : { path, namespace: "lazily" }
    })
    onLoad({ filter: /.*/, namespace: "lazily" }, ({ path }) => {
      const members = Object.keys(require(path)).map(
        (name) => `get ${name}() { return require(${JSON.stringify(path)}).${name} }`
      )
      return { contents: `module.exports = { ${members.join(", ")} }` }
    })
  }
})
