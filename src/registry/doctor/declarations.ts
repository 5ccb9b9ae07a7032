/** Tools that declare more than they were seen to ask for: for who wrote them. */
import { Either } from "effect"
import type { ToolUse } from "../../audit/suggest/ToolUse.js"
import { ofItself } from "../../capabilities/Capabilities.js"
import * as Declaration from "../../capabilities/Declaration.js"
import * as Authority from "../../policy/lattice/Authority.js"
import { type Capability, capabilities } from "../../policy/lattice/Facets.js"
import * as Least from "../../policy/lattice/Least.js"
import * as Use from "../../policy/lattice/Use.js"
import type * as Tool from "../../tools/Tool.js"
import type { Audited, Finding, Input } from "./Model.js"
import { type Check, listed, some } from "./subjects.js"

/** Fewer calls say nothing of what a tool needs now and then. */
const ENOUGH = 20

/** A wildcard that stood for so few could be written as those. */
const FEW = 3

const capabilitiesIn = (authority: Authority.Authority): ReadonlyArray<Capability> =>
  capabilities.flatMap(({ name }) => (Authority.scopesOf(authority, name).isEmpty ? [] : [name]))

/** Whether nobody hears of it when a tool uses this: what a search looks at, and what a command touches itself. */
const isUnheard = (authority: Authority.Authority, { commands, silent }: ToolUse): boolean =>
  capabilitiesIn(authority).some(
    (capability) =>
      (silent > 0 && (capability.startsWith("records.") || capability === "attachments.read")) ||
      (commands > 0 && capability.startsWith("files."))
  )

const inQuotes = ({ key, value }: Declaration.Listed): string => `${key} '${value}'`

/** Hosts, refs and commands that a wildcard stood for, if they are few. */
const standsFor = (
  authority: Authority.Authority,
  uses: ReadonlyArray<Use.Use>
): ReadonlyArray<string> | undefined => {
  const { authority: least } = Least.least(authority, uses)
  const shown = new Set(
    capabilitiesIn(least)
      .filter((capability) => /^(?:network|secrets|process)\./.test(capability))
      .flatMap((capability) => Authority.shown(least, capability))
  )
  return shown.size === 0 || shown.size > FEW || [...shown].some((scope) => scope.startsWith("*"))
    ? undefined
    : [...shown].sort()
}

/** What of one thing was not used, in words; nothing where it was. */
const leftOf = (one: Declaration.Listed, use: ToolUse, home: string | undefined): string | undefined => {
  const authority = Either.getOrUndefined(
    Declaration.authority(one.alone, home === undefined ? {} : { home })
  )
  if (authority === undefined || isUnheard(authority, use)) return undefined
  const inside = use.uses.filter((used) => Use.isWithin(used, authority))
  if (inside.length === 0) return inQuotes(one)
  const few = one.value.includes("*") ? standsFor(authority, inside) : undefined
  return few === undefined ? undefined : `${inQuotes(one)} beyond ${few.join(", ")}`
}

const unusedOf = (tool: Tool.Any, use: ToolUse, { home }: Input): ReadonlyArray<string> =>
  Declaration.listed(ofItself(tool.capabilities)).flatMap((one) => leftOf(one, use, home) ?? [])

/** The tools of the workspace that were called often enough. */
const lookedAt = (input: Input): ReadonlyArray<readonly [Tool.Any, ToolUse]> =>
  [...input.tools.tools.values()].flatMap((tool) => {
    const use = input.audit?.tools.get(tool.name)
    return use === undefined || use.calls < ENOUGH || input.bundled?.has(tool.name) === true
      ? []
      : [[tool, use]]
  })

const spanOf = ({ entries, isCut, since }: Audited): string =>
  `since ${since.slice(0, 10)}${isCut ? `, of which ${entries} entries were read` : ""}`

export const declarations: Check = {
  name: "declarations",
  passed: (input) => {
    const all = lookedAt(input)
    return input.audit === undefined || all.length === 0
      ? undefined
      : `${some(all.length, "tool")} that the audit log has often enough ${spanOf(input.audit)}, and each used all that it declares`
  },
  findings: (input) => {
    const { audit } = input
    if (audit === undefined) return []
    return lookedAt(input).flatMap(([tool, use]): ReadonlyArray<Finding> => {
      const unused = unusedOf(tool, use, input)
      return unused.length === 0
        ? []
        : [
            {
              severity: "warning",
              check: "declarations",
              subject: tool.name,
              code: "DECLARATION_UNUSED",
              detail: `in ${some(use.calls, "call")} ${spanOf(audit)} ${tool.name} never used ${listed(unused, 10)}, which it declares`,
              remedy: "declare less, unless it is for what happens seldom"
            }
          ]
    })
  }
}
