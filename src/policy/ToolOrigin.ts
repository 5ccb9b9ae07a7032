/**
 * Where a tool comes from: what its host said when it registered the tool, and never how the name looks.
 *
 * @since 0.1.0
 */

/**
 * A plugin, an MCP server, or a module that is isolated; none of them for a tool of the host itself.
 *
 * @since 0.1.0
 * @category models
 */
export interface Origin {
  readonly plugin?: string | undefined
  readonly server?: string | undefined
  /** The file of an isolated module, from the root of the workspace. */
  readonly module?: string | undefined
}

/** What a tool keeps for itself it shares with none of the same name that comes from elsewhere. */
export const ownerOf = (tool: string, { module, plugin, server }: Origin): string => {
  if (plugin !== undefined) return `plugin:${plugin}:${tool}`
  if (module !== undefined) return `module:${module}:${tool}`
  return server === undefined ? `tool:${tool}` : `mcp:${server}:${tool}`
}

/** Why a tool of this name cannot come from there. */
export const originRefused = (tool: string, { module, plugin, server }: Origin): string | undefined => {
  if ([module, plugin, server].filter((one) => one !== undefined).length > 1)
    return "a tool comes from a plugin, from a server or from a module; say one"
  if (module !== undefined && !isModuleName(module)) return "that is no file of a module"
  if (plugin !== undefined && !isPluginName(plugin)) return "that is no name of a plugin"
  if (server !== undefined) {
    if (!isServerName(server)) return "that is no name of a server"
    return serverOf(tool) === server ? undefined : `a tool of this server is named ${PREFIX}${server}__<tool>`
  }
  return tool.startsWith(PREFIX)
    ? `a name that begins with ${PREFIX} is a server's; say which when you register ${tool}, or give it another`
    : undefined
}

const PREFIX = "mcp__"

/** A server's name has no two underscores in a row and none at its end, or nobody could say where it ends. */
const SERVER = "(?:[A-Za-z0-9-]|_(?!_|$))+"

const TOOL_OF_SERVER = new RegExp(`^${PREFIX}(${SERVER})__(?=.)`)

const WHOLE_SERVER = new RegExp(`^(?=.{1,64}$)${SERVER}$`)

export const isServerName = (text: string): boolean => WHOLE_SERVER.test(text)

/** The server that a name such as `mcp__<server>__<tool>` is reserved for: of one that tells none, one that no list can hold. */
export const serverOf = (tool: string): string | undefined =>
  tool.startsWith(PREFIX) ? (TOOL_OF_SERVER.exec(tool)?.[1] ?? "") : undefined

/** Two spellings that a reader would take for one name count as one name. */
export const looksLike = (name: string): string => name.toLowerCase().replaceAll("-", "_")

const TOOL = /^[A-Za-z0-9_-]{1,64}$/

export const isToolName = (text: string): boolean => TOOL.test(text)

const PLUGIN = /^(?:@[A-Za-z0-9][A-Za-z0-9._-]{0,63}\/)?[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/

export const isPluginName = (text: string): boolean => PLUGIN.test(text)

const LONGEST_MODULE = 1024

/** A path that a reader sees whole, and that does not leave where it starts. */
export const isModuleName = (text: string): boolean =>
  text.length <= LONGEST_MODULE &&
  /^[^\p{C}\p{Z}/](?:[^\p{C}\p{Zl}\p{Zp}]*[^\p{C}\p{Z}])?$/u.test(text) &&
  !text.split("/").some((part) => part === "" || part === "." || part === "..")
