/**
 * Members of classes that nothing uses. The compiler sees private ones, and knip sees what a module exports; what a
 * class offers to the rest of the house is seen here.
 */
import { relative } from "node:path"
import ts from "typescript"

type Member = ts.MethodDeclaration | ts.PropertyDeclaration | ts.AccessorDeclaration

const isMember = (node: ts.ClassElement): node is Member =>
  ts.isMethodDeclaration(node) || ts.isPropertyDeclaration(node) || ts.isAccessor(node)

/** What is private the compiler looks after; what has a symbol for a name is for the runtime; an override is called by its base. */
const isOffered = (node: ts.ClassElement): node is Member =>
  isMember(node) &&
  ts.isIdentifier(node.name) &&
  !["toString", "toJSON"].includes(node.name.text) &&
  (ts.getCombinedModifierFlags(node) & (ts.ModifierFlags.Private | ts.ModifierFlags.Override)) === 0

/** A method of an interface that the class implements is called by whoever holds the interface. */
const isDemanded = (checker: ts.TypeChecker, of: ts.ClassLikeDeclaration, name: string): boolean =>
  (of.heritageClauses ?? [])
    .filter(({ token }) => token === ts.SyntaxKind.ImplementsKeyword)
    .flatMap(({ types }) => types)
    .some((type) => checker.getTypeAtLocation(type).getProperty(name) !== undefined)

/** Everything that can be reached from what the entry modules export, namespaces included. */
const exportedBy = (
  checker: ts.TypeChecker,
  entries: ReadonlyArray<ts.SourceFile>
): ReadonlySet<ts.Symbol> => {
  const found = new Set<ts.Symbol>()
  const visit = (module: ts.Symbol): void => {
    for (const one of checker.getExportsOfModule(module)) {
      const symbol = one.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(one) : one
      if (found.has(symbol)) continue
      found.add(symbol)
      if (symbol.flags & ts.SymbolFlags.ValueModule) visit(symbol)
    }
  }
  for (const entry of entries) {
    const module = checker.getSymbolAtLocation(entry)
    if (module !== undefined) visit(module)
  }
  return found
}

export interface Asked {
  readonly program: ts.Program
  readonly root: string
  /** Whether a file is one whose classes are looked at. */
  readonly isSource: (path: string) => boolean
  /** The modules that users import: what their classes offer is for users, and a test of it is use enough. */
  readonly entries: ReadonlyArray<string>
}

/** A sentence for each member that is unused. */
export const unusedMembers = ({ entries, isSource, program, root }: Asked): ReadonlyArray<string> => {
  const checker = program.getTypeChecker()
  const files = program.getSourceFiles().filter((file) => !file.isDeclarationFile)
  const isPublic = exportedBy(
    checker,
    files.filter((file) => entries.includes(relative(root, file.fileName)))
  )
  const offered = new Map<ts.Symbol, { readonly member: Member; readonly open: boolean }>()
  const collect = (node: ts.Node): void => {
    if (ts.isClassLike(node)) {
      const of = checker.getSymbolAtLocation(node.name ?? node)
      for (const member of node.members.filter(isOffered)) {
        const symbol = checker.getSymbolAtLocation(member.name)
        if (symbol !== undefined && !isDemanded(checker, node, member.name.getText())) {
          offered.set(symbol, { member, open: of !== undefined && isPublic.has(of) })
        }
      }
    }
    ts.forEachChild(node, collect)
  }
  for (const file of files) if (isSource(relative(root, file.fileName))) collect(file)

  const used = new Set<ts.Symbol>()
  const mark = (symbol: ts.Symbol | undefined, inSource: boolean): void => {
    if (symbol === undefined) return
    // What is generic, or of a union, is a symbol of its own that remembers what it was made from.
    for (const one of [symbol, ...checker.getRootSymbols(symbol)]) {
      const of = offered.get(one)
      if (of !== undefined && (inSource || of.open)) used.add(one)
    }
  }
  const look = (node: ts.Node, inSource: boolean, names: ReadonlySet<string>): void => {
    if (ts.isIdentifier(node) && names.has(node.text)) {
      const { parent } = node
      if (ts.isBindingElement(parent) && ts.isObjectBindingPattern(parent.parent)) {
        mark(checker.getTypeAtLocation(parent.parent).getProperty(node.text), inSource)
      } else if (!(isMember(parent as ts.ClassElement) && (parent as Member).name === node)) {
        mark(checker.getSymbolAtLocation(node), inSource)
      }
    }
    ts.forEachChild(node, (child) => look(child, inSource, names))
  }
  const lookIn = (inSource: boolean): void => {
    const asked = [...offered].filter(([symbol, { open }]) => (inSource || open) && !used.has(symbol))
    const names = new Set(asked.map(([, { member }]) => member.name.getText()))
    for (const file of files) {
      if (isSource(relative(root, file.fileName)) === inSource) look(file, inSource, names)
    }
  }
  // What the sources use need not be looked for in tests, whose types cost more than all of these.
  lookIn(true)
  lookIn(false)

  return [...offered].flatMap(([symbol, { member }]) => {
    if (used.has(symbol)) return []
    const file = member.getSourceFile()
    const { line } = file.getLineAndCharacterOfPosition(member.name.getStart())
    const of = (member.parent as ts.ClassLikeDeclaration).name?.text ?? "a class"
    return [
      `${relative(root, file.fileName)}:${line + 1} nothing uses ${of}.${member.name.getText()}; delete it`
    ]
  })
}
