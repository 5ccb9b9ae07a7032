/**
 * The first program of the README as an editor shows it: coloured, with the error underlined and its sentence beside it.
 * The documentation step compiles that program and holds the sentence to what the compiler says, so the picture is true.
 */
import ts from "typescript"
import { type Block, parseBlocks } from "./blocks.js"

const LINE = 21
const CHARACTER = 8.43
const LEFT = 62
const TOP = 62
const WIDTH = 880

type Kind = "keyword" | "string" | "number" | "property" | "plain" | "call"

interface Piece {
  readonly text: string
  readonly kind: Kind
}

const isKeyword = (kind: ts.SyntaxKind): boolean =>
  kind >= ts.SyntaxKind.FirstKeyword && kind <= ts.SyntaxKind.LastKeyword

const isString = (kind: ts.SyntaxKind): boolean =>
  kind === ts.SyntaxKind.StringLiteral ||
  kind === ts.SyntaxKind.NoSubstitutionTemplateLiteral ||
  kind === ts.SyntaxKind.TemplateHead ||
  kind === ts.SyntaxKind.TemplateMiddle ||
  kind === ts.SyntaxKind.TemplateTail

const kindOf = (node: ts.Node): Kind => {
  if (isKeyword(node.kind)) return "keyword"
  if (isString(node.kind)) return "string"
  if (ts.isNumericLiteral(node)) return "number"
  if (!ts.isIdentifier(node)) return "plain"
  const { parent } = node
  if (ts.isPropertyAssignment(parent) && parent.name === node) return "property"
  const isCalled =
    ts.isPropertyAccessExpression(parent) && parent.name === node && ts.isCallExpression(parent.parent)
  return isCalled ? "call" : "plain"
}

/** The text in pieces of one colour each, without losing a character. */
const piecesOf = (source: string): ReadonlyArray<Piece> => {
  const file = ts.createSourceFile("picture.ts", source, ts.ScriptTarget.Latest, true)
  const pieces: Array<Piece> = []
  let at = 0
  const visit = (node: ts.Node): void => {
    if (node.getChildCount(file) > 0) {
      for (const child of node.getChildren(file)) visit(child)
      return
    }
    const start = node.getStart(file)
    if (start > at) pieces.push({ text: source.slice(at, start), kind: "plain" })
    if (node.getEnd() > start) pieces.push({ text: source.slice(start, node.getEnd()), kind: kindOf(node) })
    at = Math.max(at, node.getEnd())
  }
  visit(file)
  return [...pieces, { text: source.slice(at), kind: "plain" }]
}

const escape = (text: string): string =>
  text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;")

const ERROR = /^\s*\/\/ error: (.*)$/

interface Mistake {
  readonly line: number
  readonly column: number
  readonly length: number
  readonly sentence: string
}

/** The code without the line that announces the error, and where the error stands. */
const separated = ({ code }: Block): { readonly source: string; readonly mistake: Mistake } => {
  const lines = code.split("\n")
  const at = lines.findIndex((line) => ERROR.test(line))
  const above = lines[at - 1] ?? ""
  const [, indent = "", name = ""] = /^(\s*)(\w+):/.exec(above) ?? []
  const [, sentence = ""] = ERROR.exec(lines[at] ?? "") ?? []
  if (at < 0 || name === "")
    throw new Error("the first program of the README shows no error under a property")
  return {
    source: lines.filter((_, index) => index !== at).join("\n"),
    mistake: { line: at - 1, column: indent.length, length: name.length, sentence }
  }
}

const drawCode = (source: string): ReadonlyArray<string> => {
  const lines: Array<Array<Piece>> = [[]]
  for (const { kind, text } of piecesOf(source)) {
    text.split("\n").forEach((part, index) => {
      if (index > 0) lines.push([])
      if (part !== "") lines.at(-1)?.push({ text: part, kind })
    })
  }
  return lines.flatMap((pieces, row) => {
    const y = TOP + row * LINE
    const spans = pieces.map(({ kind, text }) => `<tspan class="${kind}">${escape(text)}</tspan>`).join("")
    return [
      `<text class="number-of-line" x="${LEFT - 18}" y="${y}">${row + 1}</text>`,
      `<text class="code" x="${LEFT}" y="${y}" xml:space="preserve">${spans}</text>`
    ]
  })
}

const squiggle = (x: number, y: number, width: number): string => {
  const waves = Math.floor(width / 4)
  return `<path class="squiggle" d="M${x.toFixed(1)} ${y} ${Array.from({ length: waves }, (_, i) => `l2 ${i % 2 === 0 ? -2.5 : 2.5} l2 ${i % 2 === 0 ? 2.5 : -2.5}`).join(" ")}"/>`
}

const drawMistake = ({ column, length, line, sentence }: Mistake): ReadonlyArray<string> => {
  const x = LEFT + column * CHARACTER
  const y = TOP + line * LINE
  const width = Math.ceil(sentence.length * CHARACTER) + 44
  return [
    squiggle(x, y + 6, length * CHARACTER),
    `<g class="hover"><rect x="${x + 24}" y="${y + 14}" width="${width}" height="34" rx="5"/>`,
    `<circle cx="${x + 42}" cy="${y + 31}" r="7"/><path d="M${x + 39.5} ${y + 28.5} l5 5 m0 -5 l-5 5"/>`,
    `<text x="${x + 56}" y="${y + 36}" xml:space="preserve">${escape(sentence)}</text></g>`
  ]
}

const style = `
text { font-family: ui-monospace, SFMono-Regular, "SF Mono", Menlo, Consolas, "DejaVu Sans Mono", monospace; font-size: 14px }
.window { fill: #1f2430; stroke: #10141c } .bar { fill: #171b24 } .tab { fill: #aab1c0; font-size: 12px }
.code { fill: #cbccc6 } .number-of-line { fill: #565d6e; text-anchor: end; font-size: 12px }
.keyword { fill: #ffa759 } .string { fill: #bae67e } .number { fill: #ffcc66 } .property { fill: #95e6cb } .call { fill: #ffd580 }
.squiggle { fill: none; stroke: #ff6666; stroke-width: 1.6 }
.hover rect { fill: #2b3140; stroke: #ff6666 } .hover text { fill: #f3f4f5 } .hover circle { fill: #ff6666 }
.hover path { stroke: #1f2430; stroke-width: 1.6 }`

/** The picture, from the text of the README. */
export const drawEditor = (readme: string): string => {
  const block = parseBlocks("README.md", readme).find(({ language }) => language === "ts")
  if (block === undefined) throw new Error("the README has no program")
  const { mistake, source } = separated(block)
  const height = TOP + source.split("\n").length * LINE + 12
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" width="${WIDTH}" height="${height}" role="img" aria-label="${escape(mistake.sentence)}">`,
    `<style>${style}\n</style>`,
    `<rect class="window" x="0.5" y="0.5" width="${WIDTH - 1}" height="${height - 1}" rx="10"/>`,
    `<path class="bar" d="M1 34 V10 a9 9 0 0 1 9 -9 H${WIDTH - 10} a9 9 0 0 1 9 9 V34 z"/>`,
    ...["#ff5f57", "#febc2e", "#28c840"].map(
      (colour, i) => `<circle cx="${20 + i * 18}" cy="17" r="5.5" fill="${colour}"/>`
    ),
    '<text class="tab" x="92" y="21">weather.ts</text>',
    ...drawCode(source),
    ...drawMistake(mistake),
    "</svg>",
    ""
  ].join("\n")
}
