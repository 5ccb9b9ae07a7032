/**
 * Makes the services that a tool gets in a turn.
 *
 * @since 0.1.0
 */
import { type Context, Effect, Layer } from "effect"
import type { BackendsOf, ServicesOf } from "../capabilities/Capabilities.js"
import type { Policy } from "../policy/Policy.js"
import type * as Tool from "../tools/Tool.js"
import * as Backends from "./Backends.js"
import { Session } from "./execution/Session.js"
import type { NotAvailable } from "./NotAvailable.js"
import { Plan } from "./Plan.js"
import type { Turn } from "./Turn.js"

/**
 * Holds tools by name. A registry is one.
 *
 * @since 0.1.0
 * @category models
 */
export interface Tools {
  readonly tools: ReadonlyMap<string, Tool.Any>
  /** The plugins of the tools that come from one, by the name of the tool. */
  readonly plugins?: ReadonlyMap<string, string> | undefined
}

/**
 * Compiles a policy for the tools of a registry.
 *
 * @since 0.1.0
 * @category resolving
 */
export const plan = (registry: Tools, policy: Policy, options: { readonly home?: string } = {}): Plan =>
  new Plan(policy, options.home, registry.tools, registry.plugins ?? new Map())

const contextFor = (tool: Tool.Any, turn: Turn, ambient: Context.Context<never>) => {
  const planned = new Plan(turn.policy, turn.home, new Map([[tool.name, tool]]), new Map())
  const session = new Session(turn, planned, Backends.from(ambient))
  return Effect.flatMap(planned.of(tool), (found) => Effect.flatten(session.make(found)))
}

/**
 * The services of one tool in one turn: the meet of its declaration and the turn's policy, over the backends that the
 * surrounding program provides. A declared category without a backend fails with `NotAvailable`, before anything
 * runs. It does not ask whether the policy's toolset offers the tool; `registry.execute` does.
 *
 * @example
 * ```ts
 * import { AgentRecord, Builtin, Resolver, Tool, Turn } from "bailiwick"
 * import { MemoryRecords } from "bailiwick/node"
 * import { Effect } from "effect"
 *
 * const text = "---\nclass: agent\naccess: r\n---\nYou read records.\n"
 * const reader = AgentRecord.parse({ id: "agents/reader", file: "reader.md", text }, {})
 * const turn = Turn.make({ session: "s1", policy: AgentRecord.policy(reader), workdir: "/work" })
 *
 * const program = Tool.run(Builtin.getRecord, { id: "notes/milk" }).pipe(
 *   Effect.provide(Resolver.layer(Builtin.getRecord, turn)),
 *   Effect.provide(MemoryRecords.layer([{ id: "notes/milk", text: "Buy milk" }]))
 * )
 * console.log((await Effect.runPromise(program)).body)
 * ```
 *
 * ```text output
 * Buy milk
 * ```
 *
 * @since 0.1.0
 * @category layers
 */
export const layer = <Name extends string, Args, A, E, Caps>(
  tool: Tool.Tool<Name, Args, A, E, Caps>,
  turn: Turn
): Layer.Layer<ServicesOf<Caps>, NotAvailable> =>
  Layer.effectContext(
    Effect.flatMap(Effect.context<never>(), (ambient) => contextFor(tool, turn, ambient))
  ) as Layer.Layer<never, NotAvailable> as Layer.Layer<ServicesOf<Caps>, NotAvailable>

/**
 * As `layer`, with the backends as requirements: a program that does not provide one does not compile.
 *
 * @example
 * ```ts
 * import { Builtin, type NotAvailable, Resolver, type Storage, type Turn } from "bailiwick"
 * import type { Layer } from "effect"
 *
 * export const services = (turn: Turn.Turn): Layer.Layer<Storage, NotAvailable> =>
 *   Resolver.layerRequiring(Builtin.kvGet, turn)
 * // error: Type 'StorageBackend' is not assignable to type 'never'
 * ```
 *
 * @since 0.1.0
 * @category layers
 */
export const layerRequiring = <Name extends string, Args, A, E, Caps>(
  tool: Tool.Tool<Name, Args, A, E, Caps>,
  turn: Turn
): Layer.Layer<ServicesOf<Caps>, NotAvailable, BackendsOf<Caps>> => layer(tool, turn)
