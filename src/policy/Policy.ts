/**
 * What an agent may touch, wherever it was written: a personality, grants, or code. Front ends make one of these, and
 * everything behind them reads nothing else.
 *
 * @since 0.1.0
 */

import * as Floor from "./gate/floor/Floor.js"
import * as Authority from "./lattice/Authority.js"
import type { Capability, Facet } from "./lattice/Facets.js"
import { lazy } from "./Memo.js"
import * as Sandbox from "./Sandbox.js"
import type { Place, Source } from "./Source.js"
import type { Origin } from "./ToolOrigin.js"
import { digest } from "./text/Digest.js"

/**
 * A facet that the policy may leave to what tools declare.
 *
 * @since 0.1.0
 * @category models
 */
export type Deferred = Extract<Facet, "process" | "secrets" | "storage" | "attachments">

/**
 * @since 0.1.0
 * @category models
 */
export interface Policy {
  /** Names what was written: another text has another revision. */
  readonly revision: string
  /** The personality that is active, if one is. */
  readonly personality: string | undefined
  /** The agent that acts, if it is one with a record. */
  readonly agent: string | undefined
  /** The tools that may be called by name; `offers` has the whole answer. */
  readonly toolset: ReadonlySet<string> | undefined
  /** The plugins and the MCP servers whose tools may be called; without a list, as the toolset says. */
  readonly plugins: ReadonlySet<string> | undefined
  readonly servers: ReadonlySet<string> | undefined
  readonly authority: Authority.Authority
  /** The capabilities that are spoken of, be it without any scope: what is asked of them is outside, not absent. */
  readonly mentioned: ReadonlySet<Capability>
  /** The facets of which the policy says nothing: a tool gets of them what it declares by name. */
  readonly asDeclared: ReadonlySet<Deferred>
  /** What a tool may get at most of those. */
  readonly ceiling: Authority.Authority
  readonly floor: Floor.Floor
  /** Whether children must be held by the kernel; without a word, they must where they can be. */
  readonly sandbox: Sandbox.Mode | undefined
  /** What bounds children, as far as it is written. */
  readonly limits: Sandbox.Limits
  /** Where what it holds is written. */
  readonly sources: ReadonlyArray<Source>
  /** Where more of it would be written. */
  readonly place: Place | undefined
  /** The policies that must all allow what this one does; one that is not made of others has only itself. */
  readonly parts: ReadonlyArray<Policy>
}

/**
 * @since 0.1.0
 * @category models
 */
export interface Options {
  readonly authority: Authority.Authority
  readonly personality?: string | undefined
  readonly agent?: string | undefined
  readonly toolset?: Iterable<string> | undefined
  readonly plugins?: Iterable<string> | undefined
  readonly servers?: Iterable<string> | undefined
  readonly mentioned?: Iterable<Capability> | undefined
  readonly asDeclared?: Iterable<Deferred> | undefined
  readonly ceiling?: Authority.Authority | undefined
  readonly floor?: Floor.Floor | undefined
  /**
   * The paths that are named exactly, to lift what runs later by itself; without them, those of the authority that are
   * no patterns.
   */
  readonly named?: Floor.Lifted | undefined
  /** A mode, or `{ mode, limits }`. */
  readonly sandbox?: Sandbox.Given | undefined
  /** Worked out when somebody asks, where that is a function. */
  readonly sources?: ReadonlyArray<Source> | (() => ReadonlyArray<Source>) | undefined
  readonly place?: Place | undefined
}

const setOf = (given: Iterable<string> | undefined): ReadonlySet<string> | undefined =>
  given === undefined ? undefined : new Set(given)

const sorted = (given: ReadonlySet<string> | undefined) => (given === undefined ? null : [...given].sort())

/**
 * @since 0.1.0
 * @category constructors
 */
