/** The texts of the sources that stand where a code does. */
import { readFileSync } from "node:fs"
import { join } from "node:path"
import ts from "typescript"
import { filesUnder, root } from "../../scripts/lib/project.js"

/** Where it stands: in a closed list or a type, or where something is said with it. */
type Position = "listed" | "said"

export interface Found {
  readonly text: string
  readonly place: string
  readonly position: Position
}

const isSchemaLiteral = (node: ts.CallExpression): boolean => node.expression.getText() === "Schema.Literal"

const isConst = (node: ts.Node): boolean => ts.isAsExpression(node) && node.type.getText() === "const"

/** What is compared or thrown away is no code of ours: operating systems and libraries have theirs. */
const positionOf = (node: ts.Expression): Position | undefined => {
  const { parent } = node
  if (ts.isLiteralTypeNode(parent)) return "listed"
  if (ts.isArrayLiteralExpression(parent)) return isConst(parent.parent) ? "listed" : undefined
  if (ts.isCallExpression(parent)) return isSchemaLiteral(parent) ? "listed" : "said"
  if (ts.isPropertyAssignment(parent)) return "said"
  if (ts.isVariableDeclaration(parent)) return /code$/i.test(parent.name.getText()) ? "said" : undefined
  if (ts.isConditionalExpression(parent)) return node === parent.condition ? undefined : positionOf(parent)
  if (ts.isBinaryExpression(parent)) {
    return parent.operatorToken.kind === ts.SyntaxKind.QuestionQuestionToken ? positionOf(parent) : undefined
  }
  return ts.isAsExpression(parent) || ts.isParenthesizedExpression(parent) ? positionOf(parent) : undefined
}

const foundIn = (file: string): ReadonlyArray<Found> => {
  const source = ts.createSourceFile(
    file,
    readFileSync(join(root, file), "utf8"),
    ts.ScriptTarget.Latest,
    true
  )
  const found: Array<Found> = []
  const visit = (node: ts.Node): void => {
    if (ts.isStringLiteral(node)) {
      const position = positionOf(node)
      const { line } = source.getLineAndCharacterOfPosition(node.getStart())
      if (position !== undefined) found.push({ text: node.text, place: `${file}:${line + 1}`, position })
    }
    ts.forEachChild(node, visit)
  }
  visit(source)
  return found
}

/** Of all sources but the table itself, and the contracts, whose secrets have names that look like codes. */
export const codeLiterals = (): ReadonlyArray<Found> =>
  filesUnder("src")
    .filter(
      (file) => file.endsWith(".ts") && !/^src\/(?:registry\/errorCodes|testing\/contracts)\//.test(file)
    )
    .flatMap(foundIn)

/** The errors of the sources that have a code, by the names of their classes. */
export const errorsWithCode = (): ReadonlyArray<string> =>
  filesUnder("src").flatMap((file) => {
    const text = file.endsWith(".ts") ? readFileSync(join(root, file), "utf8") : ""
    const classes = text.split(/^(?=export class )/m).slice(1)
    return classes.flatMap((one) => {
      const [, name] = /^export class \w+ extends Schema\.TaggedError<(\w+)>/.exec(one) ?? []
      return name !== undefined && /^\s*(?:\{ )?code: /m.test(one.split(/^\}/m, 1)[0] ?? "") ? [name] : []
    })
  })
