/** Tools as they are listed: their words and schemas, and what their declaration says of them as hints. */
import type { Item } from "../../registry/Registry.js"
import type { Turn } from "../../registry/Turn.js"
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
    openWorldHint: unknown || reachesOut
  }
}

/** `read_file` as `Read file`. */
const titleOf = (name: string): string => {
  const words = name.replace(/[_-]+/g, " ").trim()
  return words === "" ? name : `${words[0]?.toUpperCase()}${words.slice(1)}`
}

export const listedTool = (item: Item, tool: Tool.Any | undefined, turn: Turn): object => {
  const { description, name, outputIsUntrusted, parameters, surface } = item
  const title = titleOf(name)
  const output = tool === undefined ? undefined : listedOutput(tool, turn)
  return {
    name,
    title,
    description,
    inputSchema: parameters,
    ...(output === undefined ? {} : { outputSchema: output.schema }),
    ...(tool === undefined ? {} : { annotations: annotationsOf(tool, title) }),
    _meta: {
      "bailiwick/touches": surface,
      ...(outputIsUntrusted ? { "bailiwick/untrusted": true } : {})
    }
  }
}
