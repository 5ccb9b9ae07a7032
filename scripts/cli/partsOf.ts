/** One module of `dist` as a function in a script: it takes from others, and returns what it gives. */
import { posix } from "node:path"
import ts from "typescript"
import { type Part, pinned } from "../../src/cli/parts.js"
import { inOrder, replacing } from "../package/library/edit.js"
import type { Module, Taken } from "../package/library/modules.js"
import { isBundled } from "./packages.js"
import { pinnedValue } from "./pinned.js"

/** Packages that are large, and in the way of every start although few calls use them. */
const large = ["re2js", "tldts"]

/** The address of a module: in a script that of the entry, which lies in a folder of `dist` as all modules do. */
const HERE = `require("node:url").pathToFileURL(require.resolve("./main.js")).href`

/** Where a module has its place among the others, and its text among the files. */
export interface Places {
  readonly moduleAt: (path: string) => number
  readonly fileAt: (path: string) => number
}

export const isOwn = (from: string): boolean => from.startsWith(".")

/** The path of a module that another names. */
export const placeOf = ({ path }: Module, from: string): string => posix.join(posix.dirname(path), from)

const loaded = (module: Module, from: string, { moduleAt }: Places): string => {
  if (isOwn(from)) return `$module(${moduleAt(placeOf(module, from))})`
  if (from === pinned.name) return pinnedValue
  return `${isBundled(from) ? "$packages" : "require"}(${JSON.stringify(from)})`
}

/** The names between braces, as the pattern or the object that they stand for. */
const named = (file: number, braces: ts.Node, as: string): Part => [file, braces.getStart(), braces.end, as]

const taking = (module: Module, { clause, from, names }: Taken, places: Places): ReadonlyArray<Part> => {
  const value = loaded(module, from, places)
  const braces = clause.importClause?.namedBindings
  if (names.length === 0) return [`${value};`]
  return [
    ...names
      .filter(({ outside }) => outside === "default" || outside === "*")
      .map(({ inside }) => `const ${inside}=${value};`),
    ...(braces !== undefined && ts.isNamedImports(braces)
      ? ["const", named(places.fileAt(module.path), braces, "$1:$2"), `=${value};`]
      : [])
  ]
}

/** The text between what is taken and what is given, in which other modules are loaded as they are in a script. */
const body = (module: Module, places: Places): ReadonlyArray<Part> => {
  const { addresses, given, later, taken, text, uses } = module
  const edits = inOrder([
    ...[...taken, ...given].map(({ clause }) => replacing(clause, "")),
    ...later.map(({ call, from }) =>
      from !== undefined && isOwn(from)
        ? replacing(call, `(async()=>${loaded(module, from, places)})()`)
        : replacing(call.expression, "$import")
    ),
    ...addresses.map((node) => replacing(node, HERE)),
    ...taken
      .filter(({ from }) => large.includes(from))
      .flatMap(({ from, names }) =>
        names.flatMap(({ inside, outside }) =>
          uses(inside).map((use) => replacing(use, `${loaded(module, from, places)}.${outside}`))
        )
      )
  ])
  const file = places.fileAt(module.path)
  const ends = [...edits.map(({ from }) => from), text.length]
  const stretch = (at: number): Part => [file, edits[at - 1]?.to ?? 0, ends[at] ?? 0]
  return [stretch(0), ...edits.flatMap(({ by }, at) => [by, stretch(at + 1)])]
}

const changes = (use: ts.Identifier): boolean => {
  const { parent } = use
  if (ts.isBinaryExpression(parent)) {
    const { kind } = parent.operatorToken
    return (
      parent.left === use && kind >= ts.SyntaxKind.FirstAssignment && kind <= ts.SyntaxKind.LastAssignment
    )
  }
  return (
    (ts.isPrefixUnaryExpression(parent) || ts.isPostfixUnaryExpression(parent)) &&
    (parent.operator === ts.SyntaxKind.PlusPlusToken || parent.operator === ts.SyntaxKind.MinusMinusToken)
  )
}

const isInFunction = (node: ts.Node): boolean =>
  !ts.isSourceFile(node) && (ts.isFunctionLike(node) || isInFunction(node.parent))

/** Others take what a module gives once, when it has run: it may set that up, and may not change it later. */
const check = ({ given, path, spells, uses }: Module): void => {
  const changed = given
    .flatMap(({ names }) => names)
    .find(({ inside }) => uses(inside).some((use) => changes(use) && isInFunction(use)))
  if (changed !== undefined) throw new Error(`${path} changes ${changed.inside}, which it exports`)
  const taken = [
    "$all",
    "$files",
    "$import",
    "$kept",
    "$module",
    "$packages",
    "$pinned",
    "$ran",
    "require"
  ].find(spells)
  if (taken !== undefined) throw new Error(`${path} has a name ${taken} of its own`)
}

export const partsOf = (module: Module, places: Places): ReadonlyArray<Part> => {
  check(module)
  const [given] = module.given
  return [
    "()=>{",
    ...module.taken
      .filter(({ from }) => !large.includes(from))
      .flatMap((taken) => taking(module, taken, places)),
    ...body(module, places),
    ";return",
    given?.clause.exportClause === undefined
      ? "{}"
      : named(places.fileAt(module.path), given.clause.exportClause, "$2:$1"),
    "},"
  ]
}
