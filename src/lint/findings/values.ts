/** Globals, and what is taken out of globals and of modules, by name, by member and by taking apart. */
import type { Place, Taken } from "../syntax/Module.js"
import { child, children, isWrapper, type Node, text } from "../syntax/Node.js"
import { below, isAt } from "../syntax/Reference.js"
import { at, type File, type Finder, type Finding, nothing } from "./Finding.js"
import { verdictOf } from "./Verdict.js"

/** The nearest node around that does something with the value. */
const userOf = (place: Place): { readonly used: Node; readonly user: Node | undefined } => {
  let { node: used, parent } = place
  while (parent !== undefined && isWrapper(parent.node)) {
    used = parent.node
    parent = parent.parent
  }
  return { used, user: parent?.node }
}

/** To ask whether something is there is not to use it. */
const isOnlyAskedFor = (place: Place): boolean => {
  const { user } = userOf(place)
  return user?.type === "UnaryExpression" && text(user, "operator") === "typeof"
}

/** `f instanceof Function` and `Function.prototype` make no code. */
const isTheTypeFunction = (place: Place): boolean => {
  const { used, user } = userOf(place)
  if (text(place.node, "name") !== "Function" || user === undefined) return false
  if (user.type === "BinaryExpression") return text(user, "operator") === "instanceof"
  return (
    user.type === "MemberExpression" &&
    child(user, "object") === used &&
    text(child(user, "property"), "name") === "prototype"
  )
}

const ofIdentifier = (place: Place, { module, references }: File): ReadonlyArray<Finding> => {
  const { node, parent, scope } = place
  const name = text(node, "name")
  if (name === undefined || module.bound.has(node) || scope.find(name) !== undefined) return nothing
  if (parent?.node.type === "ExportSpecifier" || isOnlyAskedFor(place) || isTheTypeFunction(place))
    return nothing
  return at(node, verdictOf(references.of(node, scope)))
}

/** Only the step that leads there: what is below it was found already. */
const ofStep = (place: Place, from: Node | undefined, { references }: File): ReadonlyArray<Finding> => {
  const { node, scope } = place
  if (isOnlyAskedFor(place) || verdictOf(references.of(from, scope)) !== undefined) return nothing
  return at(node, verdictOf(references.of(node, scope)))
}

export const values: Finder = (place, file) => {
  const { node, scope } = place
  switch (node.type) {
    case "Identifier":
      return ofIdentifier(place, file)
    case "MemberExpression":
      return ofStep(place, child(node, "object"), file)
    case "TSQualifiedName":
      return ofStep(place, child(node, "left"), file)
    case "CallExpression": {
      const callee = file.references.of(child(node, "callee"), scope)
      const [from] = children(node, "arguments")
      return callee !== undefined && isAt(callee, "global", "Reflect", "get")
        ? ofStep(place, from, file)
        : nothing
    }
    default:
      return nothing
  }
}

export const takenApart = ({ source, target }: Taken, { references }: File): ReadonlyArray<Finding> => {
  const from = references.of(source.node, source.scope)
  return verdictOf(from) === undefined ? at(target, verdictOf(below(from, source.keys))) : nothing
}
