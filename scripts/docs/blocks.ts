/** A fenced block of code in a Markdown document. */
export interface Block {
  readonly document: string
  /** The line of the document on which the code starts, from 1. */
  readonly line: number
  /** The first word after the fence, and the others. */
  readonly language: string
  readonly marks: ReadonlyArray<string>
  readonly code: string
}

/** Where a reader finds it. */
export const place = (at: { readonly document: string; readonly line: number }) => `${at.document}:${at.line}`

const fence = /^( *)(`{3,}|~{3,})\s*(.*?)\s*$/

/** The fenced blocks of a document in order. A fence that is never closed runs to the end, as in Markdown. */
export const parseBlocks = (document: string, markdown: string): ReadonlyArray<Block> => {
  const blocks: Array<Block> = []
  const lines = markdown.split(/\r?\n/)
  for (let index = 0; index < lines.length; index++) {
    const opening = fence.exec(lines[index] ?? "")
    if (opening === null) continue
    const [, indent = "", ticks = "", info = ""] = opening
    const closing = new RegExp(`^ *${ticks[0]}{${ticks.length},}\\s*$`)
    const code: Array<string> = []
    const line = index + 2
    for (index++; index < lines.length && !closing.test(lines[index] ?? ""); index++) {
      const text = lines[index] ?? ""
      code.push(text.startsWith(indent) ? text.slice(indent.length) : text.trimStart())
    }
    const [language = "", ...marks] = info.split(/\s+/)
    blocks.push({ document, line, language, marks, code: code.join("\n") })
  }
  return blocks
}
