/** Why something that a server asks is refused: what it was, and what to do about it; never what it said. */
import type { Denial } from "../../policy/lattice/Denial.js"
import type { Kind } from "../../policy/server/Inquiry.js"
import type { Limits } from "./Limits.js"

export interface Asker {
  readonly name: string
  readonly allows: ReadonlyArray<Kind>
}

const about = ({ allows, name }: Asker, kind: Kind) => ({
  capability: `mcp.${kind}`,
  asked: `${kind} for the MCP server ${name}`,
  held: allows.map((one) => `mcp.${one}`)
})

const REMEDIES: Readonly<Record<Kind, string>> = {
  roots: "name its directories among what it requires",
  sampling: "call it through 'bailiwick mcp serve' from a client that answers sampling",
  elicitation:
    "call it on a terminal, or through 'bailiwick mcp serve' from a client that answers elicitation with forms"
}

export const notAllowed = (asker: Asker, kind: Kind): Denial => ({
  ...about(asker, kind),
  reason: "capability_absent",
  code: "INQUIRY_NOT_ALLOWED",
  detail: `the MCP server ${asker.name} is not allowed to ask for ${kind}`,
  remedy: `if it may, write 'allows: [${[...asker.allows, kind].join(", ")}]' at mcp_servers.${asker.name} in bailiwick.yaml, and run 'bailiwick manifest'`
})

export const unanswered = (asker: Asker, kind: Kind): Denial => ({
  ...about(asker, kind),
  reason: "capability_absent",
  code: "INQUIRY_UNANSWERED",
  detail: `the MCP server ${asker.name} asks for ${kind}, and nobody here answers that`,
  remedy: REMEDIES[kind]
})

export const ambiguous = (asker: Asker, kind: Kind): Denial => ({
  ...about(asker, kind),
  reason: "capability_absent",
  code: "INQUIRY_UNANSWERED",
  detail: `the MCP server ${asker.name} asks for ${kind} while calls of several clients run, and nobody can tell whom it asks`,
  remedy: "give each client a session of its own"
})

export const afterCall = (asker: Asker, kind: Kind): Denial => ({
  ...about(asker, kind),
  reason: "capability_absent",
  code: "CALL_ENDED",
  detail: `the MCP server ${asker.name} asks for ${kind} while none of its tools is called`,
  remedy: "ask before the call is answered"
})

export const tooMuch = (asker: Asker, kind: Kind, what: keyof Limits, most: number): Denial => ({
  ...about(asker, kind),
  reason: "scope_violation",
  code: "INQUIRY_TOO_MUCH",
  detail: `the MCP server ${asker.name} asks for ${kind} beyond the limit '${what}' of ${most}`,
  remedy: `look at the server; 'limits' of McpGateway.layer has '${what}'`
})

export const malformed = (asker: Asker, kind: Kind, why: string): Denial => ({
  ...about(asker, kind),
  reason: "scope_violation",
  code: "REQUEST_INVALID",
  detail: `the MCP server ${asker.name} asks for ${kind} in a way that is not answered: ${why}`,
  remedy: "look at the server; another version of it may do better"
})

/** A method that nobody knows may hold anything. */
const METHOD = /^[a-z][a-z_/-]{0,63}$/i

export const unknown = ({ allows, name }: Asker, method: string): Denial => {
  const what = METHOD.test(method) ? method : "something"
  return {
    capability: "mcp.request",
    asked: `${what} for the MCP server ${name}`,
    held: allows.map((one) => `mcp.${one}`),
    reason: "capability_absent",
    code: "INQUIRY_NOT_ALLOWED",
    detail: `the MCP server ${name} asks for ${what}, which no server is answered`,
    remedy: "look at the server; a server may ask for roots, sampling and elicitation, where that is allowed"
  }
}
