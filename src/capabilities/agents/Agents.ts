/**
 * The agents of a workspace: making and changing them, and granting to them, by the verbs a tool declares.
 *
 * @since 0.1.0
 */
import { Context, Effect, type Layer, Schema } from "effect"
import { agentId } from "../../policy/lattice/dimensions/Id.js"
import { declared, oneOf } from "../declared.js"
import { complete } from "../doubles.js"
import type { NotLiteral } from "../Literals.js"
import { access, layerOf } from "../phantom.js"
import { made } from "../Remote.js"
import type { MissingKey, UnknownKey } from "../spelling.js"
import {
  Agent,
  AgentChange,
  AgentDraft,
  AgentGrant,
  AgentsError,
  type AgentsOperations
} from "./AgentsOperations.js"

/**
 * @since 0.1.0
 * @category schemas
 */
const AgentsVerb = oneOf("create", "update", "delete", "grant")

/**
 * The id of an agent that a tool declares.
 *
 * @since 0.1.0
 * @category schemas
 */
const AgentId = declared("AgentId", agentId.parse)

/**
 * The `agents` of a declaration.
 *
 * @since 0.1.0
 * @category schemas
 */
export const AgentsDeclaration = Schema.Struct({
  verbs: Schema.Array(AgentsVerb),
  ids: Schema.optionalWith(Schema.Array(AgentId), { exact: true })
}).annotations({ parseOptions: { onExcessProperty: "error" } })

/**
 * @since 0.1.0
 * @category symbols
 */
const AgentsVerbTypeId: unique symbol = Symbol.for("bailiwick/AgentsVerb")

/**
 * @since 0.1.0
 */
export declare namespace Agents {
  /**
   * @since 0.1.0
   * @category models
   */
  export type Agent = typeof Agent.Type

  /**
   * @since 0.1.0
   * @category models
   */
  export type Draft = typeof AgentDraft.Type

  /**
   * @since 0.1.0
   * @category models
   */
  export type Change = typeof AgentChange.Type

  /**
   * @since 0.1.0
   * @category models
   */
  export type Grant = typeof AgentGrant.Type

  /**
   * @since 0.1.0
   * @category models
   */
  export type VerbName = typeof AgentsVerb.Type

  /**
   * The requirement "may do V to agents".
   *
   * @since 0.1.0
   * @category requirements
   */
  export interface Verb<out V extends string> {
    readonly [AgentsVerbTypeId]: V
  }

  /**
   * The requirement that a declared verb supplies.
   *
   * @since 0.1.0
   * @category requirements
   */
  export type Declared<D extends string> = string extends D
    ? Verb<string> | NotLiteral
    : D extends unknown
      ? Verb<D>
      : never

  /**
   * The requirements that a declaration supplies, or the sentences that say what is wrong with it.
   *
   * @since 0.1.0
   * @category requirements
   */
  export type Supplied<D> = keyof D extends "verbs" | "ids"
    ? D extends { readonly verbs: ReadonlyArray<infer V extends string> }
      ? Agents | Declared<V>
      : MissingKey<"agents", D, "verbs">
    : UnknownKey<"agents", D, "verbs" | "ids", "verbs, ids"> | Known<D>

  type Known<D> = D extends { readonly verbs: unknown } ? Supplied<Pick<D, "verbs">> : never

  /**
   * Everything that the category can be asked for. A mock supplies it.
   *
   * @since 0.1.0
   * @category requirements
   */
  export type Everything = Agents | Verb<string>

  /**
   * The operations over plain data, as a backend implements them. `grant` adds to what an agent holds, and answers
   * with the agent.
   *
   * @since 0.1.0
   * @category models
   */
  export interface Operations extends AgentsOperations {}

  /**
   * @since 0.1.0
   * @category models
   */
  export interface Service {
    readonly create: (
      draft: typeof AgentDraft.Type
    ) => Effect.Effect<typeof Agent.Type, AgentsError, Verb<"create">>
    readonly update: (
      change: typeof AgentChange.Type
    ) => Effect.Effect<typeof Agent.Type, AgentsError, Verb<"update">>
    readonly delete: (id: string) => Effect.Effect<void, AgentsError, Verb<"delete">>
    readonly grant: (
      grant: typeof AgentGrant.Type
    ) => Effect.Effect<typeof Agent.Type, AgentsError, Verb<"grant">>
  }

  /**
   * @since 0.1.0
   * @category testing
   */
  export type MockAgent = Partial<typeof Agent.Type> & { readonly id: string }
}

/**
 * @since 0.1.0
 * @category tags
 */
export class Agents extends Context.Tag("bailiwick/Agents")<Agents, Agents.Service>() {
  /** Schemas of the declaration, and of what goes in and out of the operations. */
  static readonly schemas = {
    Declaration: AgentsDeclaration,
    Verb: AgentsVerb,
    Id: AgentId,
    Agent,
    Draft: AgentDraft,
    Change: AgentChange,
    Grant: AgentGrant
  } as const

  /** The operations as data, for a service on the far side of a process boundary. */
  static readonly operations = {
    create: { payload: AgentDraft, success: Agent, failure: AgentsError },
    update: { payload: AgentChange, success: Agent, failure: AgentsError },
    delete: { payload: Schema.Struct({ id: Schema.String }), success: Schema.Void, failure: AgentsError },
    grant: { payload: AgentGrant, success: Agent, failure: AgentsError }
  } as const

