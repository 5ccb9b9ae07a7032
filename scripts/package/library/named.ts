import ts from "typescript"

const isFile = (symbol: ts.Symbol) => symbol.declarations?.some(ts.isSourceFile) === true

export interface Named {
  /** Files that declare something to be used. */
  readonly used: ReadonlySet<string>
  /** Files that declare types alone. The declaration of a type says all that its source does. */
  readonly typesAlone: ReadonlySet<string>
}

/**
 * The files that declare what a user of the entry points can name: what they export, and the members of the
 * namespaces among it.
 */
export const filesNamed = (program: ts.Program, entries: ReadonlyArray<string>): Named => {
  const checker = program.getTypeChecker()
  const used = new Set<string>()
  const typed = new Set<string>()
  const seen = new Set<ts.Symbol>()

  const visit = (exported: ts.Symbol): void => {
    const symbol = exported.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(exported) : exported
    if (seen.has(symbol)) return
    seen.add(symbol)
    const files = symbol.flags & ts.SymbolFlags.Value ? used : typed
    for (const declaration of symbol.declarations ?? []) files.add(declaration.getSourceFile().fileName)
    if (isFile(symbol)) checker.getExportsOfModule(symbol).forEach(visit)
  }

  for (const entry of entries) {
    const file = program.getSourceFile(entry)
    const module = file && checker.getSymbolAtLocation(file)
    if (module === undefined) throw new Error(`${entry} is no module of the library`)
    visit(module)
  }
  return { used, typesAlone: new Set([...typed].filter((file) => !used.has(file))) }
}
