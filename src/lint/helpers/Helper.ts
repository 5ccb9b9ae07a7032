/** A file that a tool file imports, looked at once for as long as it stays as it is. */
import { readFileSync, statSync } from "node:fs"
import { type Import, type Look, lookAt } from "../files/Look.js"
import type { Verdict } from "../findings/Finding.js"
import { startOf } from "../syntax/Node.js"
import { parsed } from "./Parser.js"

export interface Helper extends Pick<Look, "makesTools" | "isBridged"> {
  readonly findings: ReadonlyArray<Verdict & { readonly line: number }>
  readonly imports: ReadonlyArray<Pick<Import, "specifier">>
  /** Why it could not be looked at. */
  readonly complaint?: string
}

interface Kept {
  readonly changed: number
  readonly size: number
  readonly helper: Helper
}

const kept = new Map<string, Kept>()

const unread = (complaint: string): Helper => ({
  findings: [],
  imports: [],
  makesTools: false,
  isBridged: false,
  complaint
})

const lineAt = (text: string, start: number): number => text.slice(0, start).split("\n").length

const read = (file: string, engine: unknown): Helper => {
  const text = readFileSync(file, "utf8")
  const { complaint, program } = parsed(file, text, engine)
  if (program === undefined) return unread(complaint ?? "it cannot be parsed")
  const { findings, imports, isBridged, makesTools } = lookAt(program)
  return {
    isBridged,
    makesTools,
    // Without the syntax itself, which would be kept along with them.
    findings: findings.map(({ node, remedy, what }) => ({ what, remedy, line: lineAt(text, startOf(node)) })),
    imports: imports.map(({ specifier }) => ({ specifier }))
  }
}

/** `engine` is the parser of the linter, if it has one. */
export const helperOf = (file: string, engine: unknown): Helper => {
  try {
    const { mtimeMs: changed, size } = statSync(file)
    const known = kept.get(file)
    if (known?.changed === changed && known.size === size) return known.helper
    const helper = read(file, engine)
    kept.set(file, { changed, size, helper })
    return helper
  } catch (error) {
    return unread(error instanceof Error ? error.message : String(error))
  }
}
