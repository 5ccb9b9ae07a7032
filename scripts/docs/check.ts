/**
 * What a block of code in the documentation must live up to. Every block is one of these:
 *
 * - `ts`           compiles, together with all others, on the compiler of the repository. It is a module of its
 *                  own; `ts continue` carries on the module of the `ts` block before it.
 *                  A line `// error: text` says that the compiler reports `text` on the line above it.
 * - `text output`  right after a `ts` block: the program is run, and prints this. Right after a `sh` block that
 *                  ends in an npm script: the script is run, and prints this.
 * - `sh`, `bash`   every command is a script of package.json or on the list in shell.ts.
 * - `json`, `yaml` parses.
 * - `text`         anything that is not code: a tree, a drawing.
 *
 * Any other block is an error.
 */
import { parseDocument } from "yaml"
import { type Block, parseBlocks, place } from "./blocks.js"
import { compile } from "./compile.js"
import { type Program, programsOf } from "./programs.js"
import { checkShell, commandsOf, scriptOf } from "./shell.js"

/** A script of package.json of which a document shows the output. */
export interface ShownScript {
  readonly document: string
  readonly line: number
  readonly script: string
  readonly output: string
}

export interface Checked {
  readonly problems: ReadonlyArray<string>
  readonly blocks: number
  /** What is left to do: run these, and compare what they print. */
  readonly programs: ReadonlyArray<Program>
  readonly scripts: ReadonlyArray<ShownScript>
}

const parses = (block: Block, parse: (code: string) => void): ReadonlyArray<string> => {
  try {
    parse(block.code)
    return []
  } catch (error) {
    return [`${place(block)} ${error instanceof Error ? error.message : String(error)}`]
  }
}

const parseYaml = (code: string) => {
  const [error] = parseDocument(code).errors
  if (error !== undefined) throw error
}

const isShell = (block: Block | undefined) => block?.language === "sh" || block?.language === "bash"

const shownScript = (block: Block, before: Block): ShownScript | undefined => {
  const script = scriptOf(commandsOf(before.code).at(-1) ?? "")
  return script === undefined || script === "test"
    ? undefined
    : { document: block.document, line: block.line, script, output: block.code }
}

const checkOutput = (block: Block, before: Block | undefined): ReadonlyArray<string> =>
  before?.language === "ts" || (before !== undefined && isShell(before) && shownScript(block, before))
    ? []
    : [`${place(block)} is marked as output, but does not follow a program or a script that can be run`]

const kinds: ReadonlyMap<string, ReadonlyArray<string>> = new Map([
  ["ts", ["", "continue"]],
  ["text", ["", "output"]],
  ["sh", [""]],
  ["bash", [""]],
  ["json", [""]],
  ["yaml", [""]]
])

const checkBlock = (block: Block, before: Block | undefined, scripts: ReadonlySet<string>) => {
  const mark = block.marks.join(" ")
  if (kinds.get(block.language)?.includes(mark) !== true) {
    const name = `${block.language} ${mark}`.trim()
    return [`${place(block)} no rule covers a block of kind "${name}"`]
  }
  if (isShell(block)) return checkShell(block, scripts)
  if (block.language === "json") return parses(block, JSON.parse)
  if (block.language === "yaml") return parses(block, parseYaml)
  return mark === "output" ? checkOutput(block, before) : []
}

/**
 * Checks documents, given by name and text, against the names of the scripts in package.json. `others` are programs that
 * are no part of a document, and are compiled with those that are.
 */
export const check = (
  documents: ReadonlyMap<string, string>,
  scripts: ReadonlySet<string>,
  others: ReadonlyArray<Program> = []
): Checked => {
  const perDocument = [...documents].map(([document, markdown]) => {
    const blocks = parseBlocks(document, markdown)
    const { problems, programs } = programsOf(blocks)
    const shown = blocks.flatMap((block, index) => {
      const before = blocks[index - 1]
      if (before === undefined || !isShell(before) || !block.marks.includes("output")) return []
      return shownScript(block, before) ?? []
    })
    return {
      blocks: blocks.length,
      programs,
      shown,
      problems: [
        ...blocks.flatMap((block, index) => checkBlock(block, blocks[index - 1], scripts)),
        ...problems
      ]
    }
  })
  const programs = perDocument.flatMap((found) => found.programs)
  return {
    blocks: perDocument.reduce((sum, found) => sum + found.blocks, 0),
    programs: programs.filter((program) => program.output !== undefined && program.errors.length === 0),
    scripts: perDocument.flatMap((found) => found.shown),
    problems: [...perDocument.flatMap((found) => found.problems), ...compile([...programs, ...others])]
  }
}
