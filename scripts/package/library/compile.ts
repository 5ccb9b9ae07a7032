/** The library for `dist`: its JavaScript, and the declarations that are published. */
import { mkdir, writeFile } from "node:fs/promises"
import { dirname, join, relative } from "node:path"
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
  const named = new Set([...files].map(nameOf))
  for (const [path, text] of publishedDeclarations(modulesOf(program), entries(), named)) {
    const file = join(output, path)
    await mkdir(dirname(file), { recursive: true })
    await writeFile(file, text)
  }
  return ""
}
