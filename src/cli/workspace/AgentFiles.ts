/** The records of a workspace as files, and the agents among them by their ids. */
import { type Dirent, readdirSync } from "node:fs"
import { join } from "node:path"
import { isDirectory } from "../read.js"

const MARKDOWN = ".md"

/** A record as a file, with the id that its place gives it. */
export interface RecordFile {
  readonly id: string
  readonly file: string
}

/** The records of a directory, and what would be one if it were no link. */
export interface RecordFiles {
  readonly files: ReadonlyArray<RecordFile>
  readonly links: ReadonlyArray<RecordFile>
}

/** Every record below a directory, in the order of ids. Links are not followed, and what starts with a dot is none. */
export const recordFiles = (directory: string): ReadonlyArray<RecordFile> => recordsAndLinks(directory).files

const isMarkdown = (name: string): boolean => name.endsWith(MARKDOWN)

const idOf = (path: string): string => (isMarkdown(path) ? path.slice(0, -MARKDOWN.length) : path)

/** Why a link is not taken for what it leads to. */
export const NOT_FOLLOWED =
  "is a link, and no link among the records is followed: whoever can write where it leads could write records; put the file itself there"

/** A link to a directory is one as well: its records would be here. */
export const recordsAndLinks = (directory: string): RecordFiles => {
  const files: Array<RecordFile> = []
  const links: Array<RecordFile> = []
  const walk = (below: string): void => {
    for (const entry of entriesOf(join(directory, below))) {
      const path = below === "" ? entry.name : `${below}/${entry.name}`
      const found = { id: idOf(path), file: join(directory, path) }
      if (entry.isDirectory()) walk(path)
      else if (entry.isSymbolicLink()) links.push(found)
      else if (entry.isFile() && isMarkdown(path)) files.push(found)
    }
  }
  walk("")
  return { files, links: links.filter(({ file }) => isMarkdown(file) || isDirectory(file)) }
}

const entriesOf = (directory: string): ReadonlyArray<Dirent> => {
  try {
    return readdirSync(directory, { withFileTypes: true })
      .filter(({ name }) => !name.startsWith("."))
      .sort((a, b) => (a.name < b.name ? -1 : 1))
  } catch {
    return []
  }
}
