import type { Proof } from "../../../policy/gate/Proof.js"
import type { Scoped } from "../../../policy/lattice/Request.js"

/** A command that was permitted, found and checked. */
export interface CheckedCommand {
  /** The file that is executed, and where it was found: the same, or a link to it. */
  readonly path: string
  readonly found: string
  /** All words, with the name that the command was called by first. */
  readonly argv: ReadonlyArray<string>
  readonly env: Readonly<Record<string, string>>
  /** What of it the tool itself sets. */
  readonly given: Readonly<Record<string, string>>
  /** What permitted it. */
  readonly proof: Proof<Scoped>
}
