/** Where a workspace is made: what is in the way there, and how files are put down, all of them or none. */
import { lstatSync, mkdirSync, rmdirSync, rmSync } from "node:fs"
import { dirname, join } from "node:path"
import { CliError } from "../../CliError.js"
import { exists } from "../../read.js"
import { createFile } from "../../workspace/WriteFile.js"
import type { Written } from "./files.js"

/** A link to a directory leads elsewhere, and nothing is written there. */
const isPlainDirectory = (path: string): boolean => {
  try {
    return lstatSync(path).isDirectory()
  } catch {
    return false
  }
}

const ancestors = (path: string): ReadonlyArray<string> => {
  const parent = dirname(path)
  return parent === "." ? [] : [...ancestors(parent), parent]
}

/** The paths at which something is that would have to go. */
export const inTheWay = (directory: string, files: ReadonlyArray<Written>): ReadonlyArray<string> => {
  const folders = new Set(files.flatMap(({ path }) => ancestors(path)))
  return [
    ...[...folders].filter((path) => {
      const whole = join(directory, path)
      return exists(whole) && !isPlainDirectory(whole)
    }),
    ...files.map(({ path }) => path).filter((path) => exists(join(directory, path)))
  ].sort()
}

/** The workspace that a directory would be in. */
export const workspaceAround = (directory: string): string | undefined => {
  const parent = dirname(directory)
  if (parent === directory) return undefined
  return exists(join(parent, "bailiwick.yaml")) ? parent : workspaceAround(parent)
}

const codeOf = (error: unknown): string =>
  typeof error === "object" && error !== null && "code" in error ? String(error.code) : ""

/** Directories that were made, the outermost first. */
const makeDirectory = (directory: string): ReadonlyArray<string> => {
  const made: Array<string> = []
  const make = (path: string): void => {
    if (exists(path)) return
    make(dirname(path))
    mkdirSync(path)
    made.push(path)
  }
  try {
    make(directory)
    return made
  } catch (error) {
    for (const path of made.reverse()) rmdirSync(path)
    throw new CliError(`${directory} cannot be made (${codeOf(error)}); choose another directory`)
  }
}

/** Throws a `CliError`; then nothing of this is left. */
export const putDown = (directory: string, files: ReadonlyArray<Written>): void => {
  const undo: Array<() => void> = []
  try {
    for (const { path, text } of files) {
      const whole = join(directory, path)
      for (const made of makeDirectory(dirname(whole))) undo.push(() => rmdirSync(made))
      createFile(whole, text)
      undo.push(() => rmSync(whole, { force: true }))
    }
  } catch (error) {
    for (const step of undo.reverse()) {
      try {
        step()
      } catch {
        // Somebody put something there meanwhile, and it stays.
      }
    }
    throw error
  }
}
