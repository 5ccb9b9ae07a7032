/**
 * What would allow a request that is refused, as data: which grant, which entry of a personality, which entry of a
 * tool's declaration. Each is in the notation that somebody would write it in.
 *
 * @since 0.1.0
 */
import { Schema } from "effect"
import { printSpec } from "../text/Spec.js"
import type { Capability } from "./Facets.js"
import { isWild } from "./Wildcard.js"

/**
 * An entry to add to a list: `{ key: "safety.network.allow", entry: "api.github.com" }`.
 *
 * @since 0.1.0
 * @category schemas
 */
export const Addition = Schema.Struct({ key: Schema.String, entry: Schema.String })

/**
 * @since 0.1.0
 * @category models
 */
export interface Addition extends Schema.Schema.Type<typeof Addition> {}

/**
 * Any of these may be missing: there is no grant for a private address, and nothing declares one.
 *
 * @since 0.1.0
 * @category models
 */
export interface Remedies {
  /** A grant in its compact form, for an agent's record. */
  readonly grant?: string
  /** What to add to a personality; all of it, where there are several. */
  readonly personality?: readonly [Addition, ...ReadonlyArray<Addition>]
  /** What to add to the `capabilities` of the tool. */
  readonly declaration?: readonly [Addition, ...ReadonlyArray<Addition>]
}

/**
 * @since 0.1.0
 * @category schemas
 */
export const Remedies: Schema.Schema<Remedies> = Schema.Struct({
  grant: Schema.optionalWith(Schema.String, { exact: true }),
  personality: Schema.optionalWith(Schema.NonEmptyArray(Addition), { exact: true }),
  declaration: Schema.optionalWith(Schema.NonEmptyArray(Addition), { exact: true })
})

/**
 * `remedy` is the line that a model sees.
 *
 * @since 0.1.0
 * @category models
 */
export interface Remedied {
  readonly remedy: string
  readonly remedies: Remedies
}

/** What is wanted on each dimension, in its own notation. */
type Patterns = Readonly<Record<string, string>>

type Scope = Readonly<Record<string, string | ReadonlyArray<string>>>

const spec = (name: string, scope: Scope): string => printSpec({ name, pairs: Object.entries(scope) })

const add = (key: string, entry: string): readonly [Addition] => [{ key, entry }]

const directory = (tree: string): string => (tree === "/" ? tree : tree.replace(/\/$/, ""))

/** A root, and below it the part that is a glob. */
const placed = (path: string): Scope => {
  const segments = path.split("/")
  const wild = segments.findIndex(isWild)
  if (wild < 0) return { in: directory(path) }
  return { in: segments.slice(0, wild).join("/") || "/", paths: [segments.slice(wild).join("/")] }
}

/** `git:*` is the command with any arguments, and is named alone. */
const named = (argv: string): string => (argv.endsWith(":*") ? argv.slice(0, -2) : argv)

const command = (argv: string): Scope =>
  argv.endsWith(":*") ? { cmds: [named(argv)] } : { patterns: [argv] }

const unlessAll = (key: string, pattern: string | undefined): Scope =>
  pattern === undefined || pattern === "*" || pattern === "**" ? {} : { [key]: [pattern] }

const hosts = (verb: string, { host = "" }: Patterns): Remedied =>
  granted(
    // Refusals of hosts are common, and a name needs no quoting.
    host.startsWith("[") ? spec(`net.${verb}`, { hosts: [host] }) : `net.${verb}{hosts=[${host}]}`,
    { personality: add("safety.network.allow", host), declaration: add("network.allowedHosts", host) }
  )

const files = (verb: string, { path = "" }: Patterns): Remedied => {
  const reach = verb === "read" ? "fs_reach.read" : "fs_reach.write"
  return granted(spec(`fs.${verb}`, placed(path)), {
    personality: add(reach, directory(path)),
    declaration: add(reach, directory(path))
  })
}

