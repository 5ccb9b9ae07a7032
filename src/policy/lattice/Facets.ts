/**
 * The facets of authority, their verbs, and the dimensions on which each verb is scoped. Everything that
 * walks an authority walks this table.
 *
 * @since 0.1.0
 */
import * as Command from "./dimensions/Command.js"
import type { Dimension } from "./dimensions/Dimension.js"
import * as Endpoint from "./dimensions/Endpoint.js"
import * as Id from "./dimensions/Id.js"
import * as Name from "./dimensions/Name.js"
import * as Path from "./dimensions/Path.js"
import * as Place from "./dimensions/Place.js"
import * as Ref from "./dimensions/Ref.js"
import type { HostSet } from "./HostSet.js"
import type { ScopeSet } from "./ScopeSet.js"

/** Scoped by host names, which have a set of their own. */
const hosts = "hosts"

const file = [Path.path]
const record = [Name.recordClass, Id.recordPath]
const agent = [Id.agentId]

/**
 * @since 0.1.0
 * @category models
 */
export const facets = {
  network: { get: hosts, post: hosts, put: hosts, delete: hosts },
  private: { connect: [Endpoint.endpoint] },
  files: { read: file, write: file, delete: file },
  process: { exec: [Command.argv, Path.root], eval: [Path.root] },
  secrets: { read: [Ref.ref], seal: [Ref.ref, Endpoint.to, Place.place] },
  storage: { use: [Name.storageScope] },
  attachments: { read: [Name.attachmentKind] },
  records: { read: record, create: record, update: record, delete: record },
  agents: { create: agent, update: agent, delete: agent, grant: agent },
  provider: { use: [Name.providerTool] }
} as const satisfies Record<string, Record<string, typeof hosts | ReadonlyArray<Dimension>>>

type Facets = typeof facets

/**
 * @since 0.1.0
 * @category models
 */
export type Facet = keyof Facets

/**
 * @since 0.1.0
 * @category models
 */
export type Verb<F extends Facet> = keyof Facets[F] & string

/**
 * `network.get`, `files.read`, …: one thing that may be done, scoped by one set.
 *
 * @since 0.1.0
 * @category models
 */
export type Capability = { [F in Facet]: `${F}.${Verb<F>}` }[Facet]

/**
 * The scope sets, facet by facet and verb by verb.
 *
 * @since 0.1.0
 * @category models
 */
export type Scopes = {
  readonly [F in Facet]: {
    readonly [V in keyof Facets[F]]: Facets[F][V] extends typeof hosts ? HostSet : ScopeSet
  }
}

type Spec = typeof hosts | ReadonlyArray<Dimension>

/**
 * Every verb, in the table's order.
 *
 * @since 0.1.0
 * @category models
 */
export const capabilities: ReadonlyArray<{
  readonly facet: Facet
  readonly verb: string
  readonly name: Capability
  readonly spec: Spec
}> = (Object.keys(facets) as ReadonlyArray<Facet>).flatMap((facet) =>
  Object.entries(facets[facet] as Record<string, Spec>).map(([verb, spec]) => ({
    facet,
    verb,
    name: `${facet}.${verb}` as Capability,
    spec
  }))
)

const byName: ReadonlyMap<string, (typeof capabilities)[number]> = new Map(
  capabilities.map((one) => [one.name, one])
)

/**
 * @since 0.1.0
 * @category predicates
 */
export const isCapability = (name: string): name is Capability => byName.has(name)

/**
 * The row of the table that a capability names.
 *
 * @since 0.1.0
 * @category models
 */
export const capabilityOf = (name: Capability): (typeof capabilities)[number] => {
  const found = byName.get(name)
  if (found === undefined) throw new TypeError(`${name} is not a capability`)
  return found
}

/** Capabilities in words, for `describe`, gaps and the command line. */
const verbs: Readonly<Record<Capability, string>> = {
  "network.get": "GET from",
  "network.post": "POST to",
  "network.put": "PUT to",
  "network.delete": "DELETE from",
  "private.connect": "connect to the private addresses of",
  "files.read": "read",
  "files.write": "write",
  "files.delete": "delete",
  "process.exec": "run",
  "process.eval": "run a shell in",
  "secrets.read": "read the secrets",
  "secrets.seal": "send the sealed secrets",
  "storage.use": "use the storage of",
  "attachments.read": "read attachments of kind",
  "records.read": "read records of class",
  "records.create": "create records of class",
  "records.update": "update records of class",
  "records.delete": "delete records of class",
  "agents.create": "create the agents",
  "agents.update": "update the agents",
  "agents.delete": "delete the agents",
  "agents.grant": "grant to the agents",
  "provider.use": "use the provider's tools"
}

/** Scopes of several dimensions have blanks in them: a comma would not tell them apart. */
const separator = (capability: Capability): string =>
  /^(records|process)\.|^secrets\.seal$/.test(capability) ? "; " : ", "

/**
 * @since 0.1.0
 * @category rendering
 */
export const phrase = (capability: Capability, scopes: ReadonlyArray<string>): string =>
  `${verbs[capability]} ${scopes.join(separator(capability))}`
