/** The records of a workspace as files, and the agents among them by their ids. */
import { readdirSync } from "node:fs"
import { join } from "node:path"

const MARKDOWN = ".md"

/** A record as a file, with the id that its place gives it. */
export interface RecordFile {
  readonly id: string
  readonly file: string
}

/** Every record below a directory, in the order of ids. Links are not followed, and what starts with a dot is none. */
export const recordFiles = (directory: string, below = ""): ReadonlyArray<RecordFile> => {
  let entries: ReadonlyArray<{ readonly name: string; isFile(): boolean; isDirectory(): boolean }>
  try {
    entries = readdirSync(join(directory, below), { withFileTypes: true })
  } catch {
    return []
  }
  return entries
    .filter(({ name }) => !name.startsWith("."))
    .sort((a, b) => (a.name < b.name ? -1 : 1))
    .flatMap((entry) => {
      const path = below === "" ? entry.name : `${below}/${entry.name}`
      if (entry.isDirectory()) return recordFiles(directory, path)
      return entry.isFile() && entry.name.endsWith(MARKDOWN)
        ? [{ id: path.slice(0, -MARKDOWN.length), file: join(directory, path) }]
        : []
    })
}
