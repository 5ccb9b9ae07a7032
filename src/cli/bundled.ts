/**
 * The installed command line: a small module that loads the rest as one script, with the code that V8 compiled when
 * it was built. Where that code does not fit the runtime it is not used, and the script is compiled anew.
 */
import { readFileSync } from "node:fs"
import { createRequire } from "node:module"
import { fileURLToPath } from "node:url"
import { Script } from "node:vm"
import { type Program, start } from "./entry.js"

/** Put in by the build. */
declare const BAILIWICK_VERSION: string

const cached = (path: string): Buffer | undefined => {
  try {
    return readFileSync(path)
  } catch {
    return undefined
  }
}

const load = (): Program => {
  const filename = fileURLToPath(new URL("program.cjs", import.meta.url))
  const cachedData = cached(`${filename}.cache`)
  const script = new Script(readFileSync(filename, "utf8"), {
    filename,
    ...(cachedData === undefined ? {} : { cachedData })
  })
  const module: { exports: Program } = { exports: { main: async () => {} } }
  script.runInThisContext()(module, createRequire(import.meta.url))
  return module.exports
}

await start(process.argv.slice(2), () => BAILIWICK_VERSION, load)
