/** What a refusal says: its code, the sentence behind it, and what would lift it. */
import type { Denial } from "./Denial.js"
import type { HostSet } from "./HostSet.js"
import { holding, type Remedied } from "./Remedy.js"
import * as Request from "./Request.js"
import type { Element, ScopeSet } from "./ScopeSet.js"
import { isWild } from "./Wildcard.js"

interface Wording extends Partial<Remedied> {
  readonly code: Denial["code"]
  readonly detail: string
  readonly remedy: string
}

const joined = (element: Element, dimension: string): string => (element[dimension] ?? []).join("/")

const path = (element: Element, dimension: string): string => `/${joined(element, dimension)}`

/** Three things may stand in the way of a command: its name, its arguments, and where it would run. */
const commandWords = ({ element }: Request.Scoped, held: ScopeSet): Pick<Wording, "code" | "detail"> => {
  const name = element.argv?.[0] ?? ""
  if (held.freeOf("in").find(element) !== undefined) {
    const where = element.in === undefined ? "without a directory" : `in ${path(element, "in")}`
    return { code: "CWD_NOT_REACHABLE", detail: `${name} may not run ${where}` }
  }
  return held.names("argv").has(name)
    ? { code: "BINARY_NOT_ALLOWED", detail: `${name} may not be run with these arguments` }
    : { code: "BINARY_NOT_ALLOWED", detail: `${name} is not in the declared allowedBinaries` }
}

const execWords = (request: Request.Scoped, held: ScopeSet, argv: string, root: string): Wording => {
  const words = commandWords(request, held)
  if (isWild(argv.slice(0, -2))) {
    return { ...words, remedy: "a command whose name holds a wildcard cannot be granted" }
  }
  const name = request.element.argv?.[0] ?? ""
  if (words.code === "BINARY_NOT_ALLOWED" && held.names("argv").has(name)) {
    // Some of the command is allowed: who wrote that did not mean all of it. Arguments are not repeated.
    const { remedy } = holding("process.exec", { argv: `${name} ARGUMENTS`, in: root })
    return {
      ...words,
      remedy: `name its arguments in a pattern: ${remedy} of an agent, "${name} ARGUMENTS" in 'process.allow' of a personality`
    }
  }
  const { remedies, remedy } = holding("process.exec", { argv, in: root })
  // In a personality a command runs where files may be touched.
  return words.code === "CWD_NOT_REACHABLE"
    ? { ...words, remedy, remedies: { ...remedies, personality: [{ key: "fs_reach.read", entry: root }] } }
    : { ...words, remedy, remedies }
}

/** The secret is held sealed: it is read, or sent to where it may not go. What is held may be named. */
const sealedWords = (request: Request.Scoped): Wording & { readonly asked?: string } => {
  const { capability, element, verb } = request
  const [port = "", ...labels] = element.to ?? []
  const [to, place] = [`${labels.reverse().join(".")}:${port}`, (element.in ?? []).join(":")]
  return verb === "read"
    ? {
        code: "SECRET_SEALED",
        detail: "the requested secret may be sent sealed, and not read",
        remedy:
          "take it with Secrets.sealed, and send what that gives; to read it, the tool declares its ref alone, and the policy does not say 'sealed'"
      }
    : {
        code: "SEAL_REFUSED",
        detail: `a sealed secret may not go to ${to} in ${place}`,
        asked: request.line,
        remedies: holding(capability, { ref: (element.ref ?? []).join("/"), to, in: place }).remedies,
        remedy: "send it to a host and in a place that the tool declares for it, or declare this one"
      }
}

