/** The names that tools of a server have in a registry: of two tools never the same, nor one that a reader takes for another. */
import { isToolName, looksLike } from "../../policy/ToolOrigin.js"
import { sha256 } from "../../policy/text/Sha256.js"

const LONGEST = 64

const DIGEST = 12

/** The name as it is, with what it may not hold replaced, and with what tells it from all others that look like it now. */
const shortened = (prefix: string, tool: string): string => {
  const digest = sha256(tool).slice(0, DIGEST)
  const room = LONGEST - prefix.length - DIGEST - 1
  return `${prefix}${tool.replace(/[^A-Za-z0-9_-]/g, "_").slice(0, Math.max(0, room))}_${digest}`
}

/** The longest name of a server that leaves room for one of its tools. */
export const LONGEST_SERVER = LONGEST - "mcp__".length - "__".length - DIGEST - 1

/** A name in the registry for each tool, by the name that the server says. What cannot be told apart has none. */
export const namesOf = (server: string, tools: Iterable<string>): ReadonlyMap<string, string> => {
  const prefix = `mcp__${server}__`
  const names = new Map([...tools].map((tool) => [tool, `${prefix}${tool}`]))
  const alike = (): ReadonlyMap<string, number> => {
    const counts = new Map<string, number>()
    for (const name of names.values()) counts.set(looksLike(name), (counts.get(looksLike(name)) ?? 0) + 1)
    return counts
  }
  const isPlain = (tool: string, name: string) => name === `${prefix}${tool}`
  for (const [tool, name] of names) if (!isToolName(name)) names.set(tool, shortened(prefix, tool))
  const counts = alike()
  for (const [tool, name] of names) {
    if (isPlain(tool, name) && (counts.get(looksLike(name)) ?? 0) > 1)
      names.set(tool, shortened(prefix, tool))
  }
  const left = alike()
  for (const [tool, name] of names) if ((left.get(looksLike(name)) ?? 0) > 1) names.delete(tool)
  return names
}
