/** The tools of a workspace: those that come along, and the team's own with the services that they use. */
import { join } from "node:path"
import { Layer } from "effect"
import type { Category } from "../../capabilities/Capabilities.js"
import * as Authority from "../../policy/lattice/Authority.js"
import type * as Skill from "../../policy/skill/Skill.js"
import * as Registry from "../../registry/Registry.js"
import { builtins } from "../../tools/builtin/index.js"
import * as Tool from "../../tools/Tool.js"
import { CliError } from "../CliError.js"
import { whenItEnds } from "../Ending.js"
import { HandOver } from "../HandOver.js"
import type { Surroundings } from "../Surroundings.js"
import type { Setting } from "./LoadPersonality.js"
import { lockIn } from "./Lock.js"
import { codeOf } from "./own/ImportedCode.js"
import { installationOf, isInstalled } from "./own/Installation.js"
import { type Loaded, loadModule, type OwnTool } from "./own/LoadModule.js"
import { layerOf } from "./own/OwnLayers.js"
import { requiredBy } from "./own/ToolRequirements.js"
import { NAME, type Workspace } from "./Workspace.js"

/** A module that is not taken, and the line that names it. */
export interface Refused {
  readonly file: string
  readonly line: number
  readonly error: CliError
  /** What loads it only has to be installed, and until then nothing is known of it. */
  readonly isDue?: boolean
}

export interface Tools {
  readonly registry: Registry.Registry
  /** The names of the team's own tools. */
  readonly own: ReadonlySet<string>
  /** The services of the team's own tools, for commands that call one of these. Built once, and released with the scope. */
  readonly layerFor: (names: Iterable<string>) => Layer.Layer<never, CliError>
  /** What the MCP server of a tool stands on; nothing for a tool of no server. */
  readonly serverNeeds?: (tool: string) => ReadonlyArray<Category>
  /** The setting, with all that was loaded on the floor: authority is to be read in this one. */
  readonly setting: Setting
}

/** The same, where what is wrong with a module does not stop the others. */
export interface Gathered extends Tools {
  readonly refused: ReadonlyArray<Refused>
}

const bundled: ReadonlyArray<OwnTool> = builtins.map((tool: Tool.Any) => ({
  tool,
  file: "bailiwick",
  exported: tool.name
}))

/** Which names are too much alike is for the registry to say. */
const registers = (...tools: ReadonlyArray<Tool.Any>): boolean => {
  try {
    Registry.make(...tools)
    return true
  } catch {
    return false
  }
}

const areDistinct = (own: ReadonlyArray<OwnTool>): boolean =>
  registers(...builtins, ...own.map(({ tool }) => tool))

const placeOf = ({ exported, file }: OwnTool): string =>
  file === "bailiwick" ? `the built-in tool ${exported}` : `${exported} of ${file}`

const once = (tools: ReadonlyArray<OwnTool>): ReadonlyArray<OwnTool> =>
  tools.filter(({ tool }, at) => tools.findIndex((one) => one.tool === tool) === at)

/** The tools whose names are free, in order; `taken` hears of the others. A tool may be exported several times. */
const distinct = (
  given: ReadonlyArray<OwnTool>,
  taken: (tool: OwnTool, by: OwnTool) => void
): ReadonlyArray<OwnTool> => {
  const tools = once(given)
  if (areDistinct(tools)) return tools
  const all = [...bundled]
  for (const own of tools) {
    const by = all.find(({ tool }) => !registers(tool, own.tool))
    if (by === undefined) all.push(own)
    else taken(own, by)
  }
  return all.slice(bundled.length)
}

const twice = (own: OwnTool, by: OwnTool): CliError =>
  new CliError(
    `${own.file}: the tool ${own.tool.name} (${own.exported}) has a name that is taken, or looks like one that is: ${by.tool.name}, ${placeOf(by)}; give one of them another name`
  )

interface Modules {
  readonly loaded: ReadonlyArray<Loaded>
  readonly refused: ReadonlyArray<Refused>
  readonly code: ReadonlyArray<string>
}

const nothing: Modules = { loaded: [], refused: [], code: [] }

