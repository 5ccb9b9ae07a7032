/** What an agent must hold for a tool of the team's own to have something to do. */
import type { Capabilities } from "../../../capabilities/Capabilities.js"
import { plainOf, refsOf } from "../../../capabilities/secrets/SecretsDeclaration.js"
import * as Catalog from "../../../policy/grant/Catalog.js"
import * as Grant from "../../../policy/grant/Grant.js"
import type { Capability } from "../../../policy/lattice/Facets.js"
import type { Requirement } from "../../../policy/skill/Skill.js"
import { needsOf } from "../../../registry/Plan.js"
import type * as Tool from "../../../tools/Tool.js"

/** What the tool names, where a grant would give nothing without it. */
const scopeFor = (name: string, declared: Capabilities): Grant.Scope => {
  const { attachments, network, process, records, secrets, storage } = declared
  if (name.startsWith("net.") && network !== undefined) return { hosts: [...network.allowedHosts] }
  if (name.startsWith("secrets.") && secrets !== undefined) {
    const isSealed = plainOf(secrets).length === 0
    return { refs: refsOf(secrets), ...(isSealed ? { sealed: "true" } : {}) }
  }
  if (name.startsWith("storage.") && storage !== undefined) return { scopes: [storage.scope] }
  if (/^records\.(?!read)/.test(name) && records?.classes !== undefined)
    return { classes: [...records.classes] }
  if (name.startsWith("attachments.") && attachments !== undefined) return { kinds: [...attachments.kinds] }
  if (name === "proc.exec" && process !== undefined) return commands(process.allowedBinaries)
  return {}
}

const commands = (binaries: ReadonlyArray<string>): Grant.Scope =>
  binaries.includes("*") ? { patterns: ["*"] } : { cmds: [...binaries] }

const isOpen = (scope: Grant.Scope): boolean => Object.values(scope).flat().includes("*")

/** A grant that gives the tool something: what it names, and where it leaves that open an example. */
export const grantFor = (capability: Capability, tool: Tool.Any, root?: string): Grant.Grant | undefined => {
  const example = Grant.suggest(capability, root)
  if (example === undefined) return undefined
  const named = scopeFor(example.name, tool.capabilities)
  return isOpen(named) ? example : { name: example.name, scope: { ...example.scope, ...named } }
}

/** A tool that says what it needs is content with any of it, and a skill cannot require this or that. */
const requiredOf = (tool: Tool.Any): ReadonlyArray<Capability> => {
  if (tool.needs !== undefined) return tool.needs.length === 1 ? needsOf(tool) : []
  return [...new Set([...needsOf(tool), ...writingOf(tool)])]
}

/** Of files a declaration says whether they are written; reading alone would not do. */
const writingOf = ({ capabilities: { fs_reach } }: Tool.Any): ReadonlyArray<Capability> =>
  fs_reach?.write === undefined || fs_reach.write.length === 0 ? [] : ["files.write"]

export const requiredBy = (tool: Tool.Any): ReadonlyArray<Requirement> =>
  requiredOf(tool).flatMap((capability): ReadonlyArray<Requirement> => {
    const name = Catalog.granting(capability)?.name
    if (name === undefined) return []
    return [{ grant: { name, scope: scopeFor(name, tool.capabilities) }, extent: "some" }]
  })
