import type { Process } from "../../../capabilities/process/Process.js"

/** How a child ended, and what is to be known of how it ran. */
export type Ended = Pick<Process.Result, "exitCode" | "signal" | "notes">

export const withNotes = (ended: Ended, notes: ReadonlyArray<string>): Ended =>
  notes.length === 0 ? ended : { ...ended, notes: [...(ended.notes ?? []), ...notes] }