export const make = (options: Options): Policy => {
  const toolset = setOf(options.toolset)
  const plugins = setOf(options.plugins)
  const servers = setOf(options.servers)
  const { sources: given = [] } = options
  const sources = lazy(() => (typeof given === "function" ? given() : given))
  const asDeclared = new Set(options.asDeclared ?? [])
  const ceiling = options.ceiling ?? Authority.everything
  const floor = Floor.lifting(
    options.floor ?? Floor.standard,
    options.named ?? Floor.namedIn(options.authority)
  )
  const mentioned = new Set(options.mentioned ?? [])
  const held = Sandbox.from(options.sandbox)
  const written = [
    options.personality ?? null,
    options.agent ?? null,
    [toolset, plugins, servers].map(sorted),
    [...mentioned].sort(),
    [...asDeclared].sort(),
    floor,
    held.mode ?? null,
    held.limits,
    ceiling,
    options.authority
  ]
  return Object.freeze<Policy>({
    revision: digest(JSON.stringify(written)),
    personality: options.personality,
    agent: options.agent,
    toolset,
    plugins,
    servers,
    authority: options.authority,
    mentioned,
    asDeclared,
    ceiling,
    floor,
    sandbox: held.mode,
    limits: Object.freeze(held.limits),
    place: options.place,
    get sources() {
      return sources()
    },
    get parts() {
      return [this]
    }
  })
}

const union = <A>(a: Iterable<A>, b: Iterable<A>): ReadonlyArray<A> => [...new Set([...a, ...b])]

const common = (
  a: ReadonlySet<string> | undefined,
  b: ReadonlySet<string> | undefined
): ReadonlySet<string> | undefined =>
  a === undefined || b === undefined ? (a ?? b) : new Set([...a].filter((name) => b.has(name)))

/**
 * How a policy has children held.
 *
 * @since 0.1.0
 * @category models
 */
export const sandboxOf = ({ limits, sandbox }: Policy): Sandbox.Settings => ({ mode: sandbox, limits })

/**
 * What two policies both allow: a personality and an agent's record.
 *
 * @since 0.1.0
 * @category combinators
 */
export const meet = (a: Policy, b: Policy): Policy => {
  const sources = lazy(() => [...a.sources, ...b.sources])
  const { limits, mode } = Sandbox.meet(sandboxOf(a), sandboxOf(b))
  return Object.freeze<Policy>({
    revision: digest(JSON.stringify([a.revision, b.revision])),
    personality: a.personality ?? b.personality,
    agent: a.agent ?? b.agent,
    toolset: common(a.toolset, b.toolset),
    plugins: common(a.plugins, b.plugins),
    servers: common(a.servers, b.servers),
    authority: Authority.meet(a.authority, b.authority),
    mentioned: new Set(union(a.mentioned, b.mentioned)),
    asDeclared: new Set([...a.asDeclared].filter((facet) => b.asDeclared.has(facet))),
    ceiling: Authority.meet(a.ceiling, b.ceiling),
    floor: Floor.meet(a.floor, b.floor),
    sandbox: mode,
    limits,
    place: a.place ?? b.place,
    get sources() {
      return sources()
    },
    parts: [...a.parts, ...b.parts]
  })
}

/**
 * A tool as a policy sees it: by its name, and by what it was registered for.
 *
 * @since 0.1.0
 * @category models
 */
export interface Offered extends Origin {
  readonly name: string
}

const offeredBy = ({ plugins, servers, toolset }: Policy, { name, plugin, server }: Offered): boolean => {
  if (toolset?.has(name) === true) return true
  const lists = [
    [plugin, plugins],
    [server, servers]
  ] as const
  const origins = lists.filter(([origin]) => origin !== undefined)
  const byToolset = toolset === undefined
  if (origins.length === 0) return byToolset
  return origins.every(([origin = "", list]) => (list === undefined ? byToolset : list.has(origin)))
}

/**
 * Whether a tool may be called. The toolset names tools; those of plugins and MCP servers are also offered as a whole,
 * by lists of their own. Where there is a toolset and no such list, only its names count; where there is neither, all
 * tools do.
 *
 * @since 0.1.0
 * @category predicates
 */
export const offers = ({ parts }: Policy, tool: Offered): boolean =>
  parts.every((part) => offeredBy(part, tool))

/**
 * What to write so that a tool is offered.
 *
 * @since 0.1.0
 * @category predicates
 */
export const remedyFor = ({ toolset }: Policy, { name, plugin, server }: Offered): string => {
  const whole =
    plugin !== undefined ? `${plugin} to plugins` : server !== undefined && `${server} to mcp_servers`
  const alone = `add ${name} to the toolset`
  if (!whole) return alone
  // A toolset where there was none would take all other tools away.
  return toolset === undefined ? `add ${whole}` : `${alone}, or ${whole}`
}
