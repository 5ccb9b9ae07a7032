/**
 * The installed command line: a small module that runs the rest as one script. The code that V8 compiles of it is kept
 * beside it by the first start, for those that follow. Whoever may write there may write the script as well, so the
 * kept code is as good as the script is; where nobody may, the script is compiled at each start.
 */
import { closeSync, openSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs"
import { createRequire } from "node:module"
import { dirname, join } from "node:path"
import { fileURLToPath, pathToFileURL } from "node:url"
import { Script } from "node:vm"
import { ownProgramAtOnce } from "./atOnce.js"
import { type Handing, type Program, start } from "./entry.js"

/** Put in by the build. */
declare const BAILIWICK_VERSION: string

const changed = (path: string): number | undefined => statSync(path, { throwIfNoEntry: false })?.mtimeMs

/**
 * What compiled code fits to. V8 takes it for any script of the same length, and from any build of nearly its version,
 * and then ends the process where they differ; so it is only given what this very runtime has made of this script.
 */
const runtimeAnd = (filename: string): string =>
  [process.version, process.arch, process.execPath, changed(process.execPath), changed(filename)].join(" ")

/** The line above kept code. V8 runs what it is given, so whether the code came back whole is checked here. */
const labelOf = (fitsTo: string, code: Buffer): string =>
  // Not imported, because help does without it.
  `${fitsTo} ${process.getBuiltinModule("node:zlib").crc32(code)}\n`

const kept = (path: string, fitsTo: string): Buffer | undefined => {
  try {
    const found = readFileSync(path)
    const start = found.indexOf("\n") + 1
    const code = found.subarray(start)
    return found.toString("utf8", 0, start) === labelOf(fitsTo, code) ? code : undefined
  } catch {
    return undefined
  }
}

/** Under another name first: two may start at the same time, and a third must not read the half of it. */
const keep = (path: string, fitsTo: string, script: Script): void => {
  const draft = `${path}.${process.pid}`
  try {
    const file = openSync(draft, "wx")
    try {
      const code = script.createCachedData()
      writeFileSync(file, labelOf(fitsTo, code))
      writeFileSync(file, code)
    } finally {
      closeSync(file)
    }
    renameSync(draft, path)
  } catch {
    rmSync(draft, { force: true })
  }
}

const own = (): Program => {
  const filename = fileURLToPath(new URL("program.cjs", import.meta.url))
  const cache = `${filename}.cache`
  const fitsTo = runtimeAnd(filename)
  const cachedData = kept(cache, fitsTo)
  const script = new Script(readFileSync(filename, "utf8"), {
    filename,
    ...(cachedData === undefined ? {} : { cachedData })
  })
  if (cachedData === undefined || script.cachedDataRejected === true) {
    process.once("exit", () => keep(cache, fitsTo, script))
  }
  const module: { exports: Program } = { exports: { main: async () => {} } }
  script.runInThisContext()(module, createRequire(import.meta.url))
  return module.exports
}

const firstLine = (error: unknown): string =>
  error instanceof Error ? (error.message.split("\n")[0] ?? "") : "what it threw is no error"

/**
 * Newer versions of Node keep what V8 compiles of modules, by their contents. The place is inside the installation, which
 * no tool may write; where nobody may, nothing is kept.
 */
const keepCompiled = (directory: string): void => {
  const keep: unknown = Reflect.get(process.getBuiltinModule("node:module"), "enableCompileCache")
  if (typeof keep === "function") keep(directory)
}

const programAt = async (file: string): Promise<Program> => {
  try {
    keepCompiled(join(dirname(file), "compiled"))
    return await import(pathToFileURL(file).href)
  } catch (error) {
    process.stderr.write(
      `bailiwick: ${file}, which the workspace has installed, cannot be started (${firstLine(error)}); in the workspace run: npm i bailiwick effect@3\n`
    )
    process.exit(2)
  }
}

const handing = (args: ReadonlyArray<string>): Handing => ({
  version: BAILIWICK_VERSION,
  handOver: async (program) => (await programAt(program)).main(args)
})

/**
 * A workspace with tools of its own has an installation that runs them. Where that is plain to see, it is started at
 * once; otherwise the program here reads the workspace, and hands over if it must.
 */
const load = async (): Promise<Program> => {
  const args = process.argv.slice(2)
  const program = ownProgramAtOnce(args, process.cwd, BAILIWICK_VERSION)
  const { handOver, version } = handing(args)
  return program === undefined
    ? { main: (given) => own().main(given, { handOver, version }) }
    : { main: () => handOver(program) }
}

await start(process.argv.slice(2), () => BAILIWICK_VERSION, load)