/** A program that has a library of its own cannot load what another copy made: the workspace's does. */
const elsewhere = ({ root, tools }: Workspace, { version = "" }: Surroundings): Modules => {
  const found = installationOf(root, version)
  if (isInstalled(found)) throw new HandOver(found.program)
  const file = join(root, NAME)
  const error = new CliError(`${file} ${found.detail}; ${found.remedy}`)
  return { ...nothing, refused: [{ file, line: tools[0]?.line ?? 1, error, isDue: found.isDue }] }
}

const isDue = ({ root }: Workspace, { version = "" }: Surroundings): boolean => {
  const found = installationOf(root, version)
  return !isInstalled(found) && found.isDue
}

const modulesOf = async (workspace: Workspace, around: Surroundings): Promise<Modules> => {
  const { load } = around
  if (load === undefined || isDue(workspace, around)) return elsewhere(workspace, around)
  const loaded: Array<Loaded> = []
  const refused: Array<Refused> = []
  const code: Array<string> = []
  for (const module of workspace.tools) {
    try {
      code.push(...codeOf(module.file, workspace.root, workspace.tools))
      loaded.push(await loadModule(module, workspace.root, load, around.env))
    } catch (error) {
      if (!(error instanceof CliError)) throw error
      refused.push({ ...module, error })
    }
  }
  return { loaded, refused, code }
}

const none = { categoriesOf: (_tool: string): ReadonlyArray<Category> => [] }

/** What speaks with servers is loaded only where there is one. */
const servedBy = async (
  workspace: Workspace | undefined,
  registry: Registry.Registry,
  around: Surroundings
): Promise<typeof none> => {
  if (workspace === undefined || workspace.servers.length === 0) return none
  const { serve } = await import("./Gateway.js")
  const served = await serve(registry, workspace.servers, lockIn(workspace.root), around.complain)
  whenItEnds(around, served.close)
  return served
}

/** Which tools are gathered: those of servers are there unless they are asked for one by one. */
interface Kinds {
  readonly servers?: boolean
}

/** What is wrong with modules is in `refused`. */
export const gatherTools = async (
  setting: Setting,
  around: Surroundings,
  { servers = true }: Kinds = {}
): Promise<Gathered> => {
  const { workspace } = setting
  const { code, loaded, refused } =
    workspace === undefined || workspace.tools.length === 0 ? nothing : await modulesOf(workspace, around)
  const clashing: Array<Refused> = []
  const own = distinct(
    loaded.flatMap(({ tools }) => tools),
    (tool, by) => {
      const line = workspace?.tools.find(({ file }) => file === tool.file)?.line ?? 1
      clashing.push({ file: tool.file, line, error: twice(tool, by) })
    }
  )
  const names = new Set(own.map(({ tool }) => tool.name))
  const registry = Registry.make(...builtins, ...own.map(({ tool }) => tool))
  const served = servers ? await servedBy(workspace, registry, around) : none
  return {
    registry,
    own: names,
    layerFor: (called) => ([...called].some((name) => names.has(name)) ? layerOf(loaded) : Layer.empty),
    serverNeeds: served.categoriesOf,
    setting: { ...setting, code: [...new Set([...setting.code, ...code])] },
    refused: [...refused, ...clashing]
  }
}

/** What a tool touches, in words: that of a server whatever the server requires. */
export const surfaceOf = ({ registry }: Tools, tool: Tool.Any): ReadonlyArray<string> => {
  const { requires, server } = registry.origins.get(tool.name) ?? {}
  if (server === undefined || requires === undefined || requires === "unknown") return Tool.surface(tool)
  return Authority.describe(requires)
}

/** What an agent must hold for each of the team's own tools, as skills list them. */
export const requirementsOf = ({
  own,
  registry
}: Tools): ReadonlyMap<string, ReadonlyArray<Skill.Requirement>> =>
  new Map(
    [...registry.tools].filter(([name]) => own.has(name)).map(([name, tool]) => [name, requiredBy(tool)])
  )

/** Throws a `CliError` when a module cannot be used. */
export const toolsOf = async (setting: Setting, around: Surroundings, kinds: Kinds = {}): Promise<Tools> => {
  const { refused, ...tools } = await gatherTools(setting, around, kinds)
  const [first] = refused
  if (first !== undefined) throw first.error
  return tools
}
