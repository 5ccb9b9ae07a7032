/** Grants without a SPEC: one of the catalog, from the least to the most that is at stake, and then its scope. */
import { Either } from "effect"
import type * as AgentRecord from "../../../policy/agent/AgentRecord.js"
import * as Catalog from "../../../policy/grant/Catalog.js"
import type * as Grant from "../../../policy/grant/Grant.js"
import { type Dialogue, dialogue, type Unanswered } from "../../prompt/Dialogue.js"
import { type Choice, pick } from "../../prompt/Pick.js"
import type { Tty } from "../../prompt/Tty.js"
import type { Terminal } from "../../report/Terminal.js"
import type { Surroundings } from "../../Surroundings.js"
import { askScope, grantOf } from "./questions.js"
import { toneOf } from "./shown.js"

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

const enough = (terminal: Terminal, held: number): Choice<undefined> => ({
  value: undefined,
  name: held === 0 ? "nothing" : "no more",
  label: "",
  paint: terminal.dim,
  about: held === 0 ? "it holds nothing yet" : "that is all",
  detail: held === 0 ? "an agent that can do nothing; 'agents grant' widens it" : "asks before it is written"
})

/** Several, until it is enough. */
export const pickGrants = async (
  around: Surroundings,
  tty: Tty,
  recipient: Recipient
): Promise<ReadonlyArray<Grant.Grant> | Unpicked> => {
  const picked = await dialogue(around, tty, async (talk) => {
    const all: Array<Grant.Grant> = []
    for (;;) {
      const offered = [enough(talk.terminal, all.length), ...choices(talk.terminal)]
      const entry = await pick<Catalog.Entry | undefined>(talk, `What ${recipient.id} may do`, offered)
      if (entry === undefined) return all
      const one = await pickOne(talk, entry, recipient)
      if (one !== undefined) all.push(one)
    }
  })
  return picked
}
