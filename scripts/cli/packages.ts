/** What the program takes from packages, in one script of it: nothing else of them is read at a start. */
import { readFile, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { type Plugin, rolldown } from "rolldown"
import ts from "typescript"
import { root } from "../lib/project.js"
import { gives, type Module, type Taken } from "../package/library/modules.js"
import { shortened } from "../package/library/names.js"

/** The other packages stay where they are installed. */
export const isBundled = (from: string): boolean => /^effect(?:\/|$)/.test(from)

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
  resolveId: { filter: { id: /^fast-check$/ }, handler: (id) => `\0${id}` },
  load: { filter: { id: /^\0fast-check$/ }, handler: () => "export {}" }
}

/** Whoever passes code on passes on the terms of those who wrote it. */
const terms = async (packages: Iterable<string>): Promise<string> => {
  const names = [...new Set([...packages].map((from) => from.split("/")[0] ?? from))].sort()
  const texts = names.map(
    async (name) => `${name}: ${await readFile(join(root, "node_modules", name, "LICENSE"), "utf8")}`
  )
  return `/*!\n${(await Promise.all(texts)).join("\n")}*/`
}

const ENTRY = "\0used"

const entryOf = (used: ReadonlyMap<string, ReadonlySet<string>>): Plugin => {
  const all = [...used].map(([from, members], at) => ({
    from,
    local: `of${at}`,
    members: [...members].sort()
  }))
  const objects = all.map(
    ({ from, local, members }) =>
      `"${from}": { ${members.map((name) => `${name}: ${local}.${name}`).join(", ")} }`
  )
  const text = [
    ...all.map(({ from, local }) => `import * as ${local} from "${from}"`),
    `export default { ${objects.join(", ")} }`
  ].join("\n")
  return {
    name: "entry",
    resolveId: (id) => (id === ENTRY ? id : undefined),
    load: (id) => (id === ENTRY ? text : undefined)
  }
}

/** A function that answers with what is used, by the names under which it is taken. */
export const bundlePackages = async (modules: ReadonlyArray<Module>, file: string): Promise<void> => {
  const used = usedByAll(modules)
  const bundle = await rolldown({
    cwd: root,
    input: ENTRY,
    platform: "node",
    treeshake: { moduleSideEffects: false },
    plugins: [entryOf(used), withoutTestData],
    // What is left of test data mentions what is not there.
    checks: { importIsUndefined: false }
  })
  const { output } = await bundle.generate({ format: "cjs", exports: "default" })
  const body = shortened(output[0].code, { functions: false, module: false })
  await writeFile(
    file,
    `${await terms(used.keys())}\n(function(require){const module={};${body};return module.exports})`
  )
}
