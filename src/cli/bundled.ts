/**
 * The installed command line: a small module that runs the rest as one script. The code that V8 compiles of it is kept
 * beside it by the first start, for those that follow. Whoever may write there may write the script as well, so the
 * kept code is as good as the script is; where nobody may, the script is compiled at each start.
 */
import { closeSync, openSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs"
import { createRequire } from "node:module"
import { fileURLToPath } from "node:url"
import { Script } from "node:vm"
import { type Program, start } from "./entry.js"

/** Put in by the build. */
declare const BAILIWICK_VERSION: string

/** What compiled code fits to. V8 looks at its version and flags itself, but takes any script of the same length. */
const stampOf = (filename: string): Buffer => {
  const { mtimeMs } = statSync(filename)
  return Buffer.from(`${process.version} ${process.platform} ${process.arch} ${mtimeMs}\n`)
}

const kept = (path: string, stamp: Buffer): Buffer | undefined => {
  try {
    const found = readFileSync(path)
    return found.subarray(0, stamp.length).equals(stamp) ? found.subarray(stamp.length) : undefined
  } catch {
    return undefined
  }
}

/** Under another name first: two may start at the same time, and a third must not read the half of it. */
const keep = (path: string, stamp: Buffer, script: Script): void => {
  const draft = `${path}.${process.pid}`
  try {
    const file = openSync(draft, "wx")
    try {
      writeFileSync(file, Buffer.concat([stamp, script.createCachedData()]))
    } finally {
      closeSync(file)
    }
    renameSync(draft, path)
  } catch {
    rmSync(draft, { force: true })
  }
}

const load = (): Program => {
  const filename = fileURLToPath(new URL("program.cjs", import.meta.url))
  const cache = `${filename}.cache`
  const stamp = stampOf(filename)
  const cachedData = kept(cache, stamp)
  const script = new Script(readFileSync(filename, "utf8"), {
    filename,
    ...(cachedData === undefined ? {} : { cachedData })
  })
  if (cachedData === undefined || script.cachedDataRejected === true) {
    process.once("exit", () => keep(cache, stamp, script))
  }
  const module: { exports: Program } = { exports: { main: async () => {} } }
  script.runInThisContext()(module, createRequire(import.meta.url))
  return module.exports
}

await start(process.argv.slice(2), () => BAILIWICK_VERSION, load)
