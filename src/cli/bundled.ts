/**
 * The installed command line: a small module that runs the rest as one script. It is put together by the first start, which
 * keeps it, and the code that V8 compiles of it, for those that follow. Whoever may write there may write the modules that
 * it is made of as well, so what is kept is as good as they are; where nobody may, this is done at each start.
 */
import { closeSync, openSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs"
import { createRequire } from "node:module"
import { dirname, join } from "node:path"
import { fileURLToPath, pathToFileURL } from "node:url"
import { Script } from "node:vm"
import { ownProgramAtOnce } from "./atOnce.js"
import { type Handing, type Program, start } from "./entry.js"
import { joined, ofBytes, type Parts, pinned } from "./parts.js"
import { packageFrom } from "./workspace/own/Installation.js"

/** Put in by the build. */
declare const BAILIWICK_VERSION: string

const HERE = dirname(fileURLToPath(import.meta.url))

const changed = (path: string): number | undefined => statSync(path, { throwIfNoEntry: false })?.mtimeMs

/**
 * What compiled code fits to. V8 takes it for any script of the same length, and from any build of nearly its version,
 * and then ends the process where they differ; so it is only given what this very runtime has made of these very files.
 */
const runtimeAnd = (files: ReadonlyArray<string>): string =>
  [process.version, process.arch, process.execPath, changed(process.execPath), ...files.map(changed)].join(
    " "
  )

/** A script, and what V8 has made of it. */
interface Kept {
  readonly text: string
  readonly code: Buffer
}

/** The line above what is kept. V8 runs what it is given, so whether that came back whole is checked here. */
const labelOf = (fitsTo: string, kept: Buffer): string =>
  // Not imported, because help does without it.
  `${fitsTo} ${process.getBuiltinModule("node:zlib").crc32(kept)}\n`

const keptIn = (path: string, fitsTo: string, length: number): Kept | undefined => {
  try {
    const found = readFileSync(path)
    const start = found.indexOf("\n") + 1
    const rest = found.subarray(start)
    return found.toString("utf8", 0, start) === labelOf(fitsTo, rest)
      ? { text: rest.toString("latin1", 0, length), code: rest.subarray(length) }
      : undefined
  } catch {
    return undefined
  }
}

/** Under another name first: two may start at the same time, and a third must not read the half of it. */
const keep = (path: string, fitsTo: string, text: string, script: Script): void => {
  const draft = `${path}.${process.pid}`
  try {
    const file = openSync(draft, "wx")
    try {
      const kept = Buffer.concat([Buffer.from(text, "latin1"), script.createCachedData()])
      writeFileSync(file, labelOf(fitsTo, kept))
      writeFileSync(file, kept)
    } finally {
      closeSync(file)
    }
    renameSync(draft, path)
  } catch {
    rmSync(draft, { force: true })
  }
}

/** Every character of our own files is one byte. */
const read = (file: string): string => readFileSync(join(HERE, file), "latin1")

/** Nothing of a file that is not there. It has another length then than the one that was published. */
const readPinned = (path: string): string => {
  try {
    return ofBytes(readFileSync(path, "utf8"))
  } catch {
    return ""
  }
}

const own = (): Program | Promise<Program> => {
  const parts: Parts = JSON.parse(read("program.json"))
  const cache = join(HERE, "program.cache")
  const { name, prefix } = pinned
  const installed = packageFrom(name, HERE) ?? HERE
  // The files of a package come and go together.
  const ours = parts.files.flatMap(([path]) => (path.startsWith(prefix) ? [] : join(HERE, path)))
  const fitsTo = runtimeAnd([...ours, join(installed, "package.json")])
  const readAny = (path: string): string =>
    path.startsWith(prefix) ? readPinned(join(installed, path.slice(prefix.length))) : read(path)
  const kept = keptIn(cache, fitsTo, parts.length)
  const text = kept?.text ?? joined(parts, readAny)
  // Somebody has changed a module, or installed another version of the package: all run as they stand there.
  if (text === undefined) return import(pathToFileURL(join(HERE, "program.js")).href)
  const script = new Script(text, {
    filename: join(HERE, "program.cjs"),
    ...(kept === undefined ? {} : { cachedData: kept.code })
  })
  if (kept === undefined || script.cachedDataRejected === true) {
    process.once("exit", () => keep(cache, fitsTo, text, script))
  }
  return script.runInThisContext()(createRequire(import.meta.url))
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
  program: join(HERE, "program.js"),
  handOver: async (program) => (await programAt(program)).main(args)
})

/**
 * A workspace with tools of its own has an installation that runs them. Where that is plain to see, it is started at
 * once; otherwise the program here reads the workspace, and hands over if it must.
 */
const load = async (): Promise<Program> => {
  const args = process.argv.slice(2)
  const program = ownProgramAtOnce(args, process.cwd, BAILIWICK_VERSION)
  const given = handing(args)
  return program === undefined
    ? { main: async (words) => (await own()).main(words, given) }
    : { main: () => given.handOver(program) }
}

await start(process.argv.slice(2), () => BAILIWICK_VERSION, load)
