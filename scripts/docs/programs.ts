import { type Block, place } from "./blocks.js"

/** An error that a program of the documentation shows on purpose. */
export interface ExpectedError {
  readonly line: number
  readonly text: string
}

/**
 * A `ts` block with the `ts continue` blocks that follow it. The source is padded with empty lines, so that a
 * line of the program has the number that it has in the document.
 */
export interface Program {
  readonly document: string
  readonly line: number
  readonly source: string
  readonly errors: ReadonlyArray<ExpectedError>
  /** What the program prints, when the document shows it. */
  readonly output: string | undefined
}

const errorComment = /^\s*\/\/ error: (.+?)\s*$/

/** `// error: text` stands on a line of its own, under the line that the compiler complains about. */
export const expectedErrors = (source: string): ReadonlyArray<ExpectedError> => {
  const errors: Array<ExpectedError> = []
  let above = 0
  source.split("\n").forEach((text, index) => {
    const comment = errorComment.exec(text)
    if (comment === null) above = index + 1
    else errors.push({ line: above, text: comment[1] ?? "" })
  })
  return errors
}

interface Draft {
  readonly first: Block
  lines: Array<string>
  outputs: Array<string>
}

const append = (draft: Draft, block: Block) => {
  while (draft.lines.length < block.line - 1) draft.lines.push("")
  draft.lines.push(...block.code.split("\n"))
}

const finish = ({ first, lines, outputs }: Draft): Program => {
  const source = lines.join("\n")
  return {
    document: first.document,
    line: first.line,
    source,
    errors: expectedErrors(source),
    output: outputs.length === 0 ? undefined : outputs.join("\n")
  }
}

/** The programs of one document, given all of its blocks in order. */
export const programsOf = (
  blocks: ReadonlyArray<Block>
): { readonly programs: ReadonlyArray<Program>; readonly problems: ReadonlyArray<string> } => {
  const drafts: Array<Draft> = []
  const problems: Array<string> = []
  blocks.forEach((block, index) => {
    const last = drafts.at(-1)
    if (block.language === "ts") {
      const draft = block.marks.includes("continue") ? last : { first: block, lines: [], outputs: [] }
      if (draft === undefined) {
        problems.push(`${place(block)} continues, but no ts block comes before it`)
        return
      }
      if (draft !== last) drafts.push(draft)
      append(draft, block)
    }
    if (block.language === "text" && block.marks.includes("output") && blocks[index - 1]?.language === "ts") {
      last?.outputs.push(block.code)
    }
  })
  const programs = drafts.map(finish)
  for (const program of programs) {
    if (program.output !== undefined && program.errors.length > 0) {
      problems.push(`${place(program)} shows an output, but also an error: it cannot be run`)
    }
  }
  return { programs, problems }
}
