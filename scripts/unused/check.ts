/**
 * Compiles what users compile, the sources and the examples, and looks in the same program for members of classes that nothing
 * uses. The rest of the repository is read for that, and compiled by a faster compiler.
 */
import { join, relative } from "node:path"
import ts from "typescript"
import { readManifest, root } from "../lib/project.js"
import { unusedMembers } from "./members.js"

/** The modules that users import, as they stand in `src`. */
const entries = (): ReadonlyArray<string> =>
  Object.values(readManifest(root).exports).flatMap((target) => {
    const source = typeof target === "string" ? undefined : target["bailiwick-source"]
    return source === undefined ? [] : [source.replace(/^\.\//, "")]
  })

const host: ts.FormatDiagnosticsHost = {
  getCanonicalFileName: (name) => name,
  getCurrentDirectory: () => root,
  getNewLine: () => "\n"
}

const isForUsers = ({ fileName }: ts.SourceFile): boolean =>
  /^(?:src|examples)\//.test(relative(root, fileName))

/** Compiles of what a configuration names the files that are for users, and says what is wrong with them. */
const compiled = (configuration: string) => {
  const read = ts.getParsedCommandLineOfConfigFile(
    join(root, configuration),
    {},
    { ...ts.sys, onUnRecoverableConfigFileDiagnostic: () => {} }
  )
  if (read === undefined) throw new Error(`${configuration} cannot be read`)
  const program = ts.createProgram(read.fileNames, read.options)
  const files = program.getSourceFiles().filter(isForUsers)
  const wrong = [
    ...read.errors,
    ...program.getOptionsDiagnostics(),
    ...program.getGlobalDiagnostics(),
    ...files.flatMap((file) => [
      ...program.getSyntacticDiagnostics(file),
      ...program.getSemanticDiagnostics(file)
    ])
  ]
  process.stdout.write(ts.formatDiagnostics(wrong, host))
  return { program, wrong: wrong.length }
}

const { program, wrong } = compiled("tsconfig.json")
// What a browser runs knows a document, and nothing of Node.
const page = compiled("src/page/tsconfig.json")
const unused = unusedMembers({
  program,
  root,
  isSource: (path) => path.startsWith("src/"),
  entries: entries()
})
for (const line of unused) console.log(line)
process.exitCode = wrong + page.wrong + unused.length === 0 ? 0 : 1
