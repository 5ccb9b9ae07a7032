/** Whom the checks are about, and what each of them was given, entry by entry. */
import { Either } from "effect"
import * as AgentRecord from "../../policy/agent/AgentRecord.js"
import * as Grant from "../../policy/grant/Grant.js"
import type { Authority } from "../../policy/lattice/Authority.js"
import { lazy } from "../../policy/Memo.js"
import type { Policy } from "../../policy/Policy.js"
import * as Personality from "../../policy/personality/Personality.js"
import type { Source } from "../../policy/Source.js"
import { surfaceOf } from "../../tools/Surface.js"
import type * as Tool from "../../tools/Tool.js"
import type { CheckName, Finding, Input, PersonalityFile } from "./Model.js"

export interface Check {
  readonly name: CheckName
  /** What is said where there are no findings; nothing, where there is nothing to look at. */
  readonly passed: (input: Input) => string | undefined
  readonly findings: (input: Input) => ReadonlyArray<Finding>
}

/** One entry of what somebody holds. */
export interface Entry extends Source {
  readonly subject: string
}

/** Somebody who holds something. What takes long to make is made when it is asked for. */
export interface Subject {
  readonly name: string
  readonly authority: Authority
  readonly policy: Policy
  /** Only those that give something. */
  readonly entries: ReadonlyArray<Entry>
}

/** The folder that agents are kept in; a page that explains it is none of them. */
export const isAmongAgents = (id: string): boolean => /^agents\//.test(id) && !/\/readme$/i.test(id)

export const agentsOf = ({ agents }: Input): ReadonlyArray<AgentRecord.AgentRecord> =>
  agents.filter(({ class: kind }) => kind === "agent")

export interface ReadPersonality {
  readonly file: PersonalityFile
  readonly personality: Personality.Personality
}

export const personalitiesOf = ({
  personalities
}: Pick<Input, "personalities">): ReadonlyArray<ReadPersonality> =>
  personalities.flatMap((file) => (Either.isRight(file.read) ? [{ file, personality: file.read.right }] : []))

export const heldBy = (
  { file, id }: AgentRecord.AgentRecord,
  held: AgentRecord.Held
): Omit<Entry, "authority"> => ({
  subject: id,
  file,
  line: held.line,
  written: Grant.print(held.effective)
})

const entriesOfAgent = (agent: AgentRecord.AgentRecord): ReadonlyArray<Entry> =>
  agent.held
    .filter(({ inert }) => inert === undefined)
    .map((held) => ({ ...heldBy(agent, held), authority: AgentRecord.authorityOf(held) }))

/** What is spoken of and gives nothing has tools offered, and lets none of them do anything. */
const unspoken = new Set<never>()

const ofAgent = (agent: AgentRecord.AgentRecord, { sandbox }: Input): Subject => {
  const policy = lazy(() => AgentRecord.policy({ ...agent, mentioned: unspoken }, { sandbox }))
  return {
    name: agent.id,
    authority: agent.authority,
    get policy() {
      return policy()
    },
    get entries() {
      return entriesOfAgent(agent)
    }
  }
}

export const policyOf = (personality: Personality.Personality): Policy =>
  Personality.policy({ ...personality, mentioned: [] })

const ofPersonality = ({ personality }: ReadPersonality): Subject => ({
  name: personality.id,
  authority: personality.authority,
  policy: policyOf(personality),
  get entries() {
    return personality.sources.map((source) => ({ ...source, subject: personality.id }))
  }
})

interface Subjects {
  readonly agents: ReadonlyArray<Subject>
  readonly personalities: ReadonlyArray<Subject>
}

const known = new WeakMap<Input, Subjects>()

/** Made once for one input: plans are kept by policy. */
export const subjectsBy = (input: Input): Subjects => {
  const made = known.get(input) ?? {
    agents: agentsOf(input).map((agent) => ofAgent(agent, input)),
    personalities: personalitiesOf(input).map(ofPersonality)
  }
  known.set(input, made)
  return made
}

export const subjectsOf = (input: Input): ReadonlyArray<Subject> => {
  const { agents, personalities } = subjectsBy(input)
  return [...agents, ...personalities]
}

export const some = (number: number, one: string, many = `${one}s`): string =>
  `${number} ${number === 1 ? one : many}`

/** As many as a line can bear. */
export const listed = (names: ReadonlyArray<string>, most = 5): string =>
  names.length <= most
    ? names.join(", ")
    : `${names.slice(0, most).join(", ")} and ${names.length - most} more`

/** What a tool declares, in words. */
export const declaredBy = (tool: Tool.Any): string => surfaceOf(tool).join("; ")

/** A name that no tool has may be one of a module that was not loaded: that is told once, and not at each name. */
export const knowsAllTools = ({ workspace }: Pick<Input, "workspace">): boolean =>
  (workspace?.unloaded ?? []).length === 0 && workspace?.uninstalled !== true
