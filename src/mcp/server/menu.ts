/** Tools as they are listed: their words and schemas, and what their declaration says of them as hints. */
import * as Authority from "../../policy/lattice/Authority.js"
import { capabilities } from "../../policy/lattice/Facets.js"
import type { Registration } from "../../registry/Plan.js"
import type { Item } from "../../registry/Registry.js"
import type { Turn } from "../../registry/Turn.js"
import { saysIdempotent } from "../../tools/Isolation.js"
import type * as Tool from "../../tools/Tool.js"
import { listedOutput } from "./calls.js"

/**
 * What a client may tell its user. A tool that declares nothing that could change anything is as good as read-only; of a
 * service of the program nobody knows, so that it may do anything.
 */
const annotationsOf = (tool: Tool.Any, title: string) => {
  const { agents, fs_reach, network, process, records, storage } = tool.capabilities
  const unknown = tool.services.length > 0
  const reachesOut = network !== undefined || process !== undefined
  const mayWrite =
    unknown ||
    reachesOut ||
    fs_reach?.write !== undefined ||
    storage !== undefined ||
    agents !== undefined ||
    records?.verbs.some((verb: string) => verb !== "read") === true
  const writes = mayWrite && !tool.readOnly
  return {
    title,
    readOnlyHint: !writes,
    destructiveHint: writes,
    ...(writes && saysIdempotent(tool) ? { idempotentHint: true } : {}),
    openWorldHint: unknown || reachesOut
  }
}

/** What changes nothing, wherever it is read from. */
const READS: ReadonlySet<string> = new Set([
  "network.get",
  "files.read",
  "secrets.read",
  "secrets.seal",
  "attachments.read",
  "records.read"
])

/**
 * A tool of a server of others declares nothing, and may do whatever its server may: what it says of itself counts only
 * where the server is held to that.
 */
const foreignAnnotations = (tool: Tool.Any, title: string, { own, requires }: Registration) => {
  const known = requires === undefined || requires === "unknown" ? Authority.everything : requires
  const touched = capabilities.filter(({ name }) => Authority.shown(known, name).length > 0)
  const isHere = own?.scopes.process.exec.isEmpty === false
  const reads = tool.readOnly && isHere && touched.every(({ name }) => READS.has(name))
  return {
    title,
    readOnlyHint: reads,
    destructiveHint: !reads,
    openWorldHint: !isHere || touched.some(({ facet }) => facet === "network")
  }
}

/** `read_file` as `Read file`. */
const titleOf = (name: string): string => {
  const words = name.replace(/[_-]+/g, " ").trim()
  return words === "" ? name : `${words[0]?.toUpperCase()}${words.slice(1)}`
}

const hintsOf = (tool: Tool.Any, title: string, origin: Registration) =>
  origin.server === undefined ? annotationsOf(tool, title) : foreignAnnotations(tool, title, origin)

/** What a tool touches, in words: that of a server whatever the server requires. */
const touchesOf = ({ surface }: Item, { requires, server }: Registration): ReadonlyArray<string> =>
  server === undefined || requires === undefined || requires === "unknown"
    ? surface
    : Authority.describe(requires)

export const listedTool = (
  item: Item,
  tool: Tool.Any | undefined,
  turn: Turn,
  origin: Registration = {}
): object => {
  const { description, name, outputIsUntrusted, parameters } = item
  const title = titleOf(name)
  const output = tool === undefined ? undefined : listedOutput(tool, turn)
  return {
    name,
    title,
    description,
    inputSchema: parameters,
    ...(output === undefined ? {} : { outputSchema: output.schema }),
    ...(tool === undefined ? {} : { annotations: hintsOf(tool, title, origin) }),
    _meta: {
      "bailiwick/touches": touchesOf(item, origin),
      ...(outputIsUntrusted ? { "bailiwick/untrusted": true } : {})
    }
  }
}
