/** One file: every node that runs, with what stands around it and the names that it can see. */
import { Declarations, type Taken } from "./declarations.js"
import { isFunction, type Node, partsOf } from "./Node.js"
import { Scope } from "./Scope.js"

export { importedKeys, type Taken } from "./declarations.js"

export interface Place {
  readonly node: Node
  readonly parent: Place | undefined
  readonly scope: Scope
}

export interface Module {
  /** In the order of the text, parents first. */
  readonly places: ReadonlyArray<Place>
  /** Identifiers that are names of bindings, and not uses of them. */
  readonly bound: ReadonlySet<Node>
  /** What is taken out of a value by taking it apart. */
  readonly taken: ReadonlyArray<Taken>
}

const opensScope = (node: Node): boolean => isFunction(node) || scoped.has(node.type)

const scoped = new Set([
  "BlockStatement",
  "CatchClause",
  "ClassDeclaration",
  "ClassExpression",
  "ForInStatement",
  "ForOfStatement",
  "ForStatement",
  "StaticBlock",
  "SwitchStatement",
  "TSModuleBlock"
])

const holdsVar = (node: Node): boolean =>
  isFunction(node) || node.type === "StaticBlock" || node.type === "TSModuleBlock"

/** Without recursion: expressions can be nested deeper than the stack is. */
export const moduleOf = (program: Node): Module => {
  const declarations = new Declarations()
  const places: Array<Place> = []
  const waiting: Array<Place> = [{ node: program, parent: undefined, scope: new Scope(undefined, true) }]
  for (let place = waiting.pop(); place !== undefined; place = waiting.pop()) {
    const { node, scope } = place
    places.push(place)
    const inside = opensScope(node) ? new Scope(scope, holdsVar(node)) : scope
    declarations.of(node, scope, inside)
    for (const part of [...partsOf(node)].reverse()) {
      waiting.push({ node: part, parent: place, scope: inside })
    }
  }
  declarations.finish()
  return { places, bound: declarations.bound, taken: declarations.taken }
}
