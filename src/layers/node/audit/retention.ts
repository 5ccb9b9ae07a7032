/** Files that are older than the days for which they are kept. */
import { rmSync } from "node:fs"
import { join } from "node:path"
import { codeOf } from "../disk/Trouble.js"
import { indexOf, nameOf, namesIn } from "./names.js"

const DAY = 24 * 60 * 60 * 1000

/** The first day of which files are kept. */
export const oldestKept = (today: string, keepDays: number): string =>
  new Date(Date.parse(today) - keepDays * DAY).toISOString().slice(0, 10)

/** Removes them; answers with what could not be removed, in words. */
export const removeOld = (directory: string, today: string, keepDays: number): ReadonlyArray<string> => {
  const oldest = oldestKept(today, keepDays)
  return namesIn(directory)
    .filter(({ day }) => day < oldest)
    .flatMap((name) => {
      const path = join(directory, nameOf(name))
      try {
        for (const each of [path, indexOf(path)]) rmSync(each, { force: true })
        return []
      } catch (error) {
        return [`${path} is older than ${keepDays} days and cannot be removed (${codeOf(error)})`]
      }
    })
}
