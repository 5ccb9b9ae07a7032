/** What is said of a change to an agent's record beside what was asked for. */
import type { Edited } from "../../../policy/agent/edit/AgentEdit.js"
import { shown } from "../../../policy/text/Quote.js"

const shorthands: Readonly<Record<Edited["dissolved"][number], string>> = {
  access: "access: is written out as entries of capabilities:",
  sandbox:
    "sandbox: is written out as entries of capabilities:; where no --workdir is given, turns no longer start in its root",
  default: "the default is written out as an entry of capabilities:"
}

/** What changes in the file beside what was asked for: shorthands that are written out, and lines that go. */
export const besides = ({ dissolved, lost }: Pick<Edited, "dissolved" | "lost">): ReadonlyArray<string> => [
  ...dissolved.map((one) => shorthands[one]),
  ...lost.map(({ line, text, why }) => `line ${line} goes: ${shown(text.replace(/\s*\n\s*/g, " "))}; ${why}`)
]

/** An agent reads its record when a turn begins. */
export const NEXT_TURN = "its next turn sees it; one that runs goes on as it began"
