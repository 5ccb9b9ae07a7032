/** Compiles the whole repository, and looks in the same program for members of classes that nothing uses. */
import { join } from "node:path"
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

/** Compiles what a configuration names, and says what is wrong with it. */
const compiled = (configuration: string) => {
  const read = ts.getParsedCommandLineOfConfigFile(
    join(root, configuration),
    {},
    { ...ts.sys, onUnRecoverableConfigFileDiagnostic: () => {} }
  )
  if (read === undefined) throw new Error(`${configuration} cannot be read`)
  const program = ts.createProgram(read.fileNames, read.options)
  const wrong = [...read.errors, ...ts.getPreEmitDiagnostics(program)]
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
