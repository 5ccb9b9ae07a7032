/** What a write took out of an agent's record though nobody asked for that. */
import type { Lost } from "../../policy/agent/edit/AgentEdit.js"
import type { RecordsBackend } from "./RecordsBackend.js"

/** A record as it was written, and what went with the change. */
export interface Written extends RecordsBackend.Stored {
  readonly lost?: ReadonlyArray<Lost>
}

const told = ({ grant, line, text, why }: Lost, mayRead: boolean): string => {
  const what = mayRead ? text : grant
  return what === undefined ? `line ${line}` : `line ${line}: ${what}; ${why}`
}

/** For whoever wrote it. Who may not read the record learns which grants went, and not what else its lines said. */
export const lostOf = (
  { lost = [] }: Written,
  mayRead: boolean
): { readonly lost?: ReadonlyArray<string> } =>
  lost.length === 0 ? {} : { lost: lost.map((one) => told(one, mayRead)) }
