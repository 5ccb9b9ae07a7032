/** The global object, `process` and `require` as values: what is taken from them elsewhere is not seen. */
import type { Place } from "../syntax/Module.js"
import { child, children, isWrapper, type Node, text } from "../syntax/Node.js"
import { isAt, type Reference } from "../syntax/Reference.js"
import { at, type File, type Finder, nothing, type Verdict } from "./Finding.js"
import { verdictOf } from "./Verdict.js"

const escaping = (reference: Reference | undefined): Verdict | undefined => {
  if (reference === undefined) return undefined
  if (isAt(reference, "global")) return { what: "globalThis", remedy: "globals" }
  if (isAt(reference, "global", "process")) return { what: "process", remedy: "globals" }
  if (isAt(reference, "require")) return { what: "require", remedy: "code" }
  return undefined
}

const isSame = (a: Reference | undefined, b: Reference): boolean =>
  a?.root.kind === b.root.kind && a.keys.join("\n") === b.keys.join("\n")

/** A name, or keys that are written out: what such a pattern takes is followed. */
const isFollowed = (pattern: Node | undefined): boolean =>
  pattern?.type === "Identifier" ||
  (pattern?.type === "ObjectPattern" &&
    children(pattern, "properties").every(({ type }) => type === "Property"))

/** `export const g = globalThis`: other files take from it what they like. */
const isExported = ({ node, parent }: Place): boolean =>
  child(node, "id")?.type === "Identifier" && parent?.parent?.node.type === "ExportNamedDeclaration"

const compared = new Set(["===", "!==", "==", "!=", "in", "instanceof"])

const isReflected = (call: Node, used: Node, { references }: File, { scope }: Place): boolean => {
  const callee = references.of(child(call, "callee"), scope)
  const [first, second] = children(call, "arguments")
  if (callee === undefined || first !== used) return false
  if (isAt(callee, "global", "Reflect", "has")) return true
  return isAt(callee, "global", "Reflect", "get") && references.constant(second, scope) !== undefined
}

/** What a user of the value does with it: it stays where it can be followed, goes on to who uses the user, or neither. */
type Fate = "stays" | "goes on" | "escapes"

const when = (stays: boolean): Fate => (stays ? "stays" : "escapes")

const fateOf = (used: Node, parent: Place, reference: Reference, file: File): Fate => {
  const { node: user, scope } = parent
  const { references } = file
  const passedOn = (): Fate => (isSame(references.of(user, scope), reference) ? "goes on" : "escapes")
  if (isWrapper(user)) return "goes on"
  switch (user.type) {
    case "MemberExpression":
      return when(child(user, "object") === used)
    case "TSQualifiedName":
    case "TSImportEqualsDeclaration":
    case "ExpressionStatement":
    case "IfStatement":
    case "ImportExpression":
    case "UnaryExpression":
      return "stays"
    case "VariableDeclarator":
      return when(isFollowed(child(user, "id")) && !isExported(parent))
    case "AssignmentExpression":
    case "AssignmentPattern":
      return when(child(user, "left") === used || isFollowed(child(user, "left")))
    case "BinaryExpression":
      return when(compared.has(text(user, "operator") ?? ""))
    case "ConditionalExpression":
      return child(user, "test") === used ? "stays" : passedOn()
    case "LogicalExpression":
      return passedOn()
    case "SequenceExpression":
      return children(user, "expressions").at(-1) === used ? passedOn() : "stays"
    case "CallExpression":
    case "NewExpression":
      return when(
        child(user, "callee") === used ||
          isReflected(user, used, file, parent) ||
          // `fetch.call(globalThis)`: the call itself was found.
          verdictOf(references.of(child(user, "callee"), scope)) !== undefined
      )
    default:
      return "escapes"
  }
}

/** Further out than this nobody looks. */
const HEIGHT = 50

const stays = (place: Place, reference: Reference, file: File): boolean => {
  let at = place
  for (let height = 0; at.parent !== undefined && height < HEIGHT; height += 1) {
    const fate = fateOf(at.node, at.parent, reference, file)
    if (fate !== "goes on") return fate === "stays"
    at = at.parent
  }
  return at.parent === undefined
}

const looked = new Set(["Identifier", "MemberExpression", "CallExpression", "ImportExpression"])

export const escapes: Finder = (place, file) => {
  const { node, scope } = place
  if (!looked.has(node.type) || file.module.bound.has(node)) return nothing
  const reference = file.references.of(node, scope)
  const verdict = escaping(reference)
  if (reference === undefined || verdict === undefined || stays(place, reference, file)) return nothing
  return at(node, verdict)
}
