/** Code from text, by other ways than `eval` and `Function`, which are globals like others. */
import type { Place } from "../syntax/Module.js"
import { child, children, isFunction, type Node, text, unwrapped } from "../syntax/Node.js"
import { isAt } from "../syntax/Reference.js"
import { at, type File, type Finder, nothing } from "./Finding.js"

const timers = ["setTimeout", "setInterval", "setImmediate"]

const isText = (node: Node | undefined, { references }: File, { scope }: Place): boolean => {
  const inner = unwrapped(node)
  if (inner?.type === "TemplateLiteral" || typeof references.constant(inner, scope) === "string") return true
  if (inner?.type !== "BinaryExpression" || text(inner, "operator") !== "+") return false
  const sides = [child(inner, "left"), child(inner, "right")]
  return sides.some((side) => side?.type === "TemplateLiteral" || text(side, "value") !== undefined)
}

const isConstructor = (node: Node | undefined, file: File, { scope }: Place): boolean =>
  node?.type === "MemberExpression" && file.references.key(node, scope) === "constructor"

/** A function, or what `Object.getPrototypeOf` and `__proto__` give of one. */
const isOfFunctions = (expression: Node | undefined, file: File, place: Place): boolean => {
  const node = unwrapped(expression)
  if (node === undefined) return false
  if (isFunction(node) || isConstructor(node, file, place)) return true
  const { references } = file
  const reference = references.of(node, place.scope)
  if (reference !== undefined && isAt(reference, "global", "Function", "prototype")) return true
  if (node.type === "MemberExpression") {
    const isPrototype = references.key(node, place.scope) === "__proto__"
    return isPrototype && isOfFunctions(child(node, "object"), file, place)
  }
  const callee =
    node.type === "CallExpression" ? references.of(child(node, "callee"), place.scope) : undefined
  const isPrototype = callee?.root.kind === "global" && callee.keys.at(-1) === "getPrototypeOf"
  return isPrototype && isOfFunctions(children(node, "arguments")[0], file, place)
}

export const code: Finder = (place, file) => {
  const { node, scope } = place
  if (isConstructor(node, file, place))
    return isOfFunctions(child(node, "object"), file, place)
      ? at(node, { what: "the constructor of functions", remedy: "code" })
      : nothing
  if (node.type !== "CallExpression" && node.type !== "NewExpression") return nothing
  const [first] = children(node, "arguments")
  if (!isText(first, file, place)) return nothing
  const callee = unwrapped(child(node, "callee"))
  const reference = file.references.of(callee, scope)
  const timer = timers.find((name) => reference !== undefined && isAt(reference, "global", name))
  if (timer !== undefined) return at(node, { what: `${timer} with text`, remedy: "code" })
  const object = unwrapped(child(callee, "object"))
  // `new this.constructor("name")` makes another of the same class.
  if (object === undefined || object.type === "ThisExpression" || isOfFunctions(object, file, place))
    return nothing
  return isConstructor(callee, file, place)
    ? at(node, { what: "a constructor with text", remedy: "code" })
    : nothing
}
