/** What is wanting between tools and a personality, in the words that personalities are written in. */

import type { Policy } from "../policy/Policy.js"
import * as Personality from "../policy/personality/Personality.js"
import { serverOf } from "../policy/ToolOrigin.js"
import { closest } from "../policy/text/Closest.js"
import { quote } from "../policy/text/Quote.js"
import type * as Tool from "../tools/Tool.js"
import * as Resolution from "./Resolution.js"

const keys: ReadonlyMap<string, string> = new Map([
  ["network", "safety.network.allow"],
  ["private", "safety.network.private"],
  ["fs_reach.read", "fs_reach.read"],
  ["fs_reach.write", "fs_reach.write"],
  ["process", "process.allow"],
  ["secrets", "secrets.allow"],
  ["storage", "storage.scopes"],
  ["attachments", "attachments.kinds"]
])

/** The entry that the personality lacks: a directory without its slash, a command without where it runs. */
const entry = ({ capability, scope }: Resolution.Gap): string => {
  if (capability.startsWith("fs_reach.")) return scope.replace(/(?<=.)\/$/, "")
  return capability === "process" ? scope.replace(/ in .*$/s, "").replace(/:\*$/, "") : scope
}

const remedy = (gap: Resolution.Gap): string => {
  if (/^(?:records|agents)\./.test(gap.capability)) return `add '${gap.remedy}' to grants`
  const key = keys.get(gap.capability)
  return key === undefined ? gap.remedy : `add ${JSON.stringify(entry(gap))} to ${key}`
}

/** A command is missing once, in however many directories it may not run. */
const inWords = (gaps: ReadonlyArray<Resolution.Gap>): ReadonlyArray<Resolution.Gap> => {
  const worded = gaps.map((gap) => ({ ...gap, remedy: remedy(gap) }))
  return worded.filter(
    (gap, at) => worded.findIndex((other) => other.tool === gap.tool && other.remedy === gap.remedy) === at
  )
}

/** As much of a registry as is asked. */
interface Tools {
  readonly tools: ReadonlyMap<string, unknown>
  readonly plugins: ReadonlyMap<string, string>
  readonly validate: (policy: Policy, places: Places) => ReadonlyArray<Resolution.Gap>
}

interface Places {
  readonly home?: string
}

/** The names in a personality's lists that nothing here has: most likely slips. */
const unknownNames = (
  { plugins, tools }: Tools,
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
  const servedBy = [...tools.keys()].flatMap((name) => serverOf(name) ?? [])
  return [
    ...among("toolset", "tool", toolset, new Set(tools.keys())),
    ...among("plugins", "plugin", ofPlugins, new Set(plugins.values())),
    ...among("mcp_servers", "MCP server", servers, new Set(servedBy))
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
): ReadonlyArray<Resolution.Gap> => inWords(Resolution.gaps(tool, Personality.policy(personality), places))

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
): ReadonlyArray<Resolution.Gap> => [
  ...unknownNames(registry, personality),
  ...inWords(registry.validate(Personality.policy(personality), places))
]
