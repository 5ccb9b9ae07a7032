/**
 * Syntax as ESTree has it. Parsers differ in the corners, so that nothing is taken for granted here: a part that is
 * missing or of another kind is no part.
 */

export interface Node {
  readonly type: string
}

type Fields = Readonly<Record<string, unknown>>

const isNode = (value: unknown): value is Node =>
  typeof value === "object" && value !== null && typeof (value as Fields).type === "string"

const field = (node: Node, key: string): unknown => (node as unknown as Fields)[key]

export const child = (node: Node | undefined, key: string): Node | undefined => {
  const value = node === undefined ? undefined : field(node, key)
  return isNode(value) ? value : undefined
}

export const children = (node: Node | undefined, key: string): ReadonlyArray<Node> => {
  const value = node === undefined ? undefined : field(node, key)
  return Array.isArray(value) ? value.filter(isNode) : []
}

export const text = (node: Node | undefined, key: string): string | undefined => {
  const value = node === undefined ? undefined : field(node, key)
  return typeof value === "string" ? value : undefined
}

export const isSet = (node: Node, key: string): boolean => field(node, key) === true

/** Where a node begins, counted in characters. */
export const startOf = (node: Node): number => {
  const range = field(node, "range")
  const start = Array.isArray(range) ? range[0] : field(node, "start")
  return typeof start === "number" ? start : 0
}

/** The text of a literal, and of a template without expressions. */
export const literalOf = (node: Node | undefined): string | undefined => {
  if (node?.type === "Literal") return text(node, "value")
  if (node?.type !== "TemplateLiteral" || children(node, "expressions").length > 0) return undefined
  return cooked(children(node, "quasis")[0])
}

/** The text between two expressions of a template. */
export const cooked = (node: Node | undefined): string | undefined => {
  const value = node === undefined ? undefined : field(node, "value")
  const found = typeof value === "object" && value !== null ? (value as Fields).cooked : undefined
  return typeof found === "string" ? found : undefined
}

/** Around an expression without changing its value; a promise counts as what it promises. */
const wrappers = new Set([
  "TSAsExpression",
  "TSSatisfiesExpression",
  "TSNonNullExpression",
  "TSTypeAssertion",
  "TSInstantiationExpression",
  "ChainExpression",
  "ParenthesizedExpression"
])

export const isWrapper = ({ type }: Node): boolean => wrappers.has(type) || type === "AwaitExpression"

export const unwrapped = (node: Node | undefined): Node | undefined => {
  let inner = node
  while (inner !== undefined && isWrapper(inner))
    inner = child(inner, inner.type === "AwaitExpression" ? "argument" : "expression")
  return inner
}

export const isFunction = ({ type }: Node): boolean =>
  type === "FunctionDeclaration" || type === "FunctionExpression" || type === "ArrowFunctionExpression"

/** What is there for the compiler alone, and gone when the program runs. */
const isErased = (node: Node): boolean =>
  isSet(node, "declare") ||
  text(node, "importKind") === "type" ||
  text(node, "exportKind") === "type" ||
  (node.type.startsWith("TS") && !wrappers.has(node.type) && !kept.has(node.type))

const kept = new Set([
  "TSEnumDeclaration",
  "TSEnumBody",
  "TSEnumMember",
  "TSExportAssignment",
  "TSExternalModuleReference",
  "TSImportEqualsDeclaration",
  "TSModuleBlock",
  "TSModuleDeclaration",
  "TSParameterProperty",
  "TSQualifiedName"
])

/** Of no value to the program, or a way back. */
const unseen = new Set(["parent", "loc", "range", "tokens", "comments", "label", "meta"])

/** Names that are written out and mean themselves. */
const isPlainName = (node: Node, key: string): boolean => {
  switch (key) {
    case "key":
      return !isSet(node, "computed")
    case "property":
      return node.type === "MetaProperty" || (node.type === "MemberExpression" && !isSet(node, "computed"))
    case "id":
      return node.type === "TSEnumMember"
    case "exported":
    case "imported":
      return true
    default:
      return false
  }
}

/** The parts of a node that are there when the program runs. */
export const partsOf = (node: Node): ReadonlyArray<Node> => {
  const parts: Array<Node> = []
  for (const key of Object.keys(node)) {
    if (unseen.has(key) || isPlainName(node, key)) continue
    const value = field(node, key)
    for (const part of Array.isArray(value) ? value : [value])
      if (isNode(part) && !isErased(part)) parts.push(part)
  }
  return parts
}