  /** Makes the service from its operations. */
  static make(operations: Agents.Operations): Agents.Service {
    const service: Agents.Service = {
      create: operations.create,
      update: operations.update,
      delete: (id) => operations.delete({ id }),
      grant: operations.grant
    }
    return made(service, operations)
  }

  /**
   * Makes an agent, and answers with it. `agents.verbs` must hold `create`. Fails with `AGENT_EXISTS` when the id is
   * taken, and with `AGENT_NOT_REACHABLE` when it is not permitted. A front matter with `capabilities`, `access` or
   * `sandbox` asks for `grant` as well.
   *
   * @example
   * ```ts
   * import { Agents } from "bailiwick"
   *
   * export const scout = Agents.create({ id: "agents/scout", body: "You watch releases." })
   * ```
   */
  static readonly create: Agents.Service["create"] = (draft) =>
    access(Agents, (agents) => agents.create(draft))

  /**
   * Changes an agent in the way that `Records.update` changes a record, and answers with it. `agents.verbs` must hold
   * `update`. Fails with `AGENT_NOT_FOUND`, `AGENT_NOT_REACHABLE`, or `AGENT_CHANGED` when another write came
   * between. Authority in the front matter asks for `grant`, as in `create`.
   *
   * @example
   * ```ts
   * import { Agents } from "bailiwick"
   *
   * export const told = Agents.update({ id: "agents/scout", body: "You watch releases, and tell of each." })
   * ```
   */
  static readonly update: Agents.Service["update"] = (change) =>
    access(Agents, (agents) => agents.update(change))

  /**
   * Deletes an agent. `agents.verbs` must hold `delete`. Fails with `AGENT_NOT_FOUND` or `AGENT_NOT_REACHABLE`.
   *
   * @example
   * ```ts
   * import { Agents } from "bailiwick"
   *
   * export const gone = Agents.delete("agents/scout")
   * ```
   */
  static readonly delete: Agents.Service["delete"] = (id) => access(Agents, (agents) => agents.delete(id))

  /**
   * Adds grants to what an agent holds, and answers with the agent. `agents.verbs` must hold `grant`. The agent whose
   * turn it is can give only what it holds, and nothing to itself: that fails with `EXCEEDS_GRANTOR_AUTHORITY` or
   * `SELF_MODIFICATION`.
   *
   * @example
   * ```ts
   * import { Agents } from "bailiwick"
   *
   * export const given = Agents.grant({ agent: "agents/scout", grants: ["net.get{hosts=[api.github.com]}"] })
   * ```
   */
  static readonly grant: Agents.Service["grant"] = (grant) => access(Agents, (agents) => agents.grant(grant))

  /** A layer of the service over these operations. It supplies everything that the category can be asked for. */
  static layer(operations: () => Agents.Operations): Layer.Layer<Agents.Everything> {
    return layerOf<Agents.Everything>()(Agents, () => Agents.make(operations()))
  }

  /** A test double that keeps the given agents in memory, and grants everything that it is asked to. */
  static mock(agents: ReadonlyArray<Agents.MockAgent> = []): Layer.Layer<Agents.Everything> {
    return Agents.layer(() => Agents.memory(agents))
  }

  /** The operations of the mock. */
  static memory(agents: ReadonlyArray<Agents.MockAgent>): Agents.Operations {
    return memoryAgents(agents)
  }

  /** A test double made of a part of the service. A method that is missing dies when it is called, and names itself. */
  static layerTest(service: Partial<Agents.Service>): Layer.Layer<Agents.Everything> {
    return layerOf<Agents.Everything>()(Agents, () =>
      complete("Agents", { create: "effect", update: "effect", delete: "effect", grant: "effect" }, service)
    )
  }
}

const memoryAgents = (agents: ReadonlyArray<Agents.MockAgent>): Agents.Operations => {
  const held = new Map<string, typeof Agent.Type>()
  const write = (agent: Agents.MockAgent) => {
    const whole = { frontMatter: {}, body: "", grants: [], ...agent }
    held.set(agent.id, whole)
    return whole
  }
  for (const agent of agents) write(agent)
  const find = (id: string) =>
    Effect.suspend(() => {
      const agent = held.get(id)
      return agent === undefined
        ? new AgentsError({ code: "AGENT_NOT_FOUND", detail: `there is no agent ${id}` })
        : Effect.succeed(agent)
    })
  return {
    create: (draft) =>
      Effect.suspend(() =>
        held.has(draft.id)
          ? new AgentsError({ code: "AGENT_EXISTS", detail: `there is already an agent ${draft.id}` })
          : Effect.succeed(write(draft))
      ),
    update: ({ revision: _, ...change }) =>
      Effect.map(find(change.id), (agent) => write({ ...agent, ...change })),
    delete: ({ id }) =>
      Effect.map(find(id), () => {
        held.delete(id)
      }),
    grant: ({ agent, grants }) =>
      Effect.map(find(agent), (holder) =>
        write({ ...holder, grants: [...new Set([...holder.grants, ...grants])] })
      )
  }
}
