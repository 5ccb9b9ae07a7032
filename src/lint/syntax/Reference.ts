/**
 * What an expression stands for, where that is a global, a module, or something below one of them: `fetch`,
 * `globalThis.process.env`, `E.Config` of `import * as E from "effect"`, and every alias of these in the same file.
 */
import { roots } from "../tables/Globals.js"
import { child, children, cooked, isSet, literalOf, type Node, text, unwrapped } from "./Node.js"
import type { Key, Scope } from "./Scope.js"

export type Root =
  | { readonly kind: "global" | "require" | "commonjs" | "meta" }
  | { readonly kind: "module"; readonly name: string }

export interface Reference {
  readonly root: Root
  readonly keys: ReadonlyArray<Key>
}

/** Further than this nobody follows an alias who does not hide something. */
const DEPTH = 400

/** No name that means anything is longer. */
const LENGTH = 400

const GLOBAL: Reference = { root: { kind: "global" }, keys: [] }
const REQUIRE: Reference = { root: { kind: "require" }, keys: [] }

/** What is deeper has been found by then, or is nothing. */
const KEYS = 6

/** A symbol names nothing that the platform has. */
const SYMBOL = "a symbol"

export const moduleReference = (name: string): Reference =>
  /^(node:)?process$/.test(name)
    ? { root: GLOBAL.root, keys: ["process"] }
    : { root: { kind: "module", name }, keys: [] }

const step = (reference: Reference, key: Key): Reference => {
  const { keys, root } = reference
  if (key === "default" && (root.kind === "module" || keys.join() === "process")) return reference
  if (keys.length > 0) return keys.length < KEYS ? { root, keys: [...keys, key] } : reference
  if (root.kind === "global") {
    if (key !== undefined && roots.has(key)) return GLOBAL
    if (key === "require" || key === "__non_webpack_require__") return REQUIRE
    if (key === "module") return { root: { kind: "commonjs" }, keys: [] }
  }
  if ((root.kind === "commonjs" || root.kind === "meta") && key === "require") return REQUIRE
  return { root, keys: [key] }
}

export const below = (reference: Reference | undefined, keys: ReadonlyArray<Key>): Reference | undefined =>
  reference === undefined ? undefined : keys.reduce(step, reference)

export const isAt = ({ keys, root }: Reference, kind: Root["kind"], ...expected: ReadonlyArray<string>) =>
  root.kind === kind && keys.length === expected.length && expected.every((key, index) => keys[index] === key)

const isModule = (reference: Reference, name: string): boolean =>
  reference.root.kind === "module" && reference.root.name.replace(/^node:/, "") === name

const isSymbol = (reference: Reference | undefined): boolean =>
  reference?.root.kind === "global" && reference.keys[0] === "Symbol"

const joined = (parts: ReadonlyArray<string | undefined>): string | undefined => {
  if (parts.includes(undefined)) return undefined
  const whole = parts.join("")
  return whole.length > LENGTH ? undefined : whole
}

/**
 * Of one file. Every expression is answered once: names that are bound to one another could otherwise be followed in
 * more ways than there is time.
 */
export class References {
  readonly #known = new Map<Node, Reference | undefined>()
  readonly #constants = new Map<Node, string | undefined>()
  #depth = 0

  of(expression: Node | undefined, scope: Scope): Reference | undefined {
    return this.#once(this.#known, unwrapped(expression), (node) => this.#reference(node, scope))
  }

  /** The text that an expression is known to be. */
  constant(expression: Node | undefined, scope: Scope): string | undefined {
    return this.#once(this.#constants, unwrapped(expression), (node) => this.#text(node, scope))
  }

  /** The key of a member expression. */
  key(member: Node, scope: Scope): Key {
    const property = child(member, "property")
    return isSet(member, "computed") ? this.constant(property, scope) : text(property, "name")
  }

  /** Until it is known, an expression that leads back to itself stands for nothing. */
  #once<A>(
    known: Map<Node, A | undefined>,
    node: Node | undefined,
    find: (node: Node) => A | undefined
  ): A | undefined {
    if (node === undefined || this.#depth > DEPTH) return undefined
    if (known.has(node)) return known.get(node)
    known.set(node, undefined)
    this.#depth += 1
    const found = find(node)
    this.#depth -= 1
    known.set(node, found)
    return found
  }

  #module(expression: Node | undefined, scope: Scope): Reference | undefined {
    const name = this.constant(expression, scope)
    return name === undefined ? undefined : moduleReference(name)
  }

  #reference(node: Node, scope: Scope): Reference | undefined {
    const of = (key: string) => this.of(child(node, key), scope)
    switch (node.type) {
      case "Identifier":
        return this.#name(text(node, "name") ?? "", scope)
      case "MemberExpression":
        return below(of("object"), [this.key(node, scope)])
      case "TSQualifiedName":
        return below(of("left"), [text(child(node, "right"), "name")])
      case "TSExternalModuleReference":
        return this.#module(child(node, "expression"), scope)
      case "ImportExpression":
        return this.#module(child(node, "source"), scope)
      case "MetaProperty":
        return text(child(node, "meta"), "name") === "import"
          ? { root: { kind: "meta" }, keys: [] }
          : undefined
      case "CallExpression":
        return this.#call(node, scope)
      case "SequenceExpression":
        return this.of(children(node, "expressions").at(-1), scope)
      case "LogicalExpression":
        return of("left") ?? of("right")
      case "ConditionalExpression":
        return of("consequent") ?? of("alternate")
      case "AssignmentExpression":
        return of("right")
      default:
        return undefined
    }
  }

  #name(name: string, scope: Scope): Reference | undefined {
    const binding = scope.find(name)
    if (binding === undefined) return step(GLOBAL, name)
    const { imported, sources } = binding
    if (imported !== undefined) return below(moduleReference(imported.module), imported.keys)
    for (const source of sources) {
      const found = below(this.of(source.node, source.scope), source.keys)
      if (found !== undefined) return found
    }
    return undefined
  }

  #call(node: Node, scope: Scope): Reference | undefined {
    const callee = this.of(child(node, "callee"), scope)
    if (callee === undefined) return undefined
    const [first, second] = children(node, "arguments")
    if (isAt(callee, "require")) return this.#module(first, scope)
    if (isModule(callee, "module") && callee.keys.at(-1) === "createRequire") return REQUIRE
    return isAt(callee, "global", "Reflect", "get")
      ? below(this.of(first, scope), [this.constant(second, scope)])
      : undefined
  }

  #text(node: Node, scope: Scope): string | undefined {
    const of = (key: string) => this.constant(child(node, key), scope)
    switch (node.type) {
      case "Literal":
        return literalOf(node) ?? text(node, "raw")
      case "TemplateLiteral": {
        const expressions = children(node, "expressions").map((one) => this.constant(one, scope))
        const between = children(node, "quasis").map(cooked)
        return joined(between.flatMap((one, index) => (index === 0 ? [one] : [expressions[index - 1], one])))
      }
      case "BinaryExpression":
        return text(node, "operator") === "+" ? joined([of("left"), of("right")]) : undefined
      case "Identifier": {
        const [only, ...others] = scope.find(text(node, "name") ?? "")?.sources ?? []
        if (only === undefined || others.length > 0 || only.keys.length > 0) return undefined
        return this.constant(only.node, only.scope)
      }
      case "CallExpression":
        return isSymbol(this.of(child(node, "callee"), scope)) ? SYMBOL : undefined
      case "MemberExpression":
        return isSymbol(this.of(node, scope)) ? SYMBOL : undefined
      default:
        return undefined
    }
  }
}
