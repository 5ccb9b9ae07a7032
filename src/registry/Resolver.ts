/**
 * Makes the services that a tool gets in a turn.
 *
 * @since 0.1.0
 */
import { type Context, Effect, Layer } from "effect"
import type { BackendsOf, ServicesOf } from "../capabilities/Capabilities.js"
import type { Policy } from "../policy/Policy.js"
import type { Origin } from "../policy/ToolOrigin.js"
import type * as Tool from "../tools/Tool.js"
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
  /** What tools were registered for, by the name of the tool. */
  readonly origins?: ReadonlyMap<string, Origin> | undefined
}

/**
 * Compiles a policy for the tools of a registry.
 *
 * @since 0.1.0
 * @category resolving
 */
export const plan = (registry: Tools, policy: Policy, options: { readonly home?: string } = {}): Plan =>
  new Plan(policy, options.home, registry.tools, registry.origins ?? new Map())

/** The services live for as long as their layer does. */
const contextFor = (tool: Tool.Any, turn: Turn, origin: Origin, ambient: Context.Context<never>) => {
  const named = new Map([[tool.name, tool]])
  const planned = new Plan(turn.policy, turn.home, named, new Map([[tool.name, origin]]))
  const session = new Session(turn, planned, ambient, tool.services)
  let isOpen = true
  const closing = Effect.addFinalizer(() =>
    Effect.sync(() => {
      isOpen = false
    })
  )
  return Effect.zipRight(
    closing,
    Effect.flatMap(planned.of(tool), (found) => Effect.flatten(session.make(found, () => isOpen)))
  )
}

/**
 * The services of one tool in one turn: the meet of its declaration and the turn's policy, over the backends that the
 * surrounding program provides. A declared category without a backend fails with `NotAvailable`, before anything
 * runs. The application services that the tool lists are required, and given through. It does not ask whether the policy's toolset offers the tool; `registry.execute` does. `origin` is what the tool
 * was registered for, where it is not the host's own.
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
export const layer = <Name extends string, Args, A, E, Caps, App>(
  tool: Tool.Tool<Name, Args, A, E, Caps, App>,
  turn: Turn,
  origin: Origin = {}
): Layer.Layer<ServicesOf<Caps> | Tool.Known<App>, NotAvailable, Tool.Known<App>> =>
  Layer.scopedContext(
    Effect.flatMap(Effect.context<never>(), (ambient) => contextFor(tool, turn, origin, ambient))
  ) as Layer.Layer<never, NotAvailable> as Layer.Layer<ServicesOf<Caps> | Tool.Known<App>, NotAvailable>

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
export const layerRequiring = <Name extends string, Args, A, E, Caps, App>(
  tool: Tool.Tool<Name, Args, A, E, Caps, App>,
  turn: Turn,
  origin: Origin = {}
): Layer.Layer<ServicesOf<Caps> | Tool.Known<App>, NotAvailable, BackendsOf<Caps> | Tool.Known<App>> =>
  layer(tool, turn, origin)
