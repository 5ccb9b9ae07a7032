/** What the lock holds of each tool, and how two such lists differ. Data, without a decision. */
import { Schema } from "effect"
import type { Capabilities } from "../../capabilities/Capabilities.js"
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
  /** The plugin or the MCP server that it comes from; empty for a tool of the host itself. */
  readonly from: Origin
}

/**
 * Tools by name.
 *
 * @since 0.1.0
 * @category models
 */
export interface Manifest {
  readonly tools: ReadonlyMap<string, Locked>
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
