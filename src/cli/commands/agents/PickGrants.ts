/** Grants without a SPEC: one of the catalog, from the least to the most that is at stake, and then its scope. */
import { Either } from "effect"
import type * as AgentRecord from "../../../policy/agent/AgentRecord.js"
import * as Catalog from "../../../policy/grant/Catalog.js"
import * as Grant from "../../../policy/grant/Grant.js"
import { type Dialogue, dialogue, type Unanswered } from "../../prompt/Dialogue.js"
import { type Choice, pick } from "../../prompt/Pick.js"
import type { Tty } from "../../prompt/Tty.js"
import type { Terminal } from "../../report/Terminal.js"
import type { Surroundings } from "../../Surroundings.js"
import { askScope, grantOf } from "./questions.js"
import { toneOf } from "./ShownGrants.js"

/** What an entry lets an agent do, before it is said to what. */
const aboutOf = ({ capability, effect }: Catalog.Entry): string =>
  capability.startsWith("network.") ? `${effect} hosts` : effect

const choices = (terminal: Terminal): ReadonlyArray<Choice<Catalog.Entry>> =>
  Catalog.risks.flatMap((risk) =>
    Catalog.catalog
      .filter((entry) => entry.risk === risk)
      .map((entry) => ({
        value: entry,
        name: entry.name,
        label: risk,
        paint: terminal[toneOf(risk)],
        about: aboutOf(entry),
        detail: `${entry.name}: ${aboutOf(entry)}; ${entry.keys.length === 0 ? "takes no scope" : `scope: ${entry.keys.join(", ")}`}`
      }))
  )

/** To whom, and how its paths are read. */
export interface Recipient {
  readonly id: string
  readonly root: string | undefined
  readonly places: AgentRecord.Places
  /** What it means to give it nothing. */
  readonly nothing?: string | undefined
}

/** Grants that somebody may want together, and why. None is chosen beforehand. */
export interface Proposal {
  readonly name: string
  readonly about: string
  readonly grants: ReadonlyArray<Grant.Grant>
}

const pickOne = async (
  talk: Dialogue,
  entry: Catalog.Entry,
  { places, root }: Recipient
): Promise<Grant.Grant | undefined> => {
  talk.say(`${talk.terminal.bold(entry.name)}: ${aboutOf(entry)}\r\n`)
  const scope = await askScope(talk, entry, root, places)
  return scope === undefined ? undefined : Either.getOrThrow(grantOf(entry, scope, places))
}

/** Why nothing was picked: the user left, or named nothing to grant. */
export type Unpicked = { readonly unanswered: Unanswered | "unlimited" }

const orUnlimited = <A>(picked: A | undefined): A | Unpicked => picked ?? { unanswered: "unlimited" }

export const pickGrant = async (
  around: Surroundings,
  tty: Tty,
  recipient: Recipient
): Promise<Grant.Grant | Unpicked> => {
  const picked = await dialogue(around, tty, async (talk) =>
    pickOne(talk, await pick(talk, `What to grant to ${recipient.id}`, choices(talk.terminal)), recipient)
  )
  return orUnlimited(picked)
}

const AGENT = "an agent that can do nothing; 'agents grant' widens it"

const enough = (terminal: Terminal, held: number, nothing = AGENT): Choice<undefined> => ({
  value: undefined,
  name: held === 0 ? "nothing" : "no more",
  label: "",
  paint: terminal.dim,
  about: held === 0 ? "it holds nothing yet" : "that is all",
  detail: held === 0 ? nothing : "asks before it is written"
})

const highest = (grants: ReadonlyArray<Grant.Grant>): Catalog.Risk =>
  [...Catalog.risks].reverse().find((risk) => grants.some((grant) => Grant.risk(grant) === risk)) ?? "low"

const proposals = (terminal: Terminal, all: ReadonlyArray<Proposal>): ReadonlyArray<Choice<Proposal>> =>
  all.map((value) => {
    const risk = highest(value.grants)
    return {
      value,
      name: value.name,
      label: risk,
      paint: terminal[toneOf(risk)],
      about: value.about,
      detail: value.grants.map((grant) => Grant.print(grant)).join(" ")
    }
  })

const isProposal = (one: Catalog.Entry | Proposal): one is Proposal => "grants" in one

/** Several, until it is enough. */
export const pickGrants = async (
  around: Surroundings,
  tty: Tty,
  recipient: Recipient,
  proposed: ReadonlyArray<Proposal> = []
): Promise<ReadonlyArray<Grant.Grant> | Unpicked> => {
  const picked = await dialogue(around, tty, async (talk) => {
    const all: Array<Grant.Grant> = []
    const left = new Set(proposed)
    for (;;) {
      const offered = [
        enough(talk.terminal, all.length, recipient.nothing),
        ...proposals(talk.terminal, [...left]),
        ...choices(talk.terminal)
      ]
      const entry = await pick<Catalog.Entry | Proposal | undefined>(
        talk,
        `What ${recipient.id} may do`,
        offered
      )
      if (entry === undefined) return all
      if (isProposal(entry)) {
        left.delete(entry)
        all.push(...entry.grants)
        continue
      }
      const one = await pickOne(talk, entry, recipient)
      if (one !== undefined) all.push(one)
    }
  })
  return picked
}
