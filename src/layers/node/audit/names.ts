/** The names of files: one a day, in UTC, and further ones where the first has become too large. */
import { readdirSync } from "node:fs"
import { join } from "node:path"
import { codeOf } from "../disk/Trouble.js"

const NAME = /^(\d{4}-\d{2}-\d{2})(?:\.([1-9]\d{0,8}))?\.jsonl$/

export interface LogName {
  readonly day: string
  readonly number: number
}

export const nameOf = ({ day, number }: LogName): string =>
  number === 0 ? `${day}.jsonl` : `${day}.${number}.jsonl`

export const nameIn = (name: string): LogName | undefined => {
  const [, day, number = "0"] = NAME.exec(name) ?? []
  return day === undefined ? undefined : { day, number: Number(number) }
}

/** Which of two was begun first. */
export const inOrder = (a: LogName, b: LogName): number =>
  a.day === b.day ? a.number - b.number : a.day < b.day ? -1 : 1

/** The one before a name, of those that are there; where a day has many, they are begun one after the other. */
export const formerOf = (name: LogName, all: ReadonlyArray<LogName>): LogName | undefined =>
  name.number > 0
    ? { day: name.day, number: name.number - 1 }
    : all.filter((one) => inOrder(one, name) < 0).at(-1)

/** Those of a directory, oldest first; none where there is no directory. */
export const namesIn = (directory: string): ReadonlyArray<LogName> => {
  try {
    return readdirSync(directory)
      .flatMap((name) => nameIn(name) ?? [])
      .sort(inOrder)
  } catch (error) {
    if (codeOf(error) === "ENOENT") return []
    throw error
  }
}

const DAY = 24 * 60 * 60 * 1000

/** A clock that was wrong by less than a day hides nothing. */
const oldestOf = (since: number): string =>
  new Date(Math.min(Math.max((since || 0) - DAY, 0), Date.parse("9999-12-31"))).toISOString().slice(0, 10)

/** Those that may hold entries since a moment: what is in the file of a day was not decided later. */
export const filesIn = (directory: string, since = 0): ReadonlyArray<string> =>
  namesIn(directory)
    .filter(({ day }) => day >= oldestOf(since))
    .map((name) => join(directory, nameOf(name)))

/** The index of a file: where in it which times are. It can be made anew at any time. */
export const indexOf = (path: string): string => `${path}.index`
