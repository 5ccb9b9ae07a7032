/** Files that the operator names, read with bounds and sentences. */
import { closeSync, fstatSync, lstatSync, openSync, readSync, realpathSync, statSync } from "node:fs"
import { basename, dirname, join } from "node:path"
import { CliError } from "./CliError.js"

const codeOf = (error: unknown): string =>
  typeof error === "object" && error !== null && "code" in error ? String(error.code) : ""

const reasons: ReadonlyMap<string, string> = new Map([
  ["ENOENT", "does not exist"],
  ["ENOTDIR", "does not exist"],
  ["EACCES", "may not be read"],
  ["EISDIR", "is a directory"],
  ["ELOOP", "is a link to itself"],
  ["ENAMETOOLONG", "has too long a name"]
])

const reasonOf = (error: unknown): string => reasons.get(codeOf(error)) ?? "cannot be read"

const MAX_BYTES = 64 * 1024 * 1024

const tooLarge = (name: string) => new CliError(`${name} is larger than 64 MiB`)

const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true })

/** Text, or that it is none; `name` is how the file is called in the sentence. */
const decodeText = (name: string, bytes: Uint8Array): string => {
  try {
    return decoder.decode(bytes)
  } catch {
    throw new CliError(`${name} is not text in UTF-8`)
  }
}

export const readText = (path: string, name: string = path): string => {
  let descriptor: number
  try {
    descriptor = openSync(path, "r")
  } catch (error) {
    throw new CliError(`${name} ${reasonOf(error)}`)
  }
  try {
    const { size } = fstatSync(descriptor)
    if (size > MAX_BYTES) throw tooLarge(name)
    return decodeText(name, all(descriptor, name))
  } catch (error) {
    throw error instanceof CliError ? error : new CliError(`${name} ${reasonOf(error)}`)
  } finally {
    closeSync(descriptor)
  }
}

/** What is no regular file has no size to trust, so it is read until it ends or is too long. */
const all = (descriptor: number, name: string): Uint8Array => {
  const chunks: Array<Buffer> = []
  let total = 0
  for (;;) {
    const chunk = Buffer.allocUnsafe(64 * 1024)
    const length = readSync(descriptor, chunk, 0, chunk.length, null)
    if (length === 0) return Buffer.concat(chunks)
    total += length
    if (total > MAX_BYTES) throw tooLarge(name)
    chunks.push(chunk.subarray(0, length))
  }
}

/** As a file is read, with the same bound. */
export const readStream = async (stream: AsyncIterable<Uint8Array>, name: string): Promise<string> => {
  const chunks: Array<Uint8Array> = []
  let total = 0
  for await (const chunk of stream) {
    total += chunk.length
    if (total > MAX_BYTES) throw tooLarge(name)
    chunks.push(chunk)
  }
  return decodeText(name, Buffer.concat(chunks))
}

/** Whatever cannot be looked at is no directory to work in. */
export const isDirectory = (path: string): boolean => {
  try {
    return statSync(path).isDirectory()
  } catch {
    return false
  }
}

/** What is neither a directory nor a device, whose end is not near. */
export const isFile = (path: string): boolean => {
  try {
    return statSync(path).isFile()
  } catch {
    return false
  }
}

/** Whether there is something, be it a link to nothing: what is there and cannot be read is not absent. */
export const exists = (path: string): boolean => {
  try {
    lstatSync(path)
    return true
  } catch (error) {
    return codeOf(error) !== "ENOENT" && codeOf(error) !== "ENOTDIR"
  }
}

/** The real path of what may be a link, or may not exist yet: then that of the directory it would be in. */
export const realPath = (path: string): string => {
  try {
    return realpathSync(path)
  } catch {
    const parent = dirname(path)
    return parent === path ? path : join(realPath(parent), basename(path))
  }
}
