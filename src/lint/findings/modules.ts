/** Modules, in every form in which one can be named. */
import { importedKeys } from "../syntax/Module.js"
import { child, children, literalOf, type Node, text } from "../syntax/Node.js"
import { below, isAt, moduleReference } from "../syntax/Reference.js"
import { at, type Finder, type Finding, nothing } from "./Finding.js"
import { isInPart, verdictOf } from "./Verdict.js"

const isType = (specifier: Node): boolean =>
  text(specifier, "importKind") === "type" || text(specifier, "exportKind") === "type"

const exportedKeys = (specifier: Node): ReadonlyArray<string> => {
  const local = child(specifier, "local")
  return [text(local, "name") ?? literalOf(local) ?? "default"]
}

/** The module once, or else each name that is taken from it. */
const named = (
  node: Node,
  specifiers: ReadonlyArray<Node>,
  keysOf: (specifier: Node) => ReadonlyArray<string>
): ReadonlyArray<Finding> => {
  const name = literalOf(child(node, "source"))
  if (name === undefined || (specifiers.length > 0 && specifiers.every(isType))) return nothing
  const module = moduleReference(name)
  const whole = verdictOf(module)
  if (whole !== undefined) return at(node, whole)
  return specifiers
    .filter((specifier) => !isType(specifier))
    .flatMap((specifier) => at(specifier, verdictOf(below(module, keysOf(specifier)))))
}

const all = (node: Node): ReadonlyArray<Finding> => {
  const name = literalOf(child(node, "source"))
  if (name === undefined) return nothing
  const whole = verdictOf(moduleReference(name))
  if (whole !== undefined) return at(node, whole)
  return isInPart(name) ? at(node, { what: `export * from "${name}"`, remedy: "named" }) : nothing
}

export const modules: Finder = ({ node, scope }, { references }) => {
  const loaded = (argument: Node | undefined, what: string) =>
    references.constant(argument, scope) === undefined
      ? at(node, { what, remedy: "code" })
      : at(node, verdictOf(references.of(node, scope)))
  switch (node.type) {
    case "ImportDeclaration":
      return named(node, children(node, "specifiers"), importedKeys)
    case "ExportNamedDeclaration":
      return named(node, children(node, "specifiers"), exportedKeys)
    case "ExportAllDeclaration":
      return all(node)
    case "ImportExpression":
      return loaded(child(node, "source"), "import(…)")
    case "TSExternalModuleReference":
      return at(node, verdictOf(references.of(node, scope)))
    case "CallExpression": {
      const callee = references.of(child(node, "callee"), scope)
      return callee !== undefined && isAt(callee, "require")
        ? loaded(children(node, "arguments")[0], "require(…)")
        : nothing
    }
    default:
      return nothing
  }
}
