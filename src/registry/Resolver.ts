/**
 * From a tool and a turn to the services that the tool gets.
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
 * Whatever holds tools by name: a registry, or a map.
 *
 * @since 0.1.0
 * @category models
 */
export interface Tools {
  readonly tools: ReadonlyMap<string, Tool.Any>
  /** The plugins of those that come from one. */
  readonly plugins?: ReadonlyMap<string, string> | undefined
}

/**
 * A policy compiled for the tools of a registry.
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
 * The services of one tool in one turn: the meet of its declaration and the turn's policy, over whichever backends the
 * surrounding program provides. A declared category without one fails here, before anything runs.
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
 * As `layer`, with the backends as requirements: what is not wired does not compile.
 *
 * @since 0.1.0
 * @category layers
 */
export const layerRequiring = <Name extends string, Args, A, E, Caps>(
  tool: Tool.Tool<Name, Args, A, E, Caps>,
  turn: Turn
): Layer.Layer<ServicesOf<Caps>, NotAvailable, BackendsOf<Caps>> => layer(tool, turn)
