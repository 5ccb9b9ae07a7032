/**
 * Which declarations are published, and with which sources. Sources stand beside their declarations, as `Tool.d.ts`
 * and `Tool.source.ts`: whatever they import is then found as the compiler finds it, in the declarations.
 */
import { posix } from "node:path"
import ts from "typescript"
import { mapOfNames } from "./map.js"

export interface Module {
  readonly source: string
  readonly declaration: string
  readonly map: string
}

/** The modules of the library that a text imports, re-exports or mentions in a type. */
const importsOf = (name: string, text: string): ReadonlyArray<string> =>
  ts
    .preProcessFile(text)
    .importedFiles.map(({ fileName }) => fileName)
    .filter((path) => path.startsWith("."))
    .map((path) => posix.join(posix.dirname(name), path.replace(/\.js$/, "")))

/** The ends of all documentation in a file, by where it begins. The compiler hangs it on several nodes at once. */
const docsIn = (node: ts.Node, found = new Map<number, number>()): ReadonlyMap<number, number> => {
  for (const doc of ts.getJSDocCommentsAndTags(node)) if (ts.isJSDoc(doc)) found.set(doc.pos, doc.end)
  for (const child of node.getChildren()) docsIn(child, found)
  return found
}

/** Of what no user can name, no editor shows the documentation. */
const withoutDocs = (declaration: string): string =>
  [...docsIn(ts.createSourceFile("declaration.d.ts", declaration, ts.ScriptTarget.ESNext, true))]
    .toSorted(([a], [b]) => b - a)
    .reduce((text, [pos, end]) => text.slice(0, pos) + text.slice(end).replace(/^\s*/, ""), declaration)

/**
 * The files to publish, by path. Where users can name what a module declares, its source is there to be read and its
 * declaration leads to it. What else those two mention is there as a declaration, and nothing else is there at all.
 */
export const publishedDeclarations = (
  modules: ReadonlyMap<string, Module>,
  entries: ReadonlyArray<string>,
  named: ReadonlySet<string>
): ReadonlyMap<string, string> => {
  const files = new Map<string, string>()
  const waiting = [...entries, ...named]
  for (let name = waiting.pop(); name !== undefined; name = waiting.pop()) {
    const module = modules.get(name)
    if (module === undefined) throw new Error(`${name} is no module of the library`)
    if (files.has(`${name}.d.ts`)) continue
    waiting.push(...importsOf(name, module.declaration))
    if (named.has(name)) {
      waiting.push(...importsOf(name, module.source))
      const source = `${name}.source.ts`
      files.set(source, module.source)
      files.set(`${name}.d.ts`, module.declaration)
      files.set(`${name}.d.ts.map`, mapOfNames(module.map, module.declaration, posix.basename(source)))
    } else {
      files.set(`${name}.d.ts`, withoutDocs(module.declaration).replace(/\/\/# sourceMappingURL=.*$/, ""))
    }
  }
  return files
}
