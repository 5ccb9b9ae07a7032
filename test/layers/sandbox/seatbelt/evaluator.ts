/**
 * Reads profiles of `sandbox-exec` and says what they permit. It knows what ours are written in, and throws at all else.
 * Whether a rule for one operation comes before one for a family of operations, or whichever stands last, is told in two
 * ways by those who have tried: a profile must mean the same in both.
 */

type Node = string | ReadonlyArray<Node>

const TOKEN = /\s*("(?:[^"\\]|\\.)*"|[()]|[^\s()"]+)/gy

const tokensOf = (text: string): ReadonlyArray<string> => {
  const tokens: Array<string> = []
  TOKEN.lastIndex = 0
  while (TOKEN.lastIndex < text.trimEnd().length) {
    const found = TOKEN.exec(text)
    if (found?.[1] === undefined) throw new SyntaxError(`no token at ${TOKEN.lastIndex}`)
    tokens.push(found[1])
  }
  return tokens
}

const parse = (text: string): ReadonlyArray<Node> => {
  const tokens = tokensOf(text)
  let at = 0
  const node = (): Node => {
    const token = tokens[at++]
    if (token === undefined || token === ")") throw new SyntaxError("an odd parenthesis")
    if (token !== "(") return token
    const list: Array<Node> = []
    while (tokens[at] !== ")") list.push(node())
    at++
    return list
  }
  const all: Array<Node> = []
  while (at < tokens.length) all.push(node())
  return all
}

const textOf = (token: Node | undefined): string => {
  if (typeof token !== "string" || !token.startsWith('"')) throw new SyntaxError(`no text: ${String(token)}`)
  return token.slice(1, -1).replace(/\\(.)/g, "$1")
}

interface Rule {
  readonly verdict: "allow" | "deny"
  readonly operations: ReadonlyArray<string>
  readonly filters: ReadonlyArray<ReadonlyArray<Node>>
}

export type Order = "last" | "narrowest"

export interface Profile {
  readonly permits: (operation: string, about: string, order: Order) => boolean
}

const matches = ([kind, ...given]: ReadonlyArray<Node>, about: string): boolean => {
  switch (kind) {
    case "literal":
      return about === textOf(given[0])
    case "subpath": {
      const root = textOf(given[0])
      return about === root || root === "/" || about.startsWith(`${root}/`)
    }
    case "global-name":
      return about === textOf(given[0])
    case "target":
      return about === given[0]
    case "remote":
      return given[0] === "ip" && about === textOf(given[1])
    default:
      throw new SyntaxError(`an unknown filter: ${String(kind)}`)
  }
}

const isOf = (operation: string, family: string): boolean =>
  family === operation ||
  family === "default" ||
  (family.endsWith("*") && operation.startsWith(family.slice(0, -1)))

export const read = (text: string): Profile => {
  const [version, ...rest] = parse(text)
  if (String(version) !== "version,1") throw new SyntaxError("no version")
  const rules = rest.map((one): Rule => {
    if (typeof one === "string" || (one[0] !== "allow" && one[0] !== "deny")) throw new SyntaxError("no rule")
    const [verdict, ...parts] = one
    const operations = parts.filter((part) => typeof part === "string")
    const filters = parts.filter((part) => typeof part !== "string")
    if (operations.length === 0) throw new SyntaxError("a rule about nothing")
    return { verdict, operations, filters }
  })
  const breadth = (family: string): number => (family === "default" ? 2 : family.endsWith("*") ? 1 : 0)
  return {
    permits: (operation, about, order) => {
      const applying = rules.flatMap(({ filters, operations, verdict }, at) =>
        operations
          .filter((family) => isOf(operation, family))
          .filter(() => filters.length === 0 || filters.some((filter) => matches(filter, about)))
          .map((family) => ({ verdict, at, breadth: order === "last" ? 0 : breadth(family) }))
      )
      const [first] = applying.sort((a, b) => a.breadth - b.breadth || b.at - a.at)
      return first?.verdict === "allow"
    }
  }
}
