/** What the lock holds of each tool, and how two such lists differ. Data, without a decision. */
import { Schema } from "effect"
import type { Capabilities } from "../../capabilities/Capabilities.js"
import type { Kind as Inquiry } from "../../policy/server/Inquiry.js"
import type { Origin } from "../../policy/ToolOrigin.js"

/**
 * The name of the file in a workspace.
 *
 * @since 0.1.0
 * @category models
 */
export const FILE = "bailiwick.lock.json"

/**
 * What is written down of a tool. The lists are sorted, and each thing is in them once.
 *
 * @since 0.1.0
 * @category models
 */
export interface Locked {
  readonly capabilities: Capabilities
  /** The keys of the application services that it lists. */
  readonly services: ReadonlyArray<string>
  /** A digest of the description. */
  readonly description: string
  /** A digest of the JSON Schema of the parameters. */
  readonly parameters: string
  /** That it says of itself that a call may be made twice; a tool of a server says so among its words. */
  readonly idempotent?: true | undefined
  /** The plugin, the MCP server or the isolated module that it comes from; empty for a tool of the host itself. */
  readonly from: Origin
  /** What a server says of it, whole: menus are made of this. Only tools of servers have it. */
  readonly says?: Pinned | undefined
  /** What its process says of it, whole: menus are made of this. Only isolated tools have it. */
  readonly isolated?: Isolated | undefined
}

/**
 * What the process of an isolated tool says of the tool, as somebody accepted it. All of it is a stranger's.
 *
 * @since 0.1.0
 * @category models
 */
export interface Isolated {
  /** The module that it is in: a file from the root of the workspace, or what is imported of a package. */
  readonly module: string
  readonly says: Readonly<Record<string, unknown>>
}

/**
 * What a server says of a tool of its own, as somebody accepted it. All of it is a stranger's.
 *
 * @since 0.1.0
 * @category models
 */
export interface Pinned {
  /** As the server says it, before it becomes a name of this registry. */
  readonly name: string
  readonly title?: string | undefined
  readonly description: string
  readonly parameters: Readonly<Record<string, unknown>>
  readonly output?: Readonly<Record<string, unknown>> | undefined
  readonly readOnly: boolean
  readonly destructive: boolean
  readonly idempotent: boolean
  readonly openWorld: boolean
}

/**
 * A server whose tools are in the lock.
 *
 * @since 0.1.0
 * @category models
 */
export interface LockedServer {
  /** The grants that it requires, as they are written. */
  readonly requires: ReadonlyArray<string>
  /** What it may ask of whoever uses it. */
  readonly allows?: ReadonlyArray<Inquiry> | undefined
}

/**
 * Tools by name, and the servers that some of them come from.
 *
 * @since 0.1.0
 * @category models
 */
export interface Manifest {
  readonly tools: ReadonlyMap<string, Locked>
  readonly servers?: ReadonlyMap<string, LockedServer> | undefined
}

/**
 * A line of a declaration: `{ key: "network.allowedHosts", value: "api.weather.gov" }`.
 *
 * @since 0.1.0
 * @category models
 */
export interface Line {
  readonly key: string
  readonly value: string
  /** It names nothing, and stands for whatever a policy allows. */
  readonly open?: boolean
}

/**
 * What became of a tool. `widened` touches more than is locked; `narrowed` touches less and nothing more; `changed`
 * touches the same, and something else of it is different.
 *
 * @since 0.1.0
 * @category models
 */
export type Kind = "added" | "removed" | "widened" | "narrowed" | "changed"

/**
 * One tool that is not as it is locked.
 *
 * @since 0.1.0
 * @category models
 */
export interface Change {
  readonly tool: string
  readonly kind: Kind
  /** Whether it may pass without anybody looking at it. */
  readonly passes: boolean
  readonly from: Origin
  /** Where it came from, if that is another place. */
  readonly was?: Origin
  /** What it touches and the lock does not have; for a new tool all that it touches. */
  readonly more: ReadonlyArray<Line>
  /** What the lock has and it does not touch any more. */
  readonly less: ReadonlyArray<Line>
  readonly services: { readonly added: ReadonlyArray<string>; readonly removed: ReadonlyArray<string> }
  /** Whether the description, the parameters or the spelling of the declaration changed. */
  readonly description: boolean
  readonly parameters: boolean
  readonly spelling: boolean
  /** Whether it says of itself that a call may be made twice, where that changed. */
  readonly idempotent?: boolean
  /** What else is said of the tool by a server, or by its own process: its title, its hints, the shape of its answer. */
  readonly says?: boolean
  /** What a server says of the tool now, where that is new or changed, and what it said before. */
  readonly words?: { readonly now: Pinned; readonly was?: Pinned | undefined }
  /** What the process of an isolated tool says of it now, where that is new or changed, and what it said before. */
  readonly isolated?: { readonly now: Isolated; readonly was?: Isolated | undefined }
}

/**
 * One server that requires, or may ask for, something else than is locked.
 *
 * @since 0.1.0
 * @category models
 */
export interface ServerChange {
  readonly server: string
  readonly kind: Kind
  readonly passes: boolean
  /** The grants that it requires and the lock does not cover; for a new server all of them. */
  readonly more: ReadonlyArray<string>
  /** The grants that the lock has and it does not require any more. */
  readonly less: ReadonlyArray<string>
  /** What it may ask for and the lock does not say, and the other way round. */
  readonly allows?: {
    readonly added: ReadonlyArray<Inquiry>
    readonly removed: ReadonlyArray<Inquiry>
  }
}

/**
 * @since 0.1.0
 * @category models
 */
export interface Comparison {
  /** Whether every change passes. */
  readonly passes: boolean
  /** How many tools there are now. */
  readonly tools: number
  /** The tools that are not as they are locked, by name. */
  readonly changes: ReadonlyArray<Change>
  /** The servers that require something else than is locked, by name. */
  readonly servers?: ReadonlyArray<ServerChange>
}

/**
 * A lock that cannot be read.
 *
 * @since 0.1.0
 * @category errors
 */
export class ManifestInvalid extends Schema.TaggedError<ManifestInvalid>("bailiwick/ManifestInvalid")(
  "ManifestInvalid",
  {
    code: Schema.Literal("LOCK_CONFLICTED", "LOCK_INVALID", "LOCK_VERSION_UNKNOWN"),
    detail: Schema.String
  }
) {
  /** @since 0.1.0 */
  override get message(): string {
    return `${this.code}: ${this.detail}`
  }
}
