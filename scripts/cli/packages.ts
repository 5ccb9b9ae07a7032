/** What the program takes from packages, in one script of it: nothing else of them is read at a start. */
import { readFile } from "node:fs/promises"
import { join } from "node:path"
import { build, type Plugin } from "esbuild"
import ts from "typescript"
import { root } from "../lib/project.js"
import { gives, type Module, type Taken } from "../package/library/modules.js"

/** The other packages stay where they are installed. */
export const isBundled = (from: string): boolean => /^(?:effect|yaml)(?:\/|$)/.test(from)

/** What a module uses of something that it takes: of a namespace its members, each of which it must name. */
const usedBy = (module: Module, { from, names }: Taken): ReadonlyArray<string> =>
  names.flatMap(({ inside, outside }) => {
    if (outside !== "*") return outside
    const uses = module.uses(inside).map(({ parent }) => parent)
    if (gives(module, inside) || !uses.every(ts.isPropertyAccessExpression)) {
      throw new Error(`${module.path} uses ${from} as a whole`)
    }
    return uses.map(({ name }) => name.text)
  })

const usedByAll = (modules: ReadonlyArray<Module>): ReadonlyMap<string, ReadonlySet<string>> => {
  const found = new Map<string, Set<string>>()
  for (const module of modules) {
    for (const taken of module.taken) {
      if (!isBundled(taken.from)) continue
      const before = found.get(taken.from) ?? []
      found.set(taken.from, new Set([...before, ...usedBy(module, taken)]))
    }
  }
  return found
}

/** Schemas can make test data, which a command line does not. */
const withoutTestData: Plugin = {
  name: "without-test-data",
  setup: ({ onLoad, onResolve }) => {
    onResolve({ filter: /^fast-check$/ }, ({ path }) => ({ path, namespace: "empty" }))
    onLoad({ filter: /.*/, namespace: "empty" }, () => ({ contents: "module.exports = {}" }))
  }
}

/** Whoever passes code on passes on the terms of those who wrote it. */
const terms = async (packages: Iterable<string>): Promise<string> => {
  const names = [...new Set([...packages].map((from) => from.split("/")[0] ?? from))].sort()
  const texts = names.map(
    async (name) => `${name}: ${await readFile(join(root, "node_modules", name, "LICENSE"), "utf8")}`
  )
  return `/*!\n${(await Promise.all(texts)).join("\n")}*/`
}

/** The same code as modules, of which nothing is taken that is not used. */
const alias = { yaml: join(root, "node_modules/yaml/browser/dist/index.js") }

/** A function that answers with what is used, by the names under which it is taken. */
export const bundlePackages = async (modules: ReadonlyArray<Module>, file: string): Promise<void> => {
  const used = [...usedByAll(modules)].map(([from, members], at) => ({
    from,
    local: `of${at}`,
    members: [...members].sort()
  }))
  const objects = used.map(
    ({ from, local, members }) =>
      `"${from}": { ${members.map((name) => `${name}: ${local}.${name}`).join(", ")} }`
  )
  await build({
    stdin: {
      contents: [
        ...used.map(({ from, local }) => `import * as ${local} from "${from}"`),
        `module.exports = { ${objects.join(", ")} }`
      ].join("\n"),
      resolveDir: root
    },
    outfile: file,
    bundle: true,
    minify: true,
    format: "cjs",
    platform: "node",
    target: "node20",
    legalComments: "none",
    logLevel: "warning",
    alias,
    plugins: [withoutTestData],
    banner: { js: `${await terms(used.map(({ from }) => from))}\n(function(require){const module={};` },
    footer: { js: "return module.exports})" }
  })
}
