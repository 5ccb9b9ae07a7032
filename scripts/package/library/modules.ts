/** The modules of `dist`, as they are bundled: what each takes and gives, what it loads later, where its names stand. */
import { join } from "node:path"
import ts from "typescript"

export interface Name {
  /** `default` is what another gives as a whole, and `*` everything that it gives. */
  readonly outside: string
  readonly inside: string
}

export interface Taken {
  readonly from: string
  readonly names: ReadonlyArray<Name>
  readonly clause: ts.ImportDeclaration
}

export interface Given {
  readonly names: ReadonlyArray<Name>
  readonly clause: ts.ExportDeclaration
}

export interface Later {
  /** What is loaded, where that is written in the call. */
  readonly from: string | undefined
  readonly call: ts.CallExpression
}

export interface Module {
  /** Below `dist`. */
  readonly path: string
  readonly text: string
  readonly taken: ReadonlyArray<Taken>
  readonly given: ReadonlyArray<Given>
  readonly later: ReadonlyArray<Later>
  /** Where the module asks for its own address. */
  readonly addresses: ReadonlyArray<ts.PropertyAccessExpression>
  /** Where something of the module itself is used, and not another of the same spelling. */
  readonly uses: (name: string) => ReadonlyArray<ts.Identifier>
  /** Whether anything in the module has this spelling. */
  readonly spells: (name: string) => boolean
}

const textOf = (node: ts.Node | undefined): string | undefined =>
  node !== undefined && ts.isStringLiteralLike(node) ? node.text : undefined

const takenBy = (clause: ts.ImportDeclaration): Taken => {
  const { name: whole, namedBindings: some } = clause.importClause ?? {}
  const named =
    some === undefined
      ? []
      : ts.isNamespaceImport(some)
        ? [{ outside: "*", inside: some.name.text }]
        : some.elements.map(({ name, propertyName = name }) => ({
            outside: propertyName.text,
            inside: name.text
          }))
  return {
    from: textOf(clause.moduleSpecifier) ?? "",
    names: whole === undefined ? named : [{ outside: "default", inside: whole.text }, ...named],
    clause
  }
}

const givenBy = (clause: ts.ExportDeclaration): Given => {
  const { exportClause: some } = clause
  if (some === undefined || !ts.isNamedExports(some)) throw new Error(`a bundle has: ${clause.getText()}`)
  return {
    names: some.elements.map(({ name, propertyName = name }) => ({
      outside: name.text,
      inside: propertyName.text
    })),
    clause
  }
}

/** The key of something, which refers to nothing. */
const isKey = (node: ts.Identifier): boolean =>
  (ts.isPropertyAccessExpression(node.parent) ||
    ts.isPropertyAssignment(node.parent) ||
    ts.isClassElement(node.parent)) &&
  node.parent.name === node

const moduleOf = (path: string, file: ts.SourceFile, checker: ts.TypeChecker): Module => {
  const calls: Array<ts.CallExpression> = []
  const addresses: Array<ts.PropertyAccessExpression> = []
  const spelt = new Map<string, Array<ts.Identifier>>()
  const look = (node: ts.Node): void => {
    if (ts.isImportDeclaration(node) || ts.isExportDeclaration(node)) return
    if (ts.isIdentifier(node) && !isKey(node)) {
      const found = spelt.get(node.text)
      if (found === undefined) spelt.set(node.text, [node])
      else found.push(node)
    }
    if (ts.isCallExpression(node) && node.expression.kind === ts.SyntaxKind.ImportKeyword) calls.push(node)
    if (ts.isPropertyAccessExpression(node) && ts.isMetaProperty(node.expression)) addresses.push(node)
    node.forEachChild(look)
  }
  look(file)
  const own = new Map(
    checker
      .getSymbolsInScope(file, ts.SymbolFlags.Value | ts.SymbolFlags.Alias)
      .map((symbol) => [symbol.name, symbol])
  )
  const meant = (node: ts.Identifier): ts.Symbol | undefined =>
    ts.isShorthandPropertyAssignment(node.parent)
      ? checker.getShorthandAssignmentValueSymbol(node.parent)
      : checker.getSymbolAtLocation(node)
  return {
    path,
    text: file.text,
    taken: file.statements.filter(ts.isImportDeclaration).map(takenBy),
    given: file.statements.filter(ts.isExportDeclaration).map(givenBy),
    later: calls.map((call) => ({ from: textOf(call.arguments[0]), call })),
    addresses,
    uses: (name) => (spelt.get(name) ?? []).filter((node) => meant(node) === own.get(name)),
    spells: (name) => spelt.has(name)
  }
}

/** Those at the given paths below `dist`. */
export const readModules = (dist: string, paths: ReadonlyArray<string>): ReadonlyArray<Module> => {
  const program = ts.createProgram(
    paths.map((path) => join(dist, path)),
    {
      allowJs: true,
      module: ts.ModuleKind.ESNext,
      noLib: true,
      noResolve: true,
      target: ts.ScriptTarget.ESNext,
      types: []
    }
  )
  const checker = program.getTypeChecker()
  return paths.map((path) => {
    const file = program.getSourceFile(join(dist, path))
    if (file === undefined) throw new Error(`${path} cannot be read`)
    return moduleOf(path, file, checker)
  })
}

/** Whether a module gives others something under a name of its own. */
export const gives = ({ given }: Module, name: string): boolean =>
  given.some(({ names }) => names.some(({ inside }) => inside === name))
