/** Whose authority a command acts under: an agent's, a personality's, or what both allow. */
import type * as AgentRecord from "../../policy/agent/AgentRecord.js"
import * as Policy from "../../policy/Policy.js"
import * as Personality from "../../policy/personality/Personality.js"
import type { BackendSettings } from "../backends.js"
import { CliError } from "../CliError.js"
import type { Surroundings } from "../Surroundings.js"
import { agentPlaces, agentPolicy, loadAgent } from "./LoadAgent.js"
import { loadPersonality, type Setting } from "./LoadPersonality.js"

export interface Authority {
  readonly agent: AgentRecord.AgentRecord | undefined
  readonly personality: Personality.Personality | undefined
  readonly policy: Policy.Policy
}

/** Throws a `CliError`. */
export const authorityOf = (
  given: { readonly agent: string | undefined; readonly personality: string | undefined },
  setting: Setting
): Authority => {
  const personality =
    given.personality === undefined ? undefined : loadPersonality(given.personality, setting)
  const agent = given.agent === undefined ? undefined : loadAgent(given.agent, setting)
  const [first, second] = [
    ...(personality === undefined ? [] : [Personality.policy(personality)]),
    ...(agent === undefined ? [] : [agentPolicy(agent, setting)])
  ]
  if (first === undefined)
    throw new CliError("add --agent with a record, or --personality with a directory or an id")
  return { agent, personality, policy: second === undefined ? first : Policy.meet(first, second) }
}

/** Where the live backends find what they stand on. */
export const backendSettings = (setting: Setting, around: Surroundings): BackendSettings => ({
  state: setting.state,
  workspace: setting.workspace?.root,
  env: around.env,
  audit: setting.workspace?.audit ?? {},
  storage: setting.workspace?.storage,
  say: around.complain,
  records:
    setting.workspace === undefined
      ? undefined
      : { directory: setting.workspace.recordsDir, agents: agentPlaces(setting) }
})
