/** Agents and personalities as the page shows them: each entry of what they hold, with its line and what is at stake. */
import { relative } from "node:path"
import { Either } from "effect"
import type { AuditEntry } from "../../../../audit/AuditEntry.js"
import type * as Page from "../../../../page/PageData.js"
import type * as AgentRecord from "../../../../policy/agent/AgentRecord.js"
import * as Catalog from "../../../../policy/grant/Catalog.js"
import * as Authority from "../../../../policy/lattice/Authority.js"
import { type Capability, capabilities } from "../../../../policy/lattice/Facets.js"
import { getOrSet } from "../../../../policy/Memo.js"
import type { Policy } from "../../../../policy/Policy.js"
import * as Personality from "../../../../policy/personality/Personality.js"
import type { Source } from "../../../../policy/Source.js"
import type { PersonalityFile } from "../../../../registry/doctor/Doctor.js"

const byCapability = new Map(Catalog.catalog.map((entry) => [entry.capability, entry]))

/** What no grant of the catalog speaks of, in its words. */
const others: Partial<Record<Capability, Pick<Page.Capability, "effect" | "risk">>> = {
  "private.connect": { effect: "connect to private addresses", risk: "high" },
  "provider.use": { effect: "use tools that run at the model's provider", risk: "high" }
}

/** The columns of the matrix. */
export const columns: ReadonlyArray<Page.Capability> = capabilities.map(({ name }) => {
  const { effect, risk } = byCapability.get(name) ?? others[name] ?? { effect: name, risk: "medium" }
  return { name, effect, risk }
})

/** The capabilities of which an authority gives anything. */
export const givenBy = (authority: Authority.Authority): ReadonlyArray<Capability> =>
  capabilities.map(({ name }) => name).filter((name) => Authority.shown(authority, name).length > 0)

/** The most that any of these puts at stake. */
export const riskOf = (given: ReadonlyArray<Capability>): Page.Risk | undefined => {
  const found = new Set(
    columns.filter(({ name }) => given.some((one) => one === name)).map(({ risk }) => risk)
  )
  return Catalog.risks.findLast((risk) => found.has(risk))
}

/** Entries by agent and by personality, each in its order. */
export interface ByHolder {
  readonly agent: ReadonlyMap<string, ReadonlyArray<AuditEntry>>
  readonly personality: ReadonlyMap<string, ReadonlyArray<AuditEntry>>
}

export const byHolder = (entries: Iterable<AuditEntry>): ByHolder => {
  const found = {
    agent: new Map<string, Array<AuditEntry>>(),
    personality: new Map<string, Array<AuditEntry>>()
  }
  for (const entry of entries) {
    if (entry.type === "gap") continue
    for (const kind of ["agent", "personality"] as const) {
      const id = entry[kind]
      if (id !== undefined) getOrSet(found[kind], id, () => []).push(entry)
    }
  }
  return found
}

/** The lines of a policy that no decision needed, each with why one may have all the same. */
type NeverUsed = (
  policy: Policy,
  entries: Iterable<AuditEntry>
) => ReadonlyArray<{ readonly source: Source; readonly doubt: string | undefined }>

export interface Looking {
  /** Paths are shown from here. */
  readonly root: string
  readonly entries: ByHolder
  readonly neverUsed: NeverUsed
}

const near = (root: string, file: string): string => {
  const path = relative(root, file)
  return path === "" || path.startsWith("..") ? file : path
}

const grantsOf = (policy: Policy, entries: ReadonlyArray<AuditEntry>, { neverUsed, root }: Looking) => {
  const unused = new Map(neverUsed(policy, entries).map((one) => [one.source, one]))
  return policy.sources.map((source): Page.Grant => {
    const given = givenBy(source.authority)
    const { doubt } = unused.get(source) ?? {}
    return {
      written: source.written,
      file: near(root, source.file),
      line: source.line,
      capabilities: given,
      risk:
        riskOf(given.length > 0 || source.capability === undefined ? given : [source.capability]) ?? "low",
      isUnused: given.length > 0 && unused.has(source),
      ...(doubt === undefined ? {} : { doubt }),
      ...(given.length === 0 ? { inert: "gives nothing" } : {})
    }
  })
}

export const ofAgent = (record: AgentRecord.AgentRecord, policy: Policy, looking: Looking): Page.Subject => ({
  kind: "agent",
  id: record.id,
  title: record.title,
  file: near(looking.root, record.file),
  grants: grantsOf(policy, looking.entries.agent.get(record.id) ?? [], looking).map((grant, at) => {
    const inert = record.held[at]?.inert
    return inert === undefined ? grant : { ...grant, inert: inert.detail }
  }),
  asDeclared: []
})

const ofPersonality = (
  file: string,
  personality: Personality.Personality,
  looking: Looking
): Page.Subject => ({
  kind: "personality",
  id: personality.id,
  title: personality.description,
  file: near(looking.root, file),
  grants: grantsOf(
    Personality.policy(personality),
    looking.entries.personality.get(personality.id) ?? [],
    looking
  ),
  asDeclared: capabilities.flatMap(({ facet, name }) =>
    personality.asDeclared.some((deferred) => deferred === facet) ? [name] : []
  )
})

/** Those that can be read; of the others the doctor speaks. */
export const ofPersonalities = (
  files: ReadonlyArray<PersonalityFile>,
  looking: Looking
): ReadonlyArray<Page.Subject> =>
  files.flatMap(({ file, read }) => (Either.isRight(read) ? [ofPersonality(file, read.right, looking)] : []))
