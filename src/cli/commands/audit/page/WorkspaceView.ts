/** What the page shows of a workspace: who holds what, and what each tool touches. */
import { Either } from "effect"
import type { AuditEntry } from "../../../../audit/AuditEntry.js"
import { neverUsed } from "../../../../audit/suggest/Usage.js"
import * as Declaration from "../../../../capabilities/Declaration.js"
import type * as Page from "../../../../page/PageData.js"
import type * as Tool from "../../../../tools/Tool.js"
import type { Surroundings } from "../../../Surroundings.js"
import { agentPolicy } from "../../../workspace/LoadAgent.js"
import type { Setting } from "../../../workspace/LoadPersonality.js"
import { gatherTools, surfaceOf, type Tools } from "../../../workspace/Tools.js"
import { personalitiesOf, recordsOf } from "../../doctor/Input.js"
import { byHolder, givenBy, type Looking, ofAgent, ofPersonalities, riskOf } from "./Holders.js"

export interface WorkspaceView {
  readonly root: string
  readonly subjects: ReadonlyArray<Page.Subject>
  readonly tools: ReadonlyArray<Page.Tool>
  /** What could not be looked at, in sentences. */
  readonly notes: ReadonlyArray<string>
}

const originOf = ({ own, registry }: Tools, name: string): string => {
  const { module, plugin, server } = registry.origins.get(name) ?? {}
  if (server !== undefined) return `mcp:${server}`
  if (module !== undefined) return `module:${module}`
  return plugin !== undefined ? `plugin:${plugin}` : own.has(name) ? "own" : "builtin"
}

const authorityOf = ({ registry }: Tools, tool: Tool.Any) => {
  const { requires } = registry.origins.get(tool.name) ?? {}
  return requires === undefined || requires === "unknown"
    ? Either.getOrUndefined(Declaration.authority(tool.capabilities, { home: "/" }))
    : requires
}

const toolOf = (tools: Tools, tool: Tool.Any): Page.Tool => {
  const authority = authorityOf(tools, tool)
  const risk = authority === undefined ? undefined : riskOf(givenBy(authority))
  return {
    name: tool.name,
    origin: originOf(tools, tool.name),
    surface: surfaceOf(tools, tool),
    ...(risk === undefined ? {} : { risk })
  }
}

/** Looks at a workspace as it is then; its tools are loaded once. Nothing where there is no workspace. */
export const lookingAt = async (
  given: Setting,
  around: Surroundings
): Promise<((entries: ReadonlyArray<AuditEntry>) => Promise<WorkspaceView>) | undefined> => {
  if (given.workspace === undefined) return undefined
  const { root } = given.workspace
  const tools = await gatherTools(given, around)
  const { setting } = tools
  const listed = [...tools.registry.tools.values()].map((tool) => toolOf(tools, tool))
  return async (entries) => {
    const { agents, workspace } = await recordsOf(setting, around)
    const looking: Looking = { root, entries: byHolder(entries), neverUsed }
    return {
      root,
      subjects: [
        ...agents
          .filter((record) => record.class === "agent")
          .map((record) => ofAgent(record, agentPolicy(record, setting), looking)),
        ...ofPersonalities(personalitiesOf(setting), looking)
      ],
      tools: listed,
      notes: [
        ...tools.refused.map(({ error }) => error.message),
        ...(workspace?.records.unreadable ?? []).map(({ detail, file }) => `${file}: ${detail}`)
      ]
    }
  }
}
