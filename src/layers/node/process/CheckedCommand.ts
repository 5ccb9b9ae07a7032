/**
 * @since 0.1.0
 */
import type { Proof } from "../../../policy/gate/Proof.js"
import type { Scoped } from "../../../policy/lattice/Request.js"

/**
 * A command that was permitted, found and checked: the last form it has before it is started. A launcher that wraps
 * commands, as a sandbox does, turns one into another.
 *
 * @since 0.1.0
 * @category models
 */
export interface CheckedCommand {
  /** The file that is executed. */
  readonly path: string
  /** All words, with the name that the command was called by first. */
  readonly argv: ReadonlyArray<string>
  /** The directory it runs in, without links. */
  readonly cwd: string
  readonly env: Readonly<Record<string, string>>
  /** Descriptors that the child gets beside its three, as 3, 4 and so on. */
  readonly descriptors: ReadonlyArray<number>
  /** What permitted it. */
  readonly proof: Proof<Scoped>
}
