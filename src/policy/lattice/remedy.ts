/** What to write so that a scope is held: a grant where there is a grant for it, else the key of a policy. */

import { printSpec } from "../text/Spec.js"
import type { Capability } from "./Facets.js"
import { isWild } from "./Wildcard.js"

type Scope = Readonly<Record<string, string | ReadonlyArray<string>>>

const grant = (name: string, scope: Scope): string => printSpec({ name, pairs: Object.entries(scope) })

const directory = (tree: string): string => (tree === "/" ? tree : tree.replace(/\/$/, ""))

/** A root, and below it the part that is a glob. */
const placed = (path: string): Scope => {
  const segments = path.split("/")
  const wild = segments.findIndex(isWild)
  if (wild < 0) return { in: directory(path) }
  return { in: segments.slice(0, wild).join("/") || "/", paths: [segments.slice(wild).join("/")] }
}

const command = (argv: string): Scope =>
  argv.endsWith(":*") ? { cmds: [argv.slice(0, -2)] } : { patterns: [argv] }

const unlessAll = (key: string, pattern: string | undefined): Scope =>
  pattern === undefined || pattern === "*" || pattern === "**" ? {} : { [key]: [pattern] }

/** `patterns`: what is wanted on each dimension, in its own notation. */
export const remedyFor = (capability: Capability, patterns: Readonly<Record<string, string>>): string => {
  const {
    argv = "",
    class: name,
    endpoint,
    host = "",
    id = "",
    in: root = "/",
    kind,
    path = "",
    ref,
    scope,
    tool = ""
  } = patterns
  switch (capability) {
    case "network.get":
    case "network.post":
    case "network.put":
    case "network.delete":
      // Refusals of hosts are common, and a name needs no quoting.
      return host.startsWith("[")
        ? grant(capability.replace("network", "net"), { hosts: [host] })
        : `net.${capability.slice("network.".length)}{hosts=[${host}]}`
    case "private.connect":
      return `safety: { network: { private: ["${endpoint}"] } }`
    case "files.read":
    case "files.write":
    case "files.delete":
      return grant(capability.replace("files", "fs"), placed(path))
    case "process.exec":
      return grant("proc.exec", { in: directory(root), ...command(argv) })
    case "process.eval":
      return grant("proc.eval", { in: directory(root) })
    case "secrets.read":
      return `secrets: { allow: [${ref}] }`
    case "storage.use":
      return `storage: { scopes: [${scope}] }`
    case "attachments.read":
      return `attachments: { kinds: [${kind}] }`
    case "records.read":
      return "records.read"
    case "records.create":
    case "records.delete":
      return grant(capability, unlessAll("classes", name))
    case "records.update":
      return grant(capability, { ...unlessAll("classes", name), ...unlessAll("paths", path) })
    case "agents.update":
      return grant("agent.update", isWild(id) ? unlessAll("paths", id) : { id })
    case "agents.create":
    case "agents.delete":
    case "agents.grant":
      return grant(capability.replace("agents", "agent"), id === "**" ? {} : { id })
    case "provider.use":
      return `provider.${tool}`
  }
}
