/**
 * What tools touch, written down to be reviewed: `bailiwick.lock.json`. A tool that is new, or that touches more than is
 * written there, is found before it is merged.
 *
 * @since 0.1.0
 */
import type { Origin } from "../../policy/ToolOrigin.js"
import type * as Tool from "../../tools/Tool.js"
import { changeOf, isForeign } from "./compare.js"
import { lockedOf } from "./locked.js"
import { FILE, type Manifest } from "./Model.js"

export { compare } from "./compare.js"
export { parse, parseSync, print } from "./file.js"
export {
  type Change,
  type Comparison,
  FILE,
  type Kind,
  type Line,
  type Locked,
  type Manifest,
  ManifestInvalid
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

const reviewed = `look at it, and run 'bailiwick manifest'`

/**
 * Why a tool of a server or a plugin is kept out of every menu: it is not in the lock, or is not as it is there. Nothing
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
