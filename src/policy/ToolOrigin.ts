/** Where a tool comes from: the plugin that its host registered it for, or the MCP server that its name tells. */

const PREFIX = "mcp__"

/** A server's name has no two underscores in a row and none at its end, or nobody could say where it ends. */
const SERVER = "(?:[A-Za-z0-9-]|_(?!_|$))+"

const TOOL_OF_SERVER = new RegExp(`^${PREFIX}(${SERVER})__(?=.)`)

const WHOLE_SERVER = new RegExp(`^(?=.{1,64}$)${SERVER}$`)

export const isServerName = (text: string): boolean => WHOLE_SERVER.test(text)

/** The server of `mcp__<server>__<tool>`; of such a name that tells none, one that no list can hold. */
export const serverOf = (tool: string): string | undefined =>
  tool.startsWith(PREFIX) ? (TOOL_OF_SERVER.exec(tool)?.[1] ?? "") : undefined

const PLUGIN = /^(?:@[A-Za-z0-9][A-Za-z0-9._-]{0,63}\/)?[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/

export const isPluginName = (text: string): boolean => PLUGIN.test(text)
