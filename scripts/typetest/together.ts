/**
 * The type tests as few modules. A compiler that is given a file begins anew with every type that the file mentions, and
 * the files mention the same ones: together they take a third of the time.
 */
import { join, relative, sep } from "node:path"
import ts from "typescript"
import { root } from "../lib/project.js"

/** A name that stands at the top of a module, and may stand there for several tests. */
interface Shared {
  /** Without the word `type`. Two that are written the same are the same. */
  readonly text: string
  readonly isType: boolean
}

interface TypeTest {
  readonly file: string
  readonly shared: ReadonlyMap<string, Shared>
  /** The rest, which may stand in a block; `undefined` when it may not. */
  readonly body: string | undefined
}

type Named = readonly [name: string, shared: Shared]

/** As `folder` finds what a test finds from its own. */
const specifierFrom = (folder: string, { moduleSpecifier }: ts.ImportDeclaration): string => {
  const module = (moduleSpecifier as ts.StringLiteral).text
  const path = relative(folder, join(root, "typetest", module))
    .split(sep)
    .join("/")
  return JSON.stringify(module.startsWith(".") ? path : module)
}

const importsOf = (folder: string, statement: ts.ImportDeclaration): ReadonlyArray<Named> | undefined => {
  const { importClause: clause } = statement
  const bindings = clause?.namedBindings
  if (clause === undefined || clause.name !== undefined || bindings === undefined) return undefined
  const from = specifierFrom(folder, statement)
  if (ts.isNamespaceImport(bindings)) {
    const text = `* as ${bindings.name.text} from ${from}`
    return [[bindings.name.text, { text, isType: clause.isTypeOnly }]]
  }
  return bindings.elements.map((element) => [
    element.name.text,
    {
      text: `{ ${[element.propertyName, element.name].flatMap((name) => name?.text ?? []).join(" as ")} } from ${from}`,
      isType: clause.isTypeOnly || element.isTypeOnly
    }
  ])
}

/** `declare const` stands at the top or nowhere. */
const ambientOf = (statement: ts.Statement): Named | undefined => {
  if (!ts.isVariableStatement(statement)) return undefined
  const [first, ...others] = statement.declarationList.declarations
  const isAmbient = statement.modifiers?.some(({ kind }) => kind === ts.SyntaxKind.DeclareKeyword)
  if (first === undefined || others.length > 0 || isAmbient !== true) return undefined
  return [first.name.getText(), { text: statement.getText(), isType: false }]
}

const mayStandInABlock = (statement: ts.Statement): boolean =>
  !(
    ts.isModuleDeclaration(statement) ||
    ts.isExportDeclaration(statement) ||
    ts.isExportAssignment(statement)
  ) && (ts.canHaveModifiers(statement) ? ts.getModifiers(statement) : undefined) === undefined

/** `folder` is where the module will stand. */
export const readTypeTest = (folder: string, file: string, text: string): TypeTest => {
  const source = ts.createSourceFile(file, text, ts.ScriptTarget.ESNext, true)
  const shared = new Map<string, Shared>()
  let body = ""
  for (const statement of source.statements) {
    const ambient = ambientOf(statement)
    const found = ts.isImportDeclaration(statement)
      ? importsOf(folder, statement)
      : ambient === undefined
        ? []
        : [ambient]
    if (found === undefined) return { file, shared, body: undefined }
    for (const [name, one] of found) shared.set(name, one)
    if (found.length > 0) continue
    if (!mayStandInABlock(statement)) return { file, shared, body: undefined }
    body += statement.getFullText()
  }
  return { file, shared, body }
}

const written = ({ isType, text }: Shared): string =>
  text.startsWith("declare ") ? text : `import ${isType ? "type " : ""}${text}`

/** Modules in which every test stands once, each in a block; and the files of those that must stay as they are. */
export const together = (tests: ReadonlyArray<TypeTest>) => {
  const modules: Array<{ readonly shared: Map<string, Shared>; readonly blocks: Array<string> }> = []
  const apart: Array<string> = []
  for (const { body, file, shared } of tests) {
    if (body === undefined) {
      apart.push(file)
      continue
    }
    const fits = modules.find((module) =>
      [...shared].every(([name, { text }]) => (module.shared.get(name) ?? { text }).text === text)
    )
    const module = fits ?? { shared: new Map<string, Shared>(), blocks: [] }
    if (fits === undefined) modules.push(module)
    for (const [name, one] of shared) {
      // A type that another test has as a value is imported as one.
      module.shared.set(name, { ...one, isType: one.isType && module.shared.get(name)?.isType !== false })
    }
    module.blocks.push(`{${body}\n}`)
  }
  return {
    apart,
    modules: modules.map(({ blocks, shared }) => [...[...shared.values()].map(written), ...blocks].join("\n"))
  }
}
