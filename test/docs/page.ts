/** The pages of the documentation, as tests read them. */
import { readdirSync, readFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { parseBlocks } from "../../scripts/docs/blocks.js"

const root = fileURLToPath(new URL("../../", import.meta.url))

/** Every page, by its path from the root of the repository. */
export const pages: ReadonlyArray<string> = [
  ...["README.md", "ARCHITECTURE.md", "SECURITY.md", "CONTRIBUTING.md", "CHANGELOG.md"],
  ...readdirSync(`${root}docs`)
    .filter((name) => name.endsWith(".md"))
    .map((name) => `docs/${name}`)
]

export const page = (name: string): string => readFileSync(`${root}${name}`, "utf8")

/** A page without what stands in fences. */
export const prose = (name: string): string => page(name).replace(/^ *(`{3,})[\s\S]*?^ *\1`*\s*$/gm, "")

const cells = (line: string): ReadonlyArray<string> =>
  line
    .split(/(?<!\\)\|/)
    .slice(1, -1)
    .map((cell) => cell.trim())

/** The rows of the table whose head starts with these words. */
export const table = (name: string, ...head: ReadonlyArray<string>): ReadonlyArray<ReadonlyArray<string>> => {
  const lines = page(name).split("\n")
  const start = lines.findIndex((line) => head.every((word, i) => cells(line)[i] === word))
  if (start < 0) throw new Error(`${name} has no table of ${head.join(", ")}`)
  const rows = lines.slice(start + 2)
  const end = rows.findIndex((line) => !line.startsWith("|"))
  return rows.slice(0, end < 0 ? undefined : end).map(cells)
}

/** The words in backticks of a cell. */
export const quoted = (cell: string | undefined): ReadonlyArray<string> =>
  [...(cell ?? "").matchAll(/`([^`]+)`/g)].map(([, word = ""]) => word)

/** The first fenced text that starts in this way. */
export const textBlock = (name: string, start: string): string => {
  const found = parseBlocks(name, page(name)).find(
    ({ code, language }) => language === "text" && code.startsWith(start)
  )
  if (found === undefined) throw new Error(`${name} has no text that starts with ${start}`)
  return found.code
}
