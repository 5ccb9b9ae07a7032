/** `tools list`: all tools, or those that a personality leaves something to do. */
import { Effect, Logger } from "effect"
import type { Category } from "../../capabilities/Capabilities.js"
import * as Personality from "../../policy/Personality.js"
import * as Registry from "../../registry/Registry.js"
import * as Turn from "../../registry/Turn.js"
import { builtins } from "../../tools/builtin/index.js"
import * as Tool from "../../tools/Tool.js"
import type { ToolsListCommand } from "../Arguments.js"
import { backendsFor } from "../backends.js"
import { loadPersonality } from "../loadPersonality.js"
import { toolTable } from "../Report.js"
import type { Surroundings } from "../Surroundings.js"
import { settingOf } from "../setting.js"
import { terminal } from "../Terminal.js"

interface Listed {
  readonly name: string
  readonly description: string
  readonly parameters: unknown
  readonly surface: ReadonlyArray<string>
}

const everyTool = (): ReadonlyArray<Listed> =>
  builtins.map((tool: Tool.Any) => ({
    name: tool.name,
    description: tool.description,
    parameters: Tool.jsonSchema(tool),
    surface: Tool.surface(tool)
  }))

const categories = (): ReadonlyArray<Category> =>
  builtins.flatMap((tool: Tool.Any) => Object.keys(tool.capabilities) as ReadonlyArray<Category>)

const offered = async (
  given: string,
  command: ToolsListCommand,
  around: Surroundings
): Promise<ReadonlyArray<Listed>> => {
  const setting = settingOf(command, around)
  const policy = Personality.policy(loadPersonality(given, setting))
  const turn = Turn.make({ session: "tools-list", policy, workdir: setting.workdir, home: setting.home })
  const backends = await backendsFor(categories(), {
    state: setting.state,
    workspace: setting.workspace?.root,
    env: around.env
  })
  const menu = Registry.make(...builtins).menu(turn)
  const items = await Effect.runPromise(
    menu.pipe(Effect.provide(backends), Effect.provide(Logger.remove(Logger.defaultLogger))),
    { signal: around.signal }
  )
  return items.map(({ description, name, parameters, surface }) => ({
    name,
    description,
    parameters,
    surface
  }))
}

export const toolsList = async (command: ToolsListCommand, around: Surroundings): Promise<number> => {
  const { json, personality } = command
  const tools = personality === undefined ? everyTool() : await offered(personality, command, around)
  await around.print(
    json
      ? `${JSON.stringify({ tools }, null, 2)}\n`
      : toolTable(terminal({ ...around.stdout, env: around.env }), tools)
  )
  return 0
}
