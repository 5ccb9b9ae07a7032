/**
 * What can be granted: twenty pairs of a resource and a verb, each with the keys of its scope, how much is at stake,
 * and what it lets an agent do. Everything that reads, prints, checks or offers grants walks this table.
 *
 * @since 0.1.0
 */
import type { Capability } from "../lattice/Facets.js"

/**
 * @since 0.1.0
 * @category models
 */
export type Risk = "low" | "medium" | "high"

/**
 * The keys of scopes, and whether each takes one string or a list of them.
 *
 * @since 0.1.0
 * @category models
 */
export const keys = {
  in: "string",
  id: "string",
  ids: "strings",
  classes: "strings",
  paths: "strings",
  hosts: "strings",
  cmds: "strings",
  patterns: "strings",
  refs: "strings",
  sealed: "flag",
  scopes: "strings",
  kinds: "strings"
} as const

/**
 * @since 0.1.0
 * @category models
 */
export type Key = keyof typeof keys

/**
 * `family` says what the bare form means: all of what is inside, nothing of what is outside. `needsRoot` is true where
 * a grant stays inert without a directory.
 *
 * @since 0.1.0
 * @category models
 */
export interface Entry {
  readonly name: string
  readonly capability: Capability
  readonly keys: ReadonlyArray<Key>
  readonly risk: Risk
  readonly family: "internal" | "external"
  readonly needsRoot: boolean
  /** What it lets an agent do, as a verb phrase. */
  readonly effect: string
}

const facetOf = {
  records: "records",
  agent: "agents",
  fs: "files",
  net: "network",
  proc: "process",
  secrets: "secrets",
  storage: "storage",
  attachments: "attachments"
} as const

type Resource = keyof typeof facetOf

const entry = (
  resource: Resource,
  verb: string,
  keys: ReadonlyArray<Key>,
  risk: Risk,
  effect: string
): Entry => ({
  name: `${resource}.${verb}`,
  // The verbs below are those of the facets; test/policy/catalog.test.ts walks both tables.
  capability: `${facetOf[resource]}.${verb}` as Capability,
  keys,
  risk,
  family: resource === "records" || resource === "agent" ? "internal" : "external",
  needsRoot: resource === "fs" || resource === "proc",
  effect
})

/**
 * @since 0.1.0
 * @category catalog
 */
export const catalog: ReadonlyArray<Entry> = [
  entry("records", "read", [], "low", "read and search records"),
  entry("records", "create", ["classes"], "low", "write new records"),
  entry("records", "update", ["classes", "paths"], "medium", "change records"),
  entry("records", "delete", ["classes"], "high", "delete records"),
  entry("agent", "create", ["id"], "medium", "make agents"),
  entry("agent", "update", ["id", "ids", "paths"], "medium", "change what agents are told"),
  entry("agent", "delete", ["id", "ids"], "high", "delete agents"),
  entry("agent", "grant", ["id"], "high", "pass on what it holds to agents"),
  entry("fs", "read", ["in", "paths"], "medium", "read files"),
  entry("fs", "write", ["in", "paths"], "high", "write files"),
  entry("fs", "delete", ["in", "paths"], "high", "delete files"),
  entry("net", "get", ["hosts"], "medium", "fetch from"),
  entry("net", "post", ["hosts"], "high", "send to"),
  entry("net", "put", ["hosts"], "high", "replace what is at"),
  entry("net", "delete", ["hosts"], "high", "delete what is at"),
  entry("proc", "exec", ["in", "cmds", "patterns"], "high", "run commands"),
  entry("proc", "eval", ["in"], "high", "run whole shell scripts"),
  entry("secrets", "read", ["refs", "sealed"], "high", "read secrets"),
  entry("storage", "use", ["scopes"], "low", "use storage"),
  entry("attachments", "read", ["kinds"], "low", "read attachments")
]

const byName = new Map(catalog.map((one) => [one.name, one]))

/**
 * Names that were in use once, and what they are called now.
 *
 * @since 0.1.0
 * @category catalog
 */
export const aliases: ReadonlyMap<string, string> = new Map([["shell.exec", "proc.exec"]])

/**
 * Tools of the model's provider that cannot be scoped are granted one by one, by name. They are no pairs of the
 * catalog: no shorthand gives them.
 *
 * @since 0.1.0
 * @category catalog
 */
export const PROVIDER = "provider."

const providerEntry = (name: string): Entry => ({
  name,
  capability: "provider.use",
  keys: [],
  risk: "high",
  family: "internal",
  needsRoot: false,
  effect: `use the provider's tool ${name.slice(PROVIDER.length)}, which runs at the provider and cannot be scoped`
})

const PROVIDER_NAME = /^provider\.[a-z0-9_]{1,64}$/

/**
 * The entry of a name, or of the grant of a provider's tool.
 *
 * @since 0.1.0
 * @category catalog
 */
export const find = (name: string): Entry | undefined =>
  byName.get(name) ?? (PROVIDER_NAME.test(name) ? providerEntry(name) : undefined)

/**
 * The capabilities that a name of the catalog speaks of: a grant of secrets may be of what is read, or of what is sealed.
 *
 * @since 0.1.0
 * @category catalog
 */
export const spokenOf = (name: string): ReadonlyArray<Capability> => {
  const capability = find(name)?.capability
  if (capability === undefined) return []
  return capability === "secrets.read" ? [capability, "secrets.seal"] : [capability]
}

/**
 * What would grant a capability.
 *
 * @since 0.1.0
 * @category catalog
 */
export const granting = (capability: Capability): Entry | undefined =>
  catalog.find(({ name }) => spokenOf(name).includes(capability))

/**
 * What is not in the catalog is neither harmless nor known to be worse.
 *
 * @since 0.1.0
 * @category catalog
 */
export const riskOf = (name: string): Risk => find(name)?.risk ?? "medium"

/**
 * From the least to the most.
 *
 * @since 0.1.0
 * @category catalog
 */
export const risks: ReadonlyArray<Risk> = ["low", "medium", "high"]
