/** Why a tool of the provider is left out of a request. */
import * as Authority from "../lattice/Authority.js"
import type { Denial } from "../lattice/Denial.js"
import { type Capability, capabilities } from "../lattice/Facets.js"
import * as ScopeSet from "../lattice/ScopeSet.js"
import { EXAMPLE, type Untranslatable } from "./domains.js"

interface Named {
  readonly provider: string
  readonly name: string
  readonly needs: Authority.Authority
}

interface Held {
  readonly authority: Authority.Authority
  readonly mentioned: ReadonlySet<Capability>
}

const SHOWN = 10

type Encoded = Readonly<
  Record<string, Readonly<Record<string, ReadonlyArray<ScopeSet.Encoded> | undefined>> | undefined>
>

/** The capabilities of which an authority has something, each with its scopes as text. */
const heldIn = (authority: Authority.Authority): ReadonlyMap<Capability, ReadonlyArray<string>> => {
  const encoded: Encoded = authority.toJSON()
  return new Map(
    capabilities.flatMap(({ facet, name, spec, verb }) => {
      const scopes = encoded[facet]?.[verb]
      if (scopes === undefined) return []
      return [[name, scopes.map((one) => (spec === "hosts" ? String(one) : ScopeSet.print(spec, one)))]]
    })
  )
}

/** The first capability that is needed and of which nothing is granted. */
export const lacking = (needs: Authority.Authority, granted: Authority.Authority): Capability | undefined => {
  const something = heldIn(granted)
  return [...heldIn(needs).keys()].find((capability) => !something.has(capability))
}

const denial = (
  { name }: Named,
  capability: string,
  held: ReadonlyArray<string>,
  words: Pick<Denial, "reason" | "code" | "detail" | "remedy">
): Denial => ({
  ...words,
  tool: name,
  capability,
  asked: `provider ${name}`,
  held: [...held.slice(0, SHOWN), ...(held.length > SHOWN ? [`and ${held.length - SHOWN} more`] : [])]
})

/** `capability`: one of which something is missing. */
export const notGranted = (tool: Named, { authority, mentioned }: Held, capability: Capability): Denial => {
  const held = heldIn(authority).get(capability) ?? []
  const gap = Authority.gaps(tool.needs, authority).find((one) => one.capability === capability)
  const anyHost = capability === "network.get" && gap?.scope === "*"
  return denial(tool, capability, held, {
    reason: held.length === 0 && !mentioned.has(capability) ? "capability_absent" : "scope_violation",
    code: "PROVIDER_TOOL_NOT_ALLOWED",
    detail: anyHost
      ? `${tool.provider}'s tool ${tool.name} needs a domain to GET from, and there is none`
      : `${tool.provider}'s tool ${tool.name} is not granted`,
    remedy: anyHost ? EXAMPLE : (gap?.remedy ?? EXAMPLE)
  })
}

export const notTranslated = (
  tool: Named,
  { authority }: Held,
  { because, remedy }: Untranslatable
): Denial => {
  const capability = lacking(tool.needs, Authority.nothing) ?? "provider.use"
  return denial(tool, capability, heldIn(authority).get(capability) ?? [], {
    reason: "scope_violation",
    code: "PROVIDER_SCOPE_NOT_EXPRESSIBLE",
    detail: `${tool.provider}'s tool ${tool.name} cannot be held to what is granted: ${because}`,
    remedy
  })
}

/** In a toolset a provider's tool has a name of its own: its bare name may be that of a tool that runs here. */
export const listed = (name: string): string => `provider__${name}`

export const notInToolset = (tool: Named): Denial => {
  const entry = listed(tool.name)
  return denial(tool, "toolset", [], {
    reason: "capability_absent",
    code: "TOOL_NOT_PERMITTED",
    detail: `Tool ${entry} is not permitted for this personality`,
    remedy: `add ${entry} to the toolset`
  })
}
