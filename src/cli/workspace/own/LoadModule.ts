/** Modules of a team's own tools, loaded; what they export; and what is wrong with them, in words. */
import { extname, relative } from "node:path"
import { Context, Layer } from "effect"
import type { Origin } from "../../../policy/ToolOrigin.js"
import { quote } from "../../../policy/text/Quote.js"
import { Scrubber } from "../../../registry/scrub/Scrubber.js"
import * as Tool from "../../../tools/Tool.js"
import { CliError } from "../../CliError.js"
import { exists, isFile, realPath } from "../../read.js"
import type { Surroundings } from "../../Surroundings.js"
import { type OwnModule, typed } from "./OwnModules.js"
import { tsxFrom } from "./tsx.js"

export type Load = (file: string) => Promise<unknown>

/** A tool, and the export that it is, or is listed in. */
export interface OwnTool {
  readonly tool: Tool.Any
  readonly file: string
  readonly exported: string
  /** Where it was registered from, if that is not the host itself. */
  readonly origin?: Origin | undefined
}

export interface Loaded {
  readonly tools: ReadonlyArray<OwnTool>
  readonly layer: { readonly file: string; readonly layer: Layer.Layer<never, unknown> } | undefined
  /** Tags of services, which isolated tools may list. */
  readonly tags: ReadonlyArray<AppTag>
}

/** A tag of an application service, whatever it is of. */
export type AppTag = Context.Tag<never, unknown>

const refuse = (file: string, what: string): never => {
  throw new CliError(`${file} ${what}`)
}

/** Where a module really is: links may not lead out of what the workspace is trusted for. */
export const placed = (file: string, root: string): string => {
  if (!exists(file)) refuse(file, "is named under 'tools', and is not there")
  const real = realPath(file)
  const path = relative(realPath(root), real)
  if (path.startsWith("..")) {
    refuse(file, "is named under 'tools', and leads out of the workspace; put the file itself there")
  }
  if (path.split("/").includes("node_modules")) {
    refuse(
      file,
      "is named under 'tools', and leads into a package; name the package: its tools then run isolated"
    )
  }
  return isFile(real) ? real : refuse(file, "is named under 'tools', and is not a regular file")
}

const LONGEST = 300

const NO_ERROR = "it threw what is no error"

/** What a module threw, in a line; anything can be thrown, and asking it may throw again. */
const described = (thrown: unknown, env: Surroundings["env"]): string => {
  try {
    if (!(thrown instanceof Error)) return NO_ERROR
    const scrubber = new Scrubber()
    for (const [name, value] of Object.entries(env)) {
      if (value !== undefined && SECRETIVE.test(name)) scrubber.add(value)
    }
    const [line = ""] = `${thrown.name}: ${thrown.message}`.split("\n")
    return scrubber.guarded(line).slice(0, LONGEST)
  } catch {
    return NO_ERROR
  }
}

/** Of variables whose values a message may not show. */
const SECRETIVE = /key|token|secret|pass|credential|auth|url|dsn|uri/i

/** Node 20 does not strip types, and `tsx` does, where the team has it. */
const readTypes = async (file: string, root: string, load: Load): Promise<void> => {
  if (!typed.has(extname(file)) || Reflect.get(process.features, "typescript")) return
  const api = tsxFrom(root)
  if (api === undefined) {
    return refuse(
      file,
      `is TypeScript, which Node ${process.versions.node} does not read by itself; in the workspace run: npm i -D tsx, or name a compiled .js file`
    )
  }
  if (registered.has(api)) return
  const { register } = Object(await load(api))
  register()
  registered.add(api)
}

const registered = new Set<string>()

/** Made by `Tool.make`, but not by the copy of the library that this program is. */
const isForeign = (value: unknown): boolean => {
  try {
    return typeof value === "object" && value !== null && Reflect.get(value, Tool.TypeId) === Tool.TypeId
  } catch {
    return false
  }
}

const listed = (file: string, exported: string, value: ReadonlyArray<unknown>): ReadonlyArray<OwnTool> => {
  if (!value.some((one) => Tool.isTool(one) || isForeign(one))) return []
  return value.flatMap((one, at) => {
    const found = toolsIn(file, `${exported}[${at}]`, one)
    return found.length === 0
      ? refuse(file, `exports ${quote(exported)}, a list of tools that holds something else at ${at}`)
      : found
  })
}

const toolsIn = (file: string, exported: string, value: unknown): ReadonlyArray<OwnTool> => {
  if (Tool.isTool(value)) return [{ tool: value, file, exported }]
  if (isForeign(value)) {
    refuse(
      file,
      `exports ${quote(exported)}, a tool that another copy or version of bailiwick made; install one for all of the workspace, as 'npm ls bailiwick' shows`
    )
  }
  return Array.isArray(value) ? listed(file, exported, value) : []
}

const layerIn = (file: string, value: unknown): Loaded["layer"] => {
  if (value === undefined) return undefined
  if (!Layer.isLayer(value)) refuse(file, "exports 'layer', which is no Layer; export one, or rename it")
  return { file, layer: value as Layer.Layer<never, unknown> }
}

const tagsIn = (module: Readonly<Record<string, unknown>>): ReadonlyArray<AppTag> =>
  Object.values(module).flatMap((value) => {
    try {
      return Context.isTag(value) ? [value as unknown as AppTag] : []
    } catch {
      return []
    }
  })

const HINT =
  "export what Tool.make made, or a list of it, or a 'layer' of what tools use; if it did, another copy of bailiwick was imported, as 'npm ls bailiwick' shows"

/** Throws a `CliError` that names the file. */
export const loadModule = async (
  { file: named }: OwnModule,
  root: string,
  load: Load,
  env: Surroundings["env"]
): Promise<Loaded> => {
  const file = placed(named, root)
  let module: Readonly<Record<string, unknown>>
  try {
    await readTypes(file, root, load)
    module = { ...Object(await load(file)) }
  } catch (error) {
    if (error instanceof CliError) throw error
    return refuse(named, `could not be loaded: ${described(error, env)}`)
  }
  const tools = Object.entries(module).flatMap(([exported, value]) =>
    exported === "layer" ? [] : toolsIn(named, exported, value)
  )
  const layer = layerIn(named, module.layer)
  // Services may have a module to themselves: what opens a database is for no tool to import.
  if (tools.length === 0 && layer === undefined) {
    refuse(named, `is named under 'tools', and exports no tool; ${HINT}`)
  }
  return { tools, layer, tags: tagsIn(module) }
}
