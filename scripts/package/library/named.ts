import ts from "typescript"

const isFile = (symbol: ts.Symbol) => symbol.declarations?.some(ts.isSourceFile) === true

/**
 * The files that declare what a user of the entry points can name: what they export, and the members of the
 * namespaces among it.
 */
export const filesNamed = (program: ts.Program, entries: ReadonlyArray<string>): ReadonlySet<string> => {
  const checker = program.getTypeChecker()
  const files = new Set<string>()
  const seen = new Set<ts.Symbol>()

  const visit = (exported: ts.Symbol): void => {
    const symbol = exported.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(exported) : exported
    if (seen.has(symbol)) return
    seen.add(symbol)
    for (const declaration of symbol.declarations ?? []) files.add(declaration.getSourceFile().fileName)
    if (isFile(symbol)) checker.getExportsOfModule(symbol).forEach(visit)
  }

  for (const entry of entries) {
    const file = program.getSourceFile(entry)
    const module = file && checker.getSymbolAtLocation(file)
    if (module === undefined) throw new Error(`${entry} is no module of the library`)
    visit(module)
  }
  return files
}
