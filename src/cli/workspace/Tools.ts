/** The tools of a workspace: those that come along, and the team's own with the services that they use. */
import { Effect, Either, Exit, Layer, Scope } from "effect"
import type { Category } from "../../capabilities/Capabilities.js"
import * as Authority from "../../policy/lattice/Authority.js"
import type * as Skill from "../../policy/skill/Skill.js"
import * as Manifest from "../../registry/manifest/Manifest.js"
import * as Registry from "../../registry/Registry.js"
import { builtins } from "../../tools/builtin/index.js"
import * as Tool from "../../tools/Tool.js"
import { CliError } from "../CliError.js"
import { whenItEnds } from "../Ending.js"
import type { Surroundings } from "../Surroundings.js"
import type { Served } from "./Gateway.js"
import type { Setting } from "./LoadPersonality.js"
import { type Lock, lockIn } from "./Lock.js"
import { type Kinds, modulesOf, nothing, type Refused } from "./Modules.js"
import type { OwnTool } from "./own/LoadModule.js"
import { layerOf } from "./own/OwnLayers.js"
import { requiredBy } from "./own/ToolRequirements.js"
import type { Workspace } from "./Workspace.js"

export interface Tools {
  readonly registry: Registry.Registry
  /** The names of the team's own tools. */
  readonly own: ReadonlySet<string>
  /** The services of the team's own tools, for commands that call one of these. Built once, and released with the scope. */
  readonly layerFor: (names: Iterable<string>) => Layer.Layer<never, CliError>
  /** What the MCP server of a tool stands on; nothing for a tool of no server. */
  readonly serverNeeds?: (tool: string) => ReadonlyArray<Category>
  /** Takes the MCP servers as they are written now. Modules are not loaded again. */
  readonly renewServers?: (workspace: Workspace | undefined) => Promise<void> | void
  /** The setting, with all that was loaded on the floor: authority is to be read in this one. */
  readonly setting: Setting
  /** What isolated tools say of themselves, by their names. */
  readonly said?: ReadonlyMap<string, Manifest.Isolated>
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

/** What speaks with servers is loaded only where there is one, be it later. */
class LazyServers {
  private served: Served | undefined

  constructor(
    private readonly registry: Registry.Registry,
    private readonly around: Surroundings
  ) {}

  readonly categoriesOf = (tool: string): ReadonlyArray<Category> => this.served?.categoriesOf(tool) ?? []

  /** At once where servers were there before: what is taken away is gone when this answers. */
  readonly take = (workspace: Workspace | undefined): Promise<void> | void => {
    if (this.served === undefined) {
      return workspace === undefined || workspace.servers.length === 0 ? undefined : this.first(workspace)
    }
    this.served.renew(workspace?.servers ?? [], lockNow(workspace))
  }

  private async first({ root, servers }: Workspace): Promise<void> {
    const { serve } = await import("./Gateway.js")
    if (this.served !== undefined) return
    this.served = serve(this.registry, servers, lockIn(root), this.around.complain)
    whenItEnds(this.around, this.served.close)
  }
}

/** One that cannot even be opened any more pins nothing, as one that cannot be read. */
const lockNow = (workspace: Workspace | undefined): Lock => {
  const none = { file: Manifest.FILE, text: undefined }
  if (workspace === undefined) return { ...none, read: Either.right(Manifest.empty) }
  try {
    return lockIn(workspace.root)
  } catch (error) {
    if (!(error instanceof CliError)) throw error
    const invalid = new Manifest.ManifestInvalid({ code: "LOCK_INVALID", detail: error.message })
    return { ...none, read: Either.left(invalid) }
  }
}

/** Tools of the host itself, and those that come from somewhere else. */
const registryOf = (own: ReadonlyArray<OwnTool>, around: Surroundings): Registry.Registry => {
  const [foreign, host] = [
    own.filter(({ origin }) => origin !== undefined),
    own.filter(({ origin }) => origin === undefined)
  ]
  const registry: Registry.Registry = Registry.make(...builtins, ...host.map(({ tool }) => tool))
  if (foreign.length === 0) return registry
  const scope = Effect.runSync(Scope.make())
  whenItEnds(around, () => Effect.runPromise(Scope.close(scope, Exit.void)))
  const registering = Effect.forEach(foreign, ({ origin, tool }) => registry.register(tool, origin))
  Either.getOrThrowWith(
    Effect.runSync(Effect.either(Scope.extend(registering, scope))),
    ({ message }) => new CliError(message)
  )
  return registry
}

/** The team's own, those of packages excepted; and those that services are built for. */
const namesOf = (own: ReadonlyArray<OwnTool>) => ({
  names: new Set(own.filter(({ origin }) => origin?.plugin === undefined).map(({ tool }) => tool.name)),
  served: new Set(
    own
      .filter(({ origin, tool }) => origin === undefined || tool.services.length > 0)
      .map(({ tool }) => tool.name)
  )
})

/** What is wrong with modules is in `refused`. */
export const gatherTools = async (
  setting: Setting,
  around: Surroundings,
  kinds: Kinds = {}
): Promise<Gathered> => {
  const { workspace } = setting
  const { code, isolated, loaded, refused } =
    workspace === undefined || workspace.tools.length === 0
      ? nothing
      : await modulesOf(workspace, around, kinds)
  const clashing: Array<Refused> = []
  const own = distinct(
    [...loaded, ...isolated].flatMap(({ tools }) => tools),
    (tool, by) => {
      const line = workspace?.tools.find(({ file }) => file === tool.file)?.line ?? 1
      clashing.push({ file: tool.file, line, error: twice(tool, by) })
    }
  )
  const registry = registryOf(own, around)
  const { names, served: services } = namesOf(own)
  const served = new LazyServers(registry, around)
  if (kinds.servers !== false) await served.take(workspace)
  return {
    registry,
    own: names,
    layerFor: (called) => ([...called].some((name) => services.has(name)) ? layerOf(loaded) : Layer.empty),
    said: new Map(isolated.flatMap(({ said }) => said)),
    serverNeeds: served.categoriesOf,
    renewServers: served.take,
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
  const first = refused.find(({ isWithheld }) => isWithheld !== true)
  if (first !== undefined) throw first.error
  for (const { error } of refused) around.complain(error.message)
  return tools
}
