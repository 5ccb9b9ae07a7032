/**
 * What tools touch, written down to be reviewed: `bailiwick.lock.json`. A tool that is new, or that touches more than is
 * written there, is found before it is merged.
 *
 * @since 0.1.0
 */
import type { Kind as Inquiry } from "../../policy/server/Inquiry.js"
import type { Origin } from "../../policy/ToolOrigin.js"
import type * as Tool from "../../tools/Tool.js"
import { changeOf, isForeign } from "./compare.js"
import { lockedOf, lockedWords } from "./locked.js"
import { FILE, type Isolated, type Locked, type Manifest, type Pinned } from "./Model.js"

export { compare } from "./compare.js"
export { parse, parseSync, print } from "./file.js"
export {
  type Change,
  type Comparison,
  FILE,
  type Isolated,
  type Kind,
  type Line,
  type Locked,
  type LockedServer,
  type Manifest,
  ManifestInvalid,
  type Pinned,
  type ServerChange
} from "./Model.js"
export { report, type Told } from "./report.js"

/** As much of a registry as is written down. */
interface Tools {
  readonly tools: ReadonlyMap<string, Tool.Any>
  readonly origins: ReadonlyMap<string, Origin>
}

/**
 * Nothing at all: what there is before a lock was written.
 *
 * @since 0.1.0
 * @category constructors
 */
export const empty: Manifest = { tools: new Map() }

/**
 * The tools of a registry as a lock has them.
 *
 * @example
 * ```ts
 * import { Manifest, Network, Registry, Tool } from "bailiwick"
 * import { Schema } from "effect"
 *
 * const before = Tool.make({
 *   name: "fetch_page",
 *   description: "Fetches a page",
 *   parameters: Schema.Struct({ url: Schema.String }),
 *   capabilities: { network: { allowedHosts: ["*.example.com"] } },
 *   execute: ({ url }) => Network.get(url)
 * })
 * const after = Tool.make({
 *   name: "fetch_page",
 *   description: "Fetches a page",
 *   parameters: Schema.Struct({ url: Schema.String }),
 *   capabilities: { network: { allowedHosts: ["www.example.com", "api.stripe.com"] } },
 *   execute: ({ url }) => Network.get(url)
 * })
 *
 * const [locked, now] = [Manifest.of(Registry.make(before)), Manifest.of(Registry.make(after))]
 * for (const { lines, title } of Manifest.report(Manifest.compare(locked, now))) console.log(title, lines)
 * ```
 *
 * ```text output
 * fetch_page touches more than is locked [
 *   '+ network.allowedHosts: api.stripe.com',
 *   '- network.allowedHosts: *.example.com'
 * ]
 * ```
 *
 * @since 0.1.0
 * @category constructors
 */
export const of = ({ origins, tools }: Tools): Manifest => ({
  tools: new Map([...tools].map(([name, tool]) => [name, lockedOf(tool, origins.get(name))]))
})

/**
 * A server, what it requires as it is written and may ask for, and what it says of its tools, by the names that these have in a registry.
 *
 * @since 0.1.0
 * @category models
 */
export interface Serving {
  readonly name: string
  readonly requires: ReadonlyArray<string>
  readonly allows?: ReadonlyArray<Inquiry> | undefined
  readonly tools: ReadonlyMap<string, Pinned>
}

const isFrom =
  (server: string) =>
  ([, { from }]: readonly [string, Locked]): boolean =>
    from.server === server

/**
 * The same with the tools of a server as it offers them, and without any that it offered before.
 *
 * @since 0.1.0
 * @category constructors
 */
export const pin = (manifest: Manifest, { allows = [], name, requires, tools }: Serving): Manifest => {
  const { servers, tools: others } = unpin(manifest, name)
  return {
    tools: new Map([
      ...others,
      ...[...tools].map(([tool, says]) => [tool, lockedWords(name, says)] as const)
    ]),
    servers: new Map([...(servers ?? []), [name, { requires, ...(allows.length === 0 ? {} : { allows }) }]])
  }
}

/**
 * The same without a server and its tools.
 *
 * @since 0.1.0
 * @category constructors
 */
export const unpin = ({ servers, tools }: Manifest, name: string): Manifest => {
  const others = new Map([...(servers ?? [])].filter(([one]) => one !== name))
  const from = isFrom(name)
  return {
    tools: new Map([...tools].filter((one) => !from(one))),
    ...(others.size === 0 ? {} : { servers: others })
  }
}

/**
 * What is accepted of the tools of each server: menus are made of it. The key is the name of the server.
 *
 * @since 0.1.0
 * @category deciding
 */
export const pinned = ({ tools }: Manifest): ReadonlyMap<string, ReadonlyArray<Pinned>> => {
  const byServer = new Map<string, Array<Pinned>>()
  for (const { from, says } of tools.values()) {
    if (from.server === undefined || says === undefined) continue
    byServer.set(from.server, [...(byServer.get(from.server) ?? []), says])
  }
  return byServer
}

/**
 * The same with what the processes of isolated tools say of them, by the name of the tool.
 *
 * @since 0.1.0
 * @category constructors
 */
export const describe = (manifest: Manifest, said: ReadonlyMap<string, Isolated>): Manifest => ({
  ...manifest,
  tools: new Map(
    [...manifest.tools].map(([name, tool]) => {
      const isolated = said.get(name)
      return [name, isolated === undefined ? tool : { ...tool, isolated }] as const
    })
  )
})

/**
 * What is accepted of the tools of each isolated module: menus are made of it. The key is the module.
 *
 * @since 0.1.0
 * @category deciding
 */
export const described = ({ tools }: Manifest): ReadonlyMap<string, ReadonlyArray<Isolated["says"]>> => {
  const byModule = new Map<string, Array<Isolated["says"]>>()
  for (const { isolated } of tools.values()) {
    if (isolated === undefined) continue
    byModule.set(isolated.module, [...(byModule.get(isolated.module) ?? []), isolated.says])
  }
  return byModule
}

const reviewed = `look at it, and run 'bailiwick manifest'`

/**
 * Why a tool of a server, a plugin or an isolated module is kept out of every menu: it is not in the lock, or is not as it is there. Nothing
 * for one that is, and for tools of the host itself. It says of a tool what `compare` says of it.
 *
 * @since 0.1.0
 * @category comparing
 */
export const withheld = (
  lock: Manifest | undefined,
  tool: Tool.Any,
  origin: Origin = {}
): string | undefined => {
  if (!isForeign(origin)) return undefined
  const locked = lock?.tools.get(tool.name)
  if (locked === undefined) return `${tool.name} is not in ${FILE}; ${reviewed}`
  return changeOf(tool.name, locked, lockedOf(tool, origin))?.passes === false
    ? `${tool.name} is not what ${FILE} says it is; ${reviewed}`
    : undefined
}
