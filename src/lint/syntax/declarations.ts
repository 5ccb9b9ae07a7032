/** The names that a file binds, with what each may hold. */
import { child, children, isFunction, literalOf, type Node, text } from "./Node.js"
import { type Target, targetsOf } from "./patterns.js"
import { Binding, type Scope, type Source } from "./Scope.js"

export interface Taken {
  readonly target: Node
  readonly source: Source
}

/** Binds what a node declares. Assignments wait until every name is bound. */
export class Declarations {
  readonly bound = new Set<Node>()
  readonly taken: Array<Taken> = []
  readonly #assignments: Array<() => void> = []
  readonly #promised = new Map<Node, Given>()

  /** `around` is where a declaration is seen; `inside` is the scope that the node opens, if it does. */
  of(node: Node, around: Scope, inside: Scope): void {
    switch (node.type) {
      case "ImportDeclaration":
        this.#imports(node, around)
        break
      case "TSImportEqualsDeclaration":
        this.#bind(targetsOf(child(node, "id")), around, given(child(node, "moduleReference"), around))
        break
      case "VariableDeclaration":
        for (const one of children(node, "declarations")) {
          const scope = text(node, "kind") === "var" ? around.forVar : around
          this.#bind(targetsOf(child(one, "id")), scope, given(child(one, "init"), around))
        }
        break
      case "FunctionDeclaration":
      case "ClassDeclaration":
      case "TSEnumDeclaration":
      case "TSModuleDeclaration":
        this.#bind(targetsOf(child(node, "id")), around)
        break
      case "FunctionExpression":
      case "ClassExpression":
        this.#bind(targetsOf(child(node, "id")), inside)
        break
      case "CatchClause":
        this.#bind(targetsOf(child(node, "param")), inside)
        break
      case "AssignmentExpression":
        this.#assignments.push(() => this.#assign(node, around))
        break
      case "CallExpression":
        this.#awaits(node, around)
        break
    }
    if (isFunction(node)) this.#parameters(node, inside)
  }

  finish(): void {
    for (const assign of this.#assignments) assign()
  }

  #parameters(node: Node, inside: Scope): void {
    const promised = this.#promised.get(node)
    for (const [index, parameter] of children(node, "params").entries())
      this.#bind(targetsOf(parameter), inside, index === 0 ? promised : undefined)
  }

  #bind(targets: ReadonlyArray<Target>, scope: Scope, value?: Given): void {
    for (const target of targets) {
      const name = nameOf(target.node)
      if (name === undefined) continue
      this.bound.add(target.node)
      this.#hold(target, scope.bind(name), scope, value)
    }
  }

  #assign(node: Node, scope: Scope): void {
    const value = given(child(node, "right"), scope)
    for (const target of targetsOf(child(node, "left"))) {
      const name = nameOf(target.node)
      const binding = name === undefined ? undefined : scope.find(name)
      if (binding !== undefined) this.bound.add(target.node)
      this.#hold(target, binding, scope, value)
    }
  }

  #hold({ fallbacks, keys, node }: Target, binding: Binding | undefined, scope: Scope, value?: Given): void {
    const sources = fallbacks.map((fallback) => ({ ...fallback, scope }))
    if (value !== undefined && keys !== undefined) sources.unshift({ ...value, keys })
    for (const source of sources) {
      binding?.sources.push(source)
      if (source.keys.length > 0) this.taken.push({ target: node, source })
    }
  }

  #imports(node: Node, scope: Scope): void {
    const module = literalOf(child(node, "source"))
    for (const specifier of children(node, "specifiers")) {
      const local = child(specifier, "local")
      const name = text(local, "name")
      if (local === undefined || name === undefined || text(specifier, "importKind") === "type") continue
      this.bound.add(local)
      const keys = importedKeys(specifier)
      scope.bind(name, module === undefined ? new Binding() : new Binding({ module, keys }))
    }
  }

  /** `import("effect").then((it) => …)`: the parameter is what was imported. */
  #awaits(node: Node, scope: Scope): void {
    const callee = child(node, "callee")
    const value = given(child(callee, "object"), scope)
    const [next] = children(node, "arguments")
    if (value === undefined || next === undefined || !isFunction(next)) return
    if (text(child(callee, "property"), "name") === "then") this.#promised.set(next, value)
  }
}

type Given = Pick<Source, "node" | "scope">

const given = (node: Node | undefined, scope: Scope): Given | undefined =>
  node === undefined ? undefined : { node, scope }

const nameOf = (node: Node): string | undefined =>
  node.type === "Identifier" ? text(node, "name") : undefined

export const importedKeys = (specifier: Node): ReadonlyArray<string> => {
  if (specifier.type === "ImportDefaultSpecifier") return ["default"]
  if (specifier.type !== "ImportSpecifier") return []
  const imported = child(specifier, "imported")
  return [text(imported, "name") ?? literalOf(imported) ?? "default"]
}
