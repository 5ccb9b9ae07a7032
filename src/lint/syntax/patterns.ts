/** The names in a pattern, each with the keys that lead to it. */
import { child, children, isSet, literalOf, type Node, text } from "./Node.js"
import type { Key } from "./Scope.js"

export interface Target {
  /** The identifier that is bound, or the expression that is assigned to. */
  readonly node: Node
  /** From the value that is taken apart; nothing where a rest or a position stands between. */
  readonly keys: ReadonlyArray<Key> | undefined
  /** What is taken apart in its place where there is nothing, and the keys from there. */
  readonly fallbacks: ReadonlyArray<{ readonly node: Node; readonly keys: ReadonlyArray<Key> }>
}

const keyOfProperty = (property: Node): Key => {
  const key = child(property, "key")
  if (isSet(property, "computed")) return literalOf(key)
  return text(key, "name") ?? literalOf(key)
}

export const targetsOf = (
  pattern: Node | undefined,
  keys: ReadonlyArray<Key> | undefined = []
): ReadonlyArray<Target> => {
  if (pattern === undefined) return []
  switch (pattern.type) {
    case "AssignmentPattern": {
      const right = child(pattern, "right")
      const depth = keys?.length ?? 0
      return targetsOf(child(pattern, "left"), keys ?? []).map((target) => {
        const rest = target.keys?.slice(depth)
        const fallback = right === undefined || rest === undefined ? [] : [{ node: right, keys: rest }]
        return {
          ...target,
          keys: keys === undefined ? undefined : target.keys,
          fallbacks: [...target.fallbacks, ...fallback]
        }
      })
    }
    case "ObjectPattern":
      return children(pattern, "properties").flatMap((property) =>
        property.type === "Property"
          ? targetsOf(child(property, "value"), keys && [...keys, keyOfProperty(property)])
          : targetsOf(child(property, "argument"), undefined)
      )
    case "ArrayPattern":
      return children(pattern, "elements").flatMap((element) => targetsOf(element, undefined))
    case "RestElement":
      return targetsOf(child(pattern, "argument"), undefined)
    case "TSParameterProperty":
      return targetsOf(child(pattern, "parameter"), keys)
    default:
      return [{ node: pattern, keys, fallbacks: [] }]
  }
}
