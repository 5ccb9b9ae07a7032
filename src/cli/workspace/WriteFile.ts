/** A file of the workspace is written whole, or not at all. */
import {
  chmodSync,
  closeSync,
  fchmodSync,
  linkSync,
  mkdirSync,
  openSync,
  readSync,
  renameSync,
  rmSync,
  statSync
} from "node:fs"
import { dirname } from "node:path"
import { CliError } from "../CliError.js"
import { realPath } from "../read.js"
import { beside, codeOf, draft, reasonOf, replaceFile, settle } from "./replaceFile.js"

const TAKEN = "EEXIST"

const PERMISSIONS = 0o666

/** What is there already stays as it is. Throws a `CliError`; then nothing is written. */
export const createFile = (file: string, text: string): void => {
  const directory = dirname(file)
  const temporary = beside(directory)
  try {
    draft(temporary, text, (descriptor) => fchmodSync(descriptor, PERMISSIONS & ~process.umask()))
    // A link is made where nothing is, or not at all.
    linkSync(temporary, file)
  } catch (error) {
    const taken = codeOf(error) === TAKEN
    throw new CliError(
      `${file} was not written: ${taken ? "something is there by now" : reasonOf(codeOf(error))}`,
      taken ? 1 : 2
    )
  } finally {
    rmSync(temporary, { force: true })
  }
  settle(directory)
}

/** Puts `after` in the place of `before`, or where nothing was. Throws a `CliError`; then nothing is changed. */
export const writeFile = (file: string, before: string | undefined, after: string): void =>
  before === undefined ? createFile(file, after) : replaceFile(file, before, after)

const OWNER = 0o700

/** For its owner alone, in a directory that is the owner's alone, whatever was there before. Throws a `CliError`. */
export const writePrivately = (file: string, text: string): void => {
  const directory = dirname(file)
  const temporary = beside(directory)
  try {
    mkdirSync(directory, { recursive: true, mode: OWNER })
    chmodSync(directory, OWNER)
    draft(temporary, text, () => {})
    renameSync(temporary, file)
  } catch (error) {
    rmSync(temporary, { force: true })
    throw new CliError(`${file} was not written: ${reasonOf(codeOf(error))}`)
  }
}

/** As much of two files as tells whether they are of one kind: `<!doctype html>`. */
const KIND = 15

const beginsLike = (file: string, text: string): boolean => {
  const descriptor = openSync(file, "r")
  try {
    const bytes = Buffer.alloc(KIND)
    const begins = bytes.toString("utf8", 0, readSync(descriptor, bytes, 0, KIND, 0))
    return begins === "" || begins === text.slice(0, KIND)
  } finally {
    closeSync(descriptor)
  }
}

/** Where a file is to be: where a link leads, and not where something of another kind is. */
const placeFor = (file: string, text: string): string => {
  const found = statSync(file, { throwIfNoEntry: false })
  if (found === undefined) return file
  const why = found.isDirectory()
    ? "it is a directory"
    : !found.isFile()
      ? "it is no file"
      : beginsLike(file, text)
        ? undefined
        : "something else is there, and stays; name another file"
  if (why !== undefined) throw new CliError(`${file} was not written: ${why}`)
  return realPath(file)
}

const replace = (place: string, text: string): void => {
  const temporary = beside(dirname(place))
  try {
    draft(temporary, text, () => {})
    renameSync(temporary, place)
  } finally {
    rmSync(temporary, { force: true })
  }
}

/** For its owner alone, in the place of what was there before, if that is of its kind. Throws a `CliError`; then nothing is changed. */
export const writeAnew = (file: string, text: string): void => {
  try {
    const place = placeFor(file, text)
    replace(place, text)
    settle(dirname(place))
  } catch (error) {
    if (error instanceof CliError) throw error
    const code = codeOf(error)
    const isNowhere = code === "ENOENT" || code === "ENOTDIR"
    throw new CliError(
      `${file} was not written: ${isNowhere ? `there is no directory ${dirname(file)}` : reasonOf(code)}`
    )
  }
}
