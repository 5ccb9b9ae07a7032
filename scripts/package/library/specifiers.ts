/** How the modules of the library name one another, and by which names they are published. */
import { posix } from "node:path"
import ts from "typescript"
import { type Edit, replacing } from "./edit.js"

/**
 * npm packs files by their endings and then by their names, whatever folder they are in. With the folders in its name a
 * module stands beside its neighbours, and what these have in common is written once.
 */
export const publishedName = (name: string): string => name.replaceAll("/", "-")

/** The path of a module of the library that another names. */
export const placeOf = (name: string, specifier: string): string | undefined =>
  specifier.startsWith(".") ? posix.join(posix.dirname(name), specifier.replace(/\.js$/, "")) : undefined

/** What a node loads, or mentions in a type. */
export const specifierOf = (node: ts.Node): ts.StringLiteralLike | undefined => {
  const literal =
    ts.isImportDeclaration(node) || ts.isExportDeclaration(node)
      ? node.moduleSpecifier
      : ts.isImportTypeNode(node)
        ? ts.isLiteralTypeNode(node.argument)
          ? node.argument.literal
          : undefined
        : ts.isCallExpression(node) && node.expression.kind === ts.SyntaxKind.ImportKeyword
          ? node.arguments[0]
          : undefined
  return literal !== undefined && ts.isStringLiteralLike(literal) ? literal : undefined
}

/** Has a module name others as they are published. */
export const renamedSpecifiers = (
  name: string,
  file: ts.SourceFile,
  nameOf: (module: string) => string
): ReadonlyArray<Edit> => {
  const edits: Array<Edit> = []
  const visit = (node: ts.Node): void => {
    const specifier = specifierOf(node)
    const place = specifier && placeOf(name, specifier.text)
    if (specifier !== undefined && place !== undefined) {
      edits.push(replacing(specifier, `"./${nameOf(place)}.js"`))
    }
    node.forEachChild(visit)
  }
  visit(file)
  return edits
}
