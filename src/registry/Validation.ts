/** What is wanting between tools and a personality, in the words that personalities are written in. */

import type { Places } from "../capabilities/Declaration.js"
import type { Remedied } from "../policy/lattice/Remedy.js"
import type { Policy } from "../policy/Policy.js"
import * as Personality from "../policy/personality/Personality.js"
import * as Remedy from "../policy/Remedy.js"
import type { Origin } from "../policy/ToolOrigin.js"
import { closest } from "../policy/text/Closest.js"
import { quote } from "../policy/text/Quote.js"
import type * as Tool from "../tools/Tool.js"
import type { Plan } from "./Plan.js"
import * as Resolution from "./Resolution.js"

const inPersonality = ({ remedies, remedy }: Remedied): string =>
  remedies.personality === undefined ? remedy : Remedy.toAdd(remedies.personality)

/** A command is missing once, in however many directories it may not run. */
const gapsOf = (tool: Tool.Any, policy: Policy, places: Places): ReadonlyArray<Resolution.Gap> => {
  const all = Resolution.gaps(tool, policy, places, inPersonality)
  return all.filter(({ remedy }, at) => all.findIndex((other) => other.remedy === remedy) === at)
}

/** As much of a registry as is asked. */
interface Tools {
  readonly tools: ReadonlyMap<string, unknown>
  readonly origins: ReadonlyMap<string, Origin>
  readonly plan: (policy: Policy, home: string | undefined) => Pick<Plan, "offered">
}

/** The names in a personality's lists that nothing here has: most likely slips. */
const unknownNames = (
  { origins, tools }: Tools,
  { id, plugins: ofPlugins, servers, toolset }: Personality.Personality
): ReadonlyArray<Resolution.Gap> => {
  const among = (key: string, kind: string, names: ReadonlyArray<string> | undefined, known: Set<string>) =>
    (names ?? [])
      .filter((name) => !known.has(name))
      .map((name): Resolution.Gap => {
        const meant = closest(name, known)
        return {
          tool: name,
          capability: key,
          scope: name,
          message: `'${key}' of ${id} names ${quote(name)}, which is no ${kind} here`,
          remedy: meant === undefined ? `register it, or delete the entry` : `write '${meant}'`
        }
      })
  const all = [...origins.values()]
  return [
    ...among("toolset", "tool", toolset, new Set(tools.keys())),
    ...among("plugins", "plugin", ofPlugins, new Set(all.flatMap(({ plugin = [] }) => plugin))),
    ...among("mcp_servers", "MCP server", servers, new Set(all.flatMap(({ server = [] }) => server)))
  ]
}

/**
 * What a tool declares and a personality does not allow, whether its toolset has the tool or not. Nothing is thrown.
 *
 * @since 0.1.0
 * @category validating
 */
export const validateRegistration = (
  tool: Tool.Any,
  personality: Personality.Personality,
  places: Places = {}
): ReadonlyArray<Resolution.Gap> => gapsOf(tool, Personality.policy(personality), places)

/**
 * What the tools that a personality offers declare and it does not allow, and which names in its lists nothing here
 * has. Nothing is thrown; a host that starts up says each.
 *
 * @since 0.1.0
 * @category validating
 */
export const validateToolsForPersonality = (
  registry: Tools,
  personality: Personality.Personality,
  places: Places = {}
): ReadonlyArray<Resolution.Gap> => {
  const policy = Personality.policy(personality)
  return [
    ...unknownNames(registry, personality),
    ...registry.plan(policy, places.home).offered.flatMap((tool) => gapsOf(tool, policy, places))
  ]
}
