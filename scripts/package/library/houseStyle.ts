/**
 * Declarations as the sources are written: indented by two, with no semicolon at the end of a line. A declaration lies
 * beside its source in the tarball, and of what both say alike the second costs next to nothing.
 */
import ts from "typescript"
import type { Edit } from "./edit.js"

const spans = (node: ts.Node, file: ts.SourceFile): boolean =>
  file.getLineAndCharacterOfPosition(node.getStart()).line !==
  file.getLineAndCharacterOfPosition(node.end).line

/** Where texts go on in the next line, whose blanks are theirs. */
const textsIn = (file: ts.SourceFile): ReadonlyArray<ts.Node> => {
  const found: Array<ts.Node> = []
  const visit = (node: ts.Node): void => {
    if (ts.isTemplateLiteralToken(node) && spans(node, file)) found.push(node)
    node.forEachChild(visit)
  }
  visit(file)
  return found
}

const indents = (file: ts.SourceFile): ReadonlyArray<Edit> => {
  const texts = textsIn(file)
  return file.getLineStarts().flatMap((from) => {
    const deep = (/^ */.exec(file.text.slice(from))?.[0] ?? "").length
    return deep < 4 || texts.some((text) => text.getStart() < from && from < text.end)
      ? []
      : [{ from, to: from + (deep >> 2) * 2, by: "" }]
  })
}

const semicolons = (file: ts.SourceFile): ReadonlyArray<Edit> => {
  const found = new Set<number>()
  const visit = (node: ts.Node): void => {
    const isLast =
      file.text[node.end - 1] === ";" && /^(?:\r?\n|$)/.test(file.text.slice(node.end, node.end + 2))
    if (isLast && (ts.isStatement(node) || ts.isTypeElement(node) || ts.isClassElement(node))) {
      found.add(node.end - 1)
    }
    node.forEachChild(visit)
  }
  visit(file)
  return [...found].map((from) => ({ from, to: from + 1, by: "" }))
}

export const inHouseStyle = (file: ts.SourceFile): ReadonlyArray<Edit> => [
  ...indents(file),
  ...semicolons(file)
]

const parsed = (text: string): ts.SourceFile =>
  ts.createSourceFile("declaration.d.ts", text, ts.ScriptTarget.ESNext, true)

const meaning = (text: string): string => ts.createPrinter({ removeComments: true }).printFile(parsed(text))

/** Without semicolons a line may go on in the next one. */
export const checkSame = (name: string, before: string, after: string): void => {
  if (meaning(before) !== meaning(after)) throw new Error(`${name} declares something else in our style`)
}
