/** What a module says of names: which it declares, takes from other modules, passes on, and uses where. */
import ts from "typescript"
import { placeOf, specifierOf } from "./specifiers.js"

/** Something of another module of the library; `*` is everything. */
export interface Taken {
  readonly from: string
  readonly name: string
}

/** A name in the module, and what it stands for if that is in another. */
export interface Use {
  readonly local?: string
  readonly taken?: Taken
}

export interface Facts {
  readonly text: string
  readonly statements: ReadonlyArray<ts.Statement>
  readonly declared: ReadonlyMap<string, ReadonlyArray<ts.Statement>>
  readonly imported: ReadonlyMap<string, Taken>
  /** The same from packages, under the names by which they are imported. */
  readonly fromPackages: ReadonlyMap<string, Taken>
  /** By the name that others know: the module's own name, or that of another module. */
  readonly exported: ReadonlyMap<string, string | Taken>
  /** Modules of which everything is passed on. */
  readonly passedOn: ReadonlyArray<string>
  readonly usesIn: (node: ts.Node) => ReadonlyArray<Use>
}

const namesOf = (statement: ts.Statement): ReadonlyArray<string> => {
  if (ts.isVariableStatement(statement)) {
    return statement.declarationList.declarations.map(({ name }) => name.getText())
  }
  const name = ts.getNameOfDeclaration(statement as ts.Statement & ts.Declaration)
  return name === undefined ? [] : [name.getText()]
}

const isExported = (statement: ts.Statement): boolean =>
  ts.canHaveModifiers(statement) &&
  ts.getModifiers(statement)?.some(({ kind }) => kind === ts.SyntaxKind.ExportKeyword) === true

/** By the names in the module, what they are called where they come from. */
const importedBy = ({ importClause }: ts.ImportDeclaration): ReadonlyArray<readonly [string, string]> => {
  const { name, namedBindings } = importClause ?? {}
  const whole = name === undefined ? [] : [[name.text, "default"] as const]
  if (namedBindings === undefined) return whole
  return ts.isNamespaceImport(namedBindings)
    ? [[namedBindings.name.text, "*"]]
    : [
        ...whole,
        ...namedBindings.elements.map(
          ({ name: local, propertyName = local }) => [local.text, propertyName.text] as const
        )
      ]
}

/** Whether an identifier says what something is called, and refers to nothing. */
const isLabel = (node: ts.Identifier): boolean => {
  const { parent } = node
  if (ts.isPropertyAccessExpression(parent)) return parent.name === node
  if (ts.isQualifiedName(parent)) return parent.right === node
  return (
    (ts.isTypeElement(parent) || ts.isClassElement(parent) || ts.isParameter(parent)) && parent.name === node
  )
}

/** Of a namespace that is asked for one of its members, that member. */
const memberAt = (node: ts.Identifier): string => {
  const { parent } = node
  if (ts.isQualifiedName(parent) && parent.left === node) return parent.right.text
  return ts.isPropertyAccessExpression(parent) && parent.expression === node ? parent.name.text : "*"
}

const firstOf = (name: ts.EntityName): string => (ts.isIdentifier(name) ? name.text : firstOf(name.left))

export const factsOf = (name: string, text: string): Facts => {
  const { statements } = ts.createSourceFile(`${name}.ts`, text, ts.ScriptTarget.ESNext, true)
  const declared = new Map<string, Array<ts.Statement>>()
  const imported = new Map<string, Taken>()
  const fromPackages = new Map<string, Taken>()
  const exported = new Map<string, string | Taken>()
  const passedOn: Array<string> = []
  for (const statement of statements) {
    const specifier = specifierOf(statement)
    const from = specifier && placeOf(name, specifier.text)
    if (ts.isImportDeclaration(statement)) {
      for (const [local, outside] of importedBy(statement)) {
        if (from !== undefined) imported.set(local, { from, name: outside })
        else fromPackages.set(local, { from: specifier?.text ?? "", name: outside })
      }
    } else if (ts.isExportDeclaration(statement)) {
      const { exportClause } = statement
      if (exportClause === undefined) {
        if (from !== undefined) passedOn.push(from)
      } else if (ts.isNamespaceExport(exportClause)) {
        if (from !== undefined) exported.set(exportClause.name.text, { from, name: "*" })
      } else {
        for (const { name: outside, propertyName: inside = outside } of exportClause.elements) {
          exported.set(outside.text, from === undefined ? inside.text : { from, name: inside.text })
        }
      }
    } else {
      for (const local of namesOf(statement)) {
        declared.set(local, [...(declared.get(local) ?? []), statement])
        if (isExported(statement)) exported.set(local, local)
      }
    }
  }

  const usesIn = (node: ts.Node): ReadonlyArray<Use> => {
    const uses: Array<Use> = []
    const visit = (node: ts.Node): void => {
      const specifier = ts.isImportTypeNode(node) || ts.isCallExpression(node) ? specifierOf(node) : undefined
      const from = specifier && placeOf(name, specifier.text)
      if (from !== undefined) {
        const qualifier = ts.isImportTypeNode(node) ? node.qualifier : undefined
        uses.push({ taken: { from, name: qualifier === undefined ? "*" : firstOf(qualifier) } })
      } else if (ts.isIdentifier(node) && !isLabel(node)) {
        const taken = imported.get(node.text)
        if (taken !== undefined) {
          uses.push({
            local: node.text,
            taken: taken.name === "*" ? { ...taken, name: memberAt(node) } : taken
          })
        } else uses.push({ local: node.text })
      }
      node.forEachChild(visit)
    }
    visit(node)
    return uses
  }

  return { text, statements, declared, imported, fromPackages, exported, passedOn, usesIn }
}
