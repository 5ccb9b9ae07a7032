import { join } from "node:path"
import ts from "typescript"
import { root } from "../lib/project.js"
import { place } from "./blocks.js"
import type { Program } from "./programs.js"

/** The settings of the repository, less the rules about what is not used: a document shows parts. */
const options = (): ts.CompilerOptions => {
  const path = join(root, "tsconfig.json")
  const { config } = ts.readConfigFile(path, ts.sys.readFile)
  const parsed = ts.parseJsonConfigFileContent({ ...config, include: [], files: ["none.ts"] }, ts.sys, root)
  return { ...parsed.options, noEmit: true, noUnusedLocals: false, noUnusedParameters: false }
}

/** Libraries are parsed once, however often documents are compiled. */
const libraries = new Map<string, ts.SourceFile | undefined>()

/** Programs live in memory, in the folder where they would run: imports resolve as they do there. */
const hostOf = (sources: ReadonlyMap<string, string>, settings: ts.CompilerOptions): ts.CompilerHost => {
  const host = ts.createCompilerHost(settings, true)
  return {
    ...host,
    fileExists: (path) => sources.has(path) || host.fileExists(path),
    readFile: (path) => sources.get(path) ?? host.readFile(path),
    getSourceFile: (path, language) => {
      const source = sources.get(path)
      if (source !== undefined) return ts.createSourceFile(path, source, language, true)
      if (!libraries.has(path)) libraries.set(path, host.getSourceFile(path, language))
      return libraries.get(path)
    }
  }
}

interface Found {
  readonly line: number
  readonly text: string
}

const foundBy = (diagnostic: ts.Diagnostic): Found => ({
  line:
    diagnostic.file === undefined || diagnostic.start === undefined
      ? 0
      : diagnostic.file.getLineAndCharacterOfPosition(diagnostic.start).line + 1,
  text: ts.flattenDiagnosticMessageText(diagnostic.messageText, "\n")
})

const compare = (program: Program, found: ReadonlyArray<Found>): ReadonlyArray<string> => {
  const at = (line: number) => place({ document: program.document, line })
  const answers = (error: Found, expected: Found) =>
    error.line === expected.line && error.text.includes(expected.text)
  return [
    ...found
      .filter((error) => !program.errors.some((expected) => answers(error, expected)))
      .map((error) => `${at(error.line)} ${error.text}`),
    ...program.errors
      .filter((expected) => !found.some((error) => answers(error, expected)))
      .map((expected) => `${at(expected.line)} expected an error on this line: ${expected.text}`)
  ]
}

/** Compiles all programs at once, and holds each to the errors it announces: these, there, and no others. */
export const compile = (programs: ReadonlyArray<Program>): ReadonlyArray<string> => {
  if (programs.length === 0) return []
  const settings = options()
  const paths = new Map(
    programs.map((program, index) => [join(root, ".tmp", "docs", `${index}.ts`), program])
  )
  const sources = new Map([...paths].map(([path, program]) => [path, program.source]))
  const compiled = ts.createProgram([...paths.keys()], settings, hostOf(sources, settings))
  return [...paths].flatMap(([path, program]) => {
    const file = compiled.getSourceFile(path)
    const diagnostics = [...compiled.getSyntacticDiagnostics(file), ...compiled.getSemanticDiagnostics(file)]
    return compare(program, diagnostics.map(foundBy))
  })
}