/** As a declaration writes it, with what is not known left to who writes it. */
const sealedEntry = (ref: string, { in: place = "*", to = "*" }: Patterns): string =>
  `{ ref: "${ref}", hosts: ["${to === "*" ? "HOST" : to.replace(/:443$/, "")}"], in: ["${place === "*" ? "header:authorization" : place}"] }`

/** Records and agents are granted in a personality as they are in an agent's record. */
const kept = (declares: Addition, grant: string): Remedied =>
  granted(grant, { personality: add("grants", grant), declaration: [declares] })

const granted = (grant: string, others: Remedies): Remedied => ({
  remedy: grant,
  remedies: { grant, ...others }
})

/** There is no grant for it: the line that a model sees is the entry of a personality. */
const configured = (remedy: string, remedies: Remedies): Remedied => ({ remedy, remedies })

/**
 * What would allow a capability to the given patterns.
 *
 * @since 0.1.0
 * @category constructors
 */
export const holding = (capability: Capability, patterns: Patterns): Remedied => {
  const { argv = "", class: name, endpoint = "", id = "", kind = "", path, ref = "", scope = "" } = patterns
  const root = directory(patterns.in ?? "/")
  switch (capability) {
    case "network.get":
    case "network.post":
    case "network.put":
    case "network.delete":
      return hosts(capability.slice("network.".length), patterns)
    case "private.connect":
      return configured(`safety: { network: { private: ["${endpoint}"] } }`, {
        personality: add("safety.network.private", endpoint)
      })
    case "files.read":
    case "files.write":
    case "files.delete":
      return files(capability.slice("files.".length), patterns)
    case "process.exec":
      return granted(spec("proc.exec", { in: root, ...command(argv) }), {
        personality: add("process.allow", named(argv)),
        declaration: add("process.allowedBinaries", named(argv).replace(/\s.*$/s, ""))
      })
    case "process.eval":
      return granted(spec("proc.eval", { in: root }), {
        personality: [
          { key: "process.allow", entry: "sh" },
          { key: "fs_reach.read", entry: root }
        ],
        declaration: add("process.allowedBinaries", "*")
      })
    case "secrets.read":
      return granted(spec("secrets.read", { refs: [ref] }), {
        personality: add("secrets.allow", ref),
        declaration: add("secrets", ref)
      })
    case "secrets.seal":
      return granted(spec("secrets.read", { refs: [ref], sealed: "true" }), {
        personality: add("secrets.allow", ref),
        declaration: add("secrets", sealedEntry(ref, patterns))
      })
    case "storage.use":
      return granted(spec("storage.use", { scopes: [scope] }), {
        personality: add("storage.scopes", scope),
        declaration: add("storage.scope", scope)
      })
    case "attachments.read":
      return granted(spec("attachments.read", { kinds: [kind] }), {
        personality: add("attachments.kinds", kind),
        declaration: add("attachments.kinds", kind)
      })
    case "records.read":
      return kept({ key: "records.verbs", entry: "read" }, "records.read")
    case "records.create":
    case "records.delete":
    case "records.update": {
      const verb = capability.slice("records.".length)
      const scopes = { ...unlessAll("classes", name), ...(verb === "update" ? unlessAll("paths", path) : {}) }
      return kept({ key: "records.verbs", entry: verb }, spec(capability, scopes))
    }
    case "agents.create":
    case "agents.update":
    case "agents.delete":
    case "agents.grant": {
      const verb = capability.slice("agents.".length)
      const several = verb === "update" && isWild(id)
      const scopes: Scope = several ? unlessAll("paths", id) : id === "**" ? {} : { id }
      return kept({ key: "agents.verbs", entry: verb }, spec(`agent.${verb}`, scopes))
    }
    case "provider.use": {
      const grant = `provider.${patterns.tool ?? ""}`
      return granted(grant, { personality: add("grants", grant) })
    }
  }
}
