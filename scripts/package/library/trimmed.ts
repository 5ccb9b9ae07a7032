/** A declaration less what nobody needs of it: statements, names that are passed on or taken, and documentation. */
import ts from "typescript"
import { type Edit, edited, replacing } from "./edit.js"
import type { Kept } from "./needed.js"
import { placeOf, specifierOf } from "./specifiers.js"

const without = (statement: ts.Statement): Edit => ({ from: statement.pos, to: statement.end, by: "" })

/** A clause with those of its names that are kept; a statement without any is not. */
const withNames = (
  statement: ts.Statement,
  clause: ts.NamedImports | ts.NamedExports,
  isKept: (name: string) => boolean
): Edit => {
  const names = [...clause.elements].filter(({ name }) => isKept(name.text)).map((name) => name.getText())
  return names.length === 0 ? without(statement) : replacing(clause, `{ ${names.join(", ")} }`)
}

const ofImport = (
  statement: ts.ImportDeclaration,
  isUsed: (local: string) => boolean
): ReadonlyArray<Edit> => {
  const { name, namedBindings } = statement.importClause ?? {}
  if (namedBindings !== undefined && ts.isNamedImports(namedBindings)) {
    return [withNames(statement, namedBindings, isUsed)]
  }
  const local = (name ?? namedBindings?.name)?.text
  return local === undefined || isUsed(local) ? [] : [without(statement)]
}

const ofExport = (
  module: string,
  statement: ts.ExportDeclaration,
  { names, passedOn }: Kept
): ReadonlyArray<Edit> => {
  const { exportClause } = statement
  if (exportClause === undefined) {
    const from = placeOf(module, specifierOf(statement)?.text ?? "")
    return from === undefined || passedOn.has(from) ? [] : [without(statement)]
  }
  if (ts.isNamespaceExport(exportClause)) return names.has(exportClause.name.text) ? [] : [without(statement)]
  // An empty one says that this is a module.
  return exportClause.elements.length === 0
    ? []
    : [withNames(statement, exportClause, (name) => names.has(name))]
}

/** The names of the module that what is kept of it uses. */
export const usedIn = ({ facts, names, statements }: Kept): ReadonlySet<string> =>
  new Set([
    ...[...statements].flatMap((statement) => facts.usesIn(statement).flatMap(({ local }) => local ?? [])),
    ...[...names].flatMap((name) => {
      const local = facts.exported.get(name)
      return typeof local === "string" ? local : []
    })
  ])

/** With its imports, as far as they are used, or without any. */
export const trimmed = (module: string, kept: Kept, withImports: boolean): string => {
  const { facts, statements } = kept
  const used = usedIn(kept)
  const edits = facts.statements.flatMap((statement) => {
    if (ts.isImportDeclaration(statement))
      return ofImport(statement, (local) => withImports && used.has(local))
    if (ts.isExportDeclaration(statement)) return ofExport(module, statement, kept)
    return statements.has(statement) ? [] : [without(statement)]
  })
  return edited(facts.text, edits).text.trimStart()
}
