/** What a refusal of each capability says: its code, the sentence behind it, and the grant that would lift it. */
import type { Denial } from "../Denial.js"
import type { Capability } from "../Facets.js"
import * as Request from "../Request.js"
import type { Element } from "../ScopeSet.js"
import { quote } from "./text.js"

interface Words {
  readonly code: string
  readonly detail: string
  readonly remedy: string
}

type Scoped = Request.Request & { readonly _tag: "Scoped" }

const joined = (element: Element, dimension: string): string => (element[dimension] ?? []).join("/")

const path = (element: Element, dimension: string): string => `/${joined(element, dimension)}`

/** The compact grammar of grants has no quoting; where a value would break it, the YAML form is given. */
const grant = (verb: string, scope: Readonly<Record<string, string | ReadonlyArray<string>>>): string => {
  const values = Object.values(scope).flat()
  if (values.every((value) => /^[^\s,=[\]{}"']+$/.test(value))) {
    const pairs = Object.entries(scope).map(
      ([key, value]) => `${key}=${typeof value === "string" ? value : `[${value.join(",")}]`}`
    )
    return `${verb}{${pairs.join(",")}}`
  }
  return `${verb}: ${JSON.stringify(scope)}`
}

const fileWords = (action: string, { element }: Scoped): Words => ({
  code: "PATH_NOT_REACHABLE",
  detail: `${action} not permitted for ${path(element, "path")}`,
  remedy: grant(`fs.${action}`, { in: path(element, "path") })
})

const recordWords = (action: string, { element }: Scoped): Words => ({
  code: "RECORD_NOT_REACHABLE",
  detail: `${action} not permitted for ${joined(element, "path")} of class ${joined(element, "class")}`,
  remedy: grant(
    `records.${action}`,
    action === "update"
      ? { classes: [joined(element, "class")], paths: [joined(element, "path")] }
      : { classes: [joined(element, "class")] }
  ).replace(/^records\.read.*/, "records.read")
})

const agentWords = (action: string, { element }: Scoped): Words => ({
  code: "AGENT_NOT_REACHABLE",
  detail: `${action} not permitted for ${joined(element, "id")}`,
  remedy: grant(`agent.${action}`, { id: joined(element, "id") })
})

const inDirectory = (element: Element): Readonly<Record<string, string>> =>
  element.in === undefined ? {} : { in: path(element, "in") }

const scopedWords = (request: Scoped): Words => {
  const { capability, element } = request
  const [facet, verb = ""] = capability.split(".")
  switch (facet) {
    case "files":
      return fileWords(verb, request)
    case "records":
      return recordWords(verb, request)
    case "agents":
      return agentWords(verb, request)
  }
  switch (capability) {
    case "process.exec": {
      const name = element.argv?.[0] ?? ""
      return {
        code: "BINARY_NOT_ALLOWED",
        detail: `${name} is not in the declared allowedBinaries`,
        remedy: grant("proc.exec", { ...inDirectory(element), cmds: [name] })
      }
    }
    case "process.eval":
      return {
        code: "SHELL_NOT_ALLOWED",
        detail: "a shell may not be run here",
        remedy: element.in === undefined ? "proc.eval" : grant("proc.eval", inDirectory(element))
      }
    case "secrets.read":
      return {
        code: "SECRET_NOT_DECLARED",
        detail: "the requested secret is not in the tool's declared secrets",
        remedy: "add the ref to the tool's 'secrets' and, where the policy lists them, to its 'secrets.allow'"
      }
    case "storage.use":
      return {
        code: "SCOPE_NOT_ALLOWED",
        detail: `${joined(element, "scope")} storage is not declared`,
        remedy: `storage: { scopes: [${joined(element, "scope")}] }`
      }
    default:
      return {
        code: "KIND_NOT_ALLOWED",
        detail: `attachments of kind ${joined(element, "kind")} are not declared`,
        remedy: `attachments: { kinds: [${joined(element, "kind")}] }`
      }
  }
}

const wordsFor = (request: Request.Request, otherVerbAllows: boolean): Words => {
  if (request._tag === "Scoped") return scopedWords(request)
  const remedy = grant(`net.${request.verb}`, { hosts: [request.host] })
  return otherVerbAllows
    ? { code: "METHOD_NOT_ALLOWED", detail: `${request.method} is not permitted for ${request.host}`, remedy }
    : { code: "HOST_NOT_ALLOWED", detail: `${request.host} is not in the declared allowedHosts`, remedy }
}

const SHOWN = 10

export const refusal = (
  request: Request.Request,
  held: {
    readonly isEmpty: boolean
    readonly size: number
    readonly show: (limit: number) => ReadonlyArray<string>
  },
  otherVerbAllows: boolean
): Denial => {
  const { code, detail, remedy } = wordsFor(request, otherVerbAllows)
  const more = held.size > SHOWN ? [`and ${held.size - SHOWN} more`] : []
  return {
    reason: held.isEmpty ? "capability_absent" : "scope_violation",
    code,
    detail,
    capability: request.capability satisfies Capability,
    asked: Request.show(request),
    held: [...held.show(SHOWN), ...more],
    remedy
  }
}

/** Grant families are named apart from facets: `net.get` for `network.get`. */
const family: ReadonlyMap<string, string> = new Map([
  ["network", "net"],
  ["files", "fs"],
  ["process", "proc"],
  ["agents", "agent"]
])

/** What to write so that a scope, given as text, is held. */
export const remedyFor = (capability: Capability, scope: string): string => {
  const [facet = "", verb = ""] = capability.split(".")
  switch (facet) {
    case "network":
      return grant(`net.${verb}`, { hosts: [scope] })
    case "files":
      return scope.endsWith("/")
        ? grant(`fs.${verb}`, { in: scope === "/" ? scope : scope.slice(0, -1) })
        : grant(`fs.${verb}`, { in: "/", paths: [scope] })
    case "process":
      return verb === "exec" ? grant("proc.exec", { patterns: [scope] }) : grant("proc.eval", { in: scope })
    case "secrets":
      return `secrets: { allow: [${scope}] }`
    case "storage":
      return `storage: { scopes: [${scope}] }`
    case "attachments":
      return `attachments: { kinds: [${scope}] }`
    default:
      return `${family.get(facet) ?? facet}.${verb} for ${quote(scope)}`
  }
}
