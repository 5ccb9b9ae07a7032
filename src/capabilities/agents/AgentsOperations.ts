/**
 * What is done with agents, as plain data: what a scoped service asks for, a backend answers, and a process boundary
 * can carry.
 *
 * @since 0.1.0
 */
import { type Effect, Schema } from "effect"
import { Denial } from "../../policy/lattice/Denial.js"

const FrontMatter = Schema.Record({ key: Schema.String, value: Schema.Unknown })
const optionalString = Schema.optionalWith(Schema.String, { exact: true })
const optionalFrontMatter = Schema.optionalWith(FrontMatter, { exact: true })

/**
 * @since 0.1.0
 * @category errors
 */
export class AgentsError extends Schema.TaggedError<AgentsError>("bailiwick/AgentsError")("AgentsError", {
  code: Schema.Literal(
    "AGENT_NOT_REACHABLE",
    "AGENT_NOT_FOUND",
    "AGENT_EXISTS",
    "AGENT_INVALID",
    "AGENT_CHANGED",
    "SELF_MODIFICATION",
    "EXCEEDS_GRANTOR_AUTHORITY",
    "AGENTS_UNAVAILABLE",
    "AGENTS_FENCED",
    "AGENTS_FAILED"
  ),
  detail: Schema.String,
  denial: Schema.optional(Denial)
}) {
  /** @since 0.1.0 */
  override get message(): string {
    return `${this.code}: ${this.detail}`
  }
}

/**
 * @since 0.1.0
 * @category schemas
 */
export const Agent = Schema.Struct({
  id: Schema.String,
  frontMatter: FrontMatter,
  body: Schema.String,
  /** What it holds, in the compact form of grants. */
  grants: Schema.Array(Schema.String),
  revision: Schema.optionalWith(Schema.String, { exact: true }),
  /** Lines of the record that the change took out though nobody asked for that, and why. */
  lost: Schema.optionalWith(Schema.Array(Schema.String), { exact: true })
})

/**
 * @since 0.1.0
 * @category schemas
 */
export const AgentDraft = Schema.Struct({
  id: Schema.String,
  frontMatter: optionalFrontMatter,
  body: optionalString
})

/**
 * What is absent stays as it is.
 *
 * @since 0.1.0
 * @category schemas
 */
export const AgentChange = Schema.Struct({
  id: Schema.String,
  frontMatter: optionalFrontMatter,
  body: optionalString,
  revision: optionalString
})

/**
 * @since 0.1.0
 * @category schemas
 */
export const AgentGrant = Schema.Struct({ agent: Schema.String, grants: Schema.Array(Schema.String) })

/**
 * The operations themselves, over plain data, as a backend writes them. `grant` adds to what an agent holds, and
 * answers with the agent.
 *
 * @since 0.1.0
 * @category models
 */
export interface AgentsOperations {
  readonly create: (draft: typeof AgentDraft.Type) => Effect.Effect<typeof Agent.Type, AgentsError>
  readonly update: (change: typeof AgentChange.Type) => Effect.Effect<typeof Agent.Type, AgentsError>
  readonly delete: (payload: { readonly id: string }) => Effect.Effect<void, AgentsError>
  readonly grant: (grant: typeof AgentGrant.Type) => Effect.Effect<typeof Agent.Type, AgentsError>
}