const scopedWords = (
  request: Request.Scoped,
  held: ScopeSet,
  sealed: boolean
): Wording & { readonly asked?: string } => {
  const { capability, element, verb } = request
  switch (request.facet) {
    case "private": {
      const [port = "", ...labels] = element.endpoint ?? []
      const endpoint = `${labels.reverse().join(".")}:${port}`
      return {
        code: "ADDRESS_NOT_ALLOWED",
        detail: `${endpoint} is at a private address, which the policy does not name`,
        ...holding(capability, { endpoint })
      }
    }
    case "files":
      return {
        code: "PATH_NOT_REACHABLE",
        detail: `${verb} not permitted for ${path(element, "path")}`,
        ...(isWild(path(element, "path"))
          ? { remedy: "a path that holds a wildcard cannot be granted by name; grant the directory" }
          : holding(capability, { path: `${path(element, "path")}/` }))
      }
    case "process": {
      const root = element.in === undefined ? "/" : path(element, "in")
      const argv = `${element.argv?.[0] ?? ""}:*`
      return capability === "process.exec"
        ? execWords(request, held, argv, root)
        : {
            code: "SHELL_NOT_ALLOWED",
            detail: "a shell may not be run here",
            ...holding(capability, { in: root })
          }
    }
    case "secrets":
      if (sealed) return sealedWords(request)
      return {
        code: "SECRET_NOT_DECLARED",
        detail: "the requested secret is not in the tool's declared secrets",
        remedy:
          "add the ref to the tool's 'secrets', and to what the policy allows: 'secrets.read' of an agent, 'secrets.allow' of a personality"
      }
    case "storage":
      return {
        code: "SCOPE_NOT_ALLOWED",
        detail: `${joined(element, "scope")} storage is not declared`,
        ...holding(capability, { scope: joined(element, "scope") })
      }
    case "attachments":
      return {
        code: "KIND_NOT_ALLOWED",
        detail: `attachments of kind ${joined(element, "kind")} are not declared`,
        ...holding(capability, { kind: joined(element, "kind") })
      }
    case "records": {
      const [name, id] = [joined(element, "class"), joined(element, "path")]
      return {
        code: "RECORD_NOT_REACHABLE",
        detail: `${verb} not permitted for ${id} of class ${name}`,
        ...holding(capability, { class: name, path: id })
      }
    }
    case "agents":
      return {
        code: "AGENT_NOT_REACHABLE",
        detail: `${verb} not permitted for ${joined(element, "id")}`,
        ...holding(capability, { id: joined(element, "id") })
      }
    case "provider":
      return {
        code: "PROVIDER_TOOL_NOT_ALLOWED",
        detail: `the provider's tool ${joined(element, "tool")} is not granted`,
        ...holding(capability, { tool: joined(element, "tool") })
      }
  }
}

const httpWords = ({ capability, host, method }: Request.Http, network: ReadonlyArray<HostSet>): Wording => {
  const lifting = holding(capability, { host })
  return network.some((hosts) => hosts.has(host))
    ? { code: "METHOD_NOT_ALLOWED", detail: `${method} is not permitted for ${host}`, ...lifting }
    : { code: "HOST_NOT_ALLOWED", detail: `${host} is not in the declared allowedHosts`, ...lifting }
}

const SHOWN = 10

const denial = (
  request: Request.Request,
  held: HostSet | ScopeSet,
  { asked, code, detail, remedies, remedy }: Wording & { readonly asked?: string }
): Denial => {
  const more = held.size > SHOWN ? [`and ${held.size - SHOWN} more`] : []
  return {
    reason: held.isEmpty ? "capability_absent" : "scope_violation",
    code,
    detail,
    capability: request.capability,
    asked: asked ?? Request.summary(request),
    held: [...held.show(SHOWN), ...more],
    remedy,
    ...(remedies === undefined ? {} : { remedies })
  }
}

/** `network`: the hosts of every method, to tell a wrong method from a wrong host. */
export const httpRefusal = (request: Request.Http, held: HostSet, network: ReadonlyArray<HostSet>): Denial =>
  denial(request, held, httpWords(request, network))

/** `sealed`: the secret that is asked for may be sent somewhere, sealed. */
export const scopedRefusal = (request: Request.Scoped, held: ScopeSet, sealed: boolean): Denial =>
  denial(request, held, scopedWords(request, held, sealed))
