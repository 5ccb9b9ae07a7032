/** The library for `dist`: its JavaScript, and the declarations that are published. */
import { mkdir, writeFile } from "node:fs/promises"
import { join, relative } from "node:path"
import ts from "typescript"
import { root } from "../../lib/project.js"
import { type Module, publishedDeclarations } from "./declarations.js"
import { entries } from "./entries.js"
import { filesNamed } from "./named.js"
import { splitModules } from "./split.js"

const source = join(root, "src")
const output = join(root, "dist")

const settings = (): ts.ParsedCommandLine => {
  const read = ts.getParsedCommandLineOfConfigFile(
    join(root, "tsconfig.build.json"),
    {},
    { ...ts.sys, onUnRecoverableConfigFileDiagnostic: () => {} }
  )
  if (read === undefined) throw new Error("tsconfig.build.json cannot be read")
  return read
}

const nameOf = (path: string) => relative(source, path).replace(/\.ts$/, "")

/** Everything as it is written and declared, by name. */
const modulesOf = (program: ts.Program): ReadonlyMap<string, Module> => {
  const emitted = new Map<string, string>()
  program.emit(undefined, (path, text) => emitted.set(relative(output, path), text), undefined, true)
  const text = (path: string) => {
    const found = emitted.get(path)
    if (found === undefined) throw new Error(`the compiler has not written ${path}`)
    return found
  }
  return new Map(
    program
      .getRootFileNames()
      // What is only declared, for a package that does not, is written nowhere.
      .filter((path) => !path.endsWith(".d.ts"))
      .map((path) => {
        const name = nameOf(path)
        const source = program.getSourceFile(path)?.text ?? ""
        return [name, { source, declaration: text(`${name}.d.ts`), map: text(`${name}.d.ts.map`) }]
      })
  )
}

/**
 * What users give options to and read no further: suites, and edges. Their declarations say what they take and give, with
 * their documentation, and lead nowhere else.
 */
const declaredAlone =
  /^(?:testing\/contracts|layers|adapters|mcp|platform|isolated|postgres|cluster)\/(?!(?:.*\/)?index$)/

const parted = (names: ReadonlyArray<string>): readonly [Set<string>, ReadonlyArray<string>] => [
  new Set(names.filter((name) => !declaredAlone.test(name))),
  names.filter((name) => declaredAlone.test(name))
]

/** Returns what the compiler complains about; then nothing is written. */
export const compileLibrary = async (): Promise<string> => {
  const read = settings()
  const program = ts.createProgram(read.fileNames, read.options)
  const complaints = [...read.errors, ...ts.getPreEmitDiagnostics(program)]
  if (complaints.length > 0) {
    return ts.formatDiagnostics(complaints, {
      getCurrentDirectory: () => root,
      getCanonicalFileName: (path) => path,
      getNewLine: () => "\n"
    })
  }
  await splitModules(entries(), output)
  const files = filesNamed(
    program,
    entries().map((name) => join(source, `${name}.ts`))
  )
  const [used, declared] = parted([...files.used].map(nameOf))
  const typesAlone = new Set([...[...files.typesAlone].map(nameOf), ...declared])
  const types = join(output, "types")
  await mkdir(types)
  for (const [path, text] of publishedDeclarations(modulesOf(program), { used, typesAlone })) {
    await writeFile(join(types, path), text)
  }
  return ""
}
