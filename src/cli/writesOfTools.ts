/**
 * What code of the workspace writes to standard output by its number or its path, past the stream of that name. Node has no
 * way to put another file under the number, so the functions that take one are led to standard error instead. It holds
 * mistakes: who looks for the original finds it.
 */
import { normalize } from "node:path"

const [OUTPUT, ERRORS] = [1, 2]

const PATHS: ReadonlySet<string> = new Set([
  "/dev/stdout",
  "/dev/fd/1",
  "/proc/self/fd/1",
  "/proc/thread-self/fd/1",
  `/proc/${process.pid}/fd/1`
])

/** A path may be a text, an address or bytes. */
const textOf = (given: unknown): string | undefined => {
  if (typeof given === "string") return given
  if (given instanceof URL) return given.protocol === "file:" ? decodeURIComponent(given.pathname) : undefined
  return given instanceof Uint8Array ? Buffer.from(given).toString() : undefined
}

const isOutputPath = (given: unknown): boolean => {
  const text = textOf(given)
  return text !== undefined && /[1t]$/.test(text) && PATHS.has(normalize(text))
}

/** Where standard error is not a file that can be opened again, its number can be written all the same. */
const led = (given: unknown): unknown => (given === OUTPUT || isOutputPath(given) ? ERRORS : given)

const opened = (given: unknown): unknown => (isOutputPath(given) ? "/dev/stderr" : given)

/** A stream may be made of a path, or of a number among its options. Its error would be thrown past everybody. */
const streamOptions = (path: unknown, given: unknown): unknown => {
  const options = typeof given === "object" && given !== null ? given : {}
  const isOutput = "fd" in options ? options.fd === OUTPUT : isOutputPath(path)
  if (!isOutput) return given
  return { ...(typeof given === "string" ? { encoding: given } : options), fd: ERRORS, autoClose: false }
}

const replace = (
  holder: object,
  name: string,
  change: (args: ReadonlyArray<unknown>) => ReadonlyArray<unknown>
) => {
  const original: unknown = Reflect.get(holder, name)
  if (typeof original !== "function") return
  const replaced = function (this: unknown, ...args: ReadonlyArray<unknown>): unknown {
    return Reflect.apply(original, this, change(args))
  }
  // Some have a form for `util.promisify`.
  Object.defineProperties(replaced, Object.getOwnPropertyDescriptors(original))
  Reflect.set(holder, name, replaced)
}

const first =
  (change: (given: unknown) => unknown) =>
  ([given, ...rest]: ReadonlyArray<unknown>) => [change(given), ...rest]

const BY_NUMBER = ["write", "writeSync", "writev", "writevSync"]

const BY_EITHER = ["writeFile", "writeFileSync", "appendFile", "appendFileSync"]

const OPENING = ["open", "openSync"]

/** What would go to standard output goes to standard error. To be called when the stream of that name was made. */
export const redirectWrites = (): void => {
  const fs = process.getBuiltinModule("node:fs")
  for (const name of [...BY_NUMBER, ...BY_EITHER]) replace(fs, name, first(led))
  for (const name of OPENING) replace(fs, name, first(opened))
  for (const name of ["open", "writeFile", "appendFile"]) replace(fs.promises, name, first(opened))
  replace(fs, "createWriteStream", ([path, options, ...rest]) => [
    path,
    streamOptions(path, options),
    ...rest
  ])
  process.getBuiltinModule("node:module").syncBuiltinESMExports()
}
