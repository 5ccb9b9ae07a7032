/** `tools list`: all tools, or those that an agent or a personality leaves something to do. */
import { Effect } from "effect"
import type { Category } from "../../../capabilities/Capabilities.js"
import type * as AgentRecord from "../../../policy/agent/AgentRecord.js"
import * as Grant from "../../../policy/grant/Grant.js"
import type * as Registry from "../../../registry/Registry.js"
import * as Turn from "../../../registry/Turn.js"
import * as Tool from "../../../tools/Tool.js"
import type { ToolsListCommand } from "../../Arguments.js"
import { backendsFor } from "../../backends.js"
import { performing } from "../../performing.js"
import { missingTable, toolTable } from "../../report/Report.js"
import { terminal } from "../../report/Terminal.js"
import type { Surroundings } from "../../Surroundings.js"
import { authorityOf, backendSettings } from "../../workspace/Acting.js"
import { grantFor } from "../../workspace/own/ToolRequirements.js"
import { settingOf } from "../../workspace/Setting.js"
import { surfaceOf, type Tools, toolsOf } from "../../workspace/Tools.js"

interface Listed {
  readonly name: string
  readonly description: string
  readonly parameters: unknown
  readonly surface: ReadonlyArray<string>
}

/** A tool that cannot be called, and the grants that would change that: all of them, or any. */
export interface Withheld {
  readonly name: string
  readonly why: string
  readonly grants: ReadonlyArray<string>
  readonly all: boolean
}

const everyTool = (tools: Tools): ReadonlyArray<Listed> =>
  [...tools.registry.tools.values()].map((tool) => ({
    name: tool.name,
    description: tool.description,
    parameters: Tool.jsonSchema(tool),
    surface: surfaceOf(tools, tool)
  }))

const categories = ({ registry, serverNeeds = () => [] }: Tools): ReadonlyArray<Category> =>
  [...registry.tools.values()].flatMap(({ capabilities, name }) => [
    ...(Object.keys(capabilities) as ReadonlyArray<Category>),
    ...serverNeeds(name)
  ])

const withheld = (
  { name, needs, why }: Registry.Missing,
  tool: Tool.Any | undefined,
  agent: AgentRecord.AgentRecord
): Withheld => ({
  name,
  why,
  grants: needs.flatMap((capability) => {
    const grant = tool && grantFor(capability, tool, agent.root)
    return grant === undefined ? [] : [Grant.print(grant)]
  }),
  // A tool that says what it needs is content with any of it.
  all: tool?.needs === undefined
})

const offered = async (command: ToolsListCommand, tools: Tools, around: Surroundings) => {
  const { layerFor, own, registry, setting } = tools
  const { agent, policy } = authorityOf(command, setting)
  const turn = Turn.make({ session: "tools-list", policy, workdir: setting.workdir, home: setting.home })
  const backends = await backendsFor(categories(tools), backendSettings(setting, around))
  const both = Effect.all({ menu: registry.menu(turn), missing: registry.missing(turn) })
  const { menu, missing } = await performing(both, { backends, services: layerFor(own) }, around)
  return {
    tools: menu.map(({ description, name, parameters, surface }) => {
      const tool = registry.tools.get(name)
      return { name, description, parameters, surface: tool === undefined ? surface : surfaceOf(tools, tool) }
    }),
    ...(agent === undefined
      ? {}
      : {
          agent: agent.id,
          missing: missing.map((one) => withheld(one, registry.tools.get(one.name), agent))
        })
  }
}

export const toolsList = async (command: ToolsListCommand, around: Surroundings): Promise<number> => {
  const keeps = command.agent !== undefined || command.personality !== undefined
  const tools = await toolsOf(settingOf(command, around, { keeps }), around)
  const all = keeps ? await offered(command, tools, around) : { tools: everyTool(tools) }
  if (command.json) {
    await around.print(`${JSON.stringify(all, null, 2)}\n`)
    return 0
  }
  const screen = terminal({ ...around.stdout, env: around.env })
  const cannot = "missing" in all ? `\n${missingTable(screen, all.agent ?? "", all.missing ?? [])}` : ""
  await around.print(`${toolTable(screen, all.tools)}${cannot}`)
  return 0
}
