/**
 * Folders that are made once and used by many tests. `npm test` names a folder for the whole run, which all of its workers
 * share; a test runner that is started by itself has one of its own.
 */
import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync } from "node:fs"
import { join } from "node:path"
import { scratch } from "../scripts/lib/project.js"

const own = (): string => {
  mkdirSync(scratch, { recursive: true })
  const folder = mkdtempSync(join(scratch, "run-"))
  process.once("exit", () => rmSync(folder, { recursive: true, force: true }))
  return folder
}

let shared: string | undefined

const run = (): string => {
  shared ??= process.env.BAILIWICK_RUN ?? own()
  return shared
}

const made = new Map<string, Promise<string>>()

/** Where two make it at the same time, the first that is done is taken. */
const make = async (name: string, fill: (folder: string) => Promise<unknown>): Promise<string> => {
  const place = join(run(), name)
  if (existsSync(place)) return place
  const folder = mkdtempSync(join(run(), ".made-"))
  await fill(folder)
  try {
    renameSync(folder, place)
  } catch (error) {
    rmSync(folder, { recursive: true, force: true })
    if (!existsSync(place)) throw error
  }
  return place
}

/** The folder of that name, filled. What fills it must not write its path into it. */
export const once = (name: string, fill: (folder: string) => Promise<unknown>): Promise<string> => {
  const known = made.get(name) ?? make(name, fill)
  made.set(name, known)
  return known
}
