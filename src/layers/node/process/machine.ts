/** What all children of one layer share, and what is checked before each of them is started. */
import { randomBytes } from "node:crypto"
import { Either } from "effect"
import { ProcessBackend } from "../../../capabilities/process/ProcessBackend.js"
import type { ProcessError, ProcessInput } from "../../../capabilities/process/ProcessOperations.js"
import type { Proof } from "../../../policy/gate/Proof.js"
import type { Scoped } from "../../../policy/lattice/Request.js"
import type { CheckedCommand } from "./checkedCommand.js"
import { type Directory, enter } from "./directory.js"
import { baseOf, environmentOf, type Variables } from "./environment.js"
import type { Fence } from "./fence.js"
import type { Settled } from "./options.js"
import { verify } from "./pin.js"
import { MARKER } from "./processTable.js"
import { Reaper } from "./reaper.js"
import * as refusals from "./refusals.js"
import type { Running } from "./running.js"
import { ChildSlots } from "./slots.js"

/** What a caller wants started: a command, or a script in the shell that was found for it. */
export interface Wanted {
  readonly proof: Proof<Scoped>
  readonly binary: ProcessBackend.Pinned
  readonly script?: string
  readonly surroundings: ProcessBackend.Surroundings
  /** What goes to it while it runs. */
  readonly input?: ProcessInput | undefined
  /** Whether it is told things besides. */
  readonly isSpokenTo?: boolean | undefined
}

export interface Checked {
  readonly command: CheckedCommand
  readonly directory: Directory
  readonly mark: string
}

/** The words of a command, as long as proof and binary are of that command. */
const wordsOf = ({ binary, proof, script }: Wanted, shell: string): ReadonlyArray<string> | undefined => {
  const { facet, verb } = proof.request
  if (facet !== "process") return undefined
  if (script !== undefined) {
    return verb === "eval" && binary.name === shell ? [shell, "-c", script] : undefined
  }
  const { args, binary: name } = ProcessBackend.commandOf(proof)
  return verb === "exec" && name === binary.name ? [name, ...args] : undefined
}

export class Machine {
  readonly slots: ChildSlots
  readonly reaper: Reaper
  readonly running = new Set<Running>()
  isClosed = false
  private readonly layer = randomBytes(16).toString("hex")
  private readonly base: Variables
  private readonly inherited: string
  private started = 0

  constructor(
    readonly settings: Settled,
    readonly fence: Fence
  ) {
    this.slots = new ChildSlots(settings.slots)
    this.reaper = new Reaper(this.layer, settings.graceMillis)
    this.base = baseOf(settings)
    // A program that is itself a child of another layer stays one, and so do its children.
    this.inherited = settings.environment[MARKER] ?? ""
  }

  /** How long a child may run. One that serves runs until it is ended. */
  millisOf({ proof, surroundings: { timeoutMillis } }: Wanted): Either.Either<number, ProcessError> {
    if (proof.lasts) return Either.right(Number.POSITIVE_INFINITY)
    if (timeoutMillis === undefined) return Either.right(this.settings.deadlineMillis)
    return timeoutMillis > 0
      ? Either.right(Math.min(timeoutMillis, this.settings.longestMillis))
      : Either.left(refusals.deadlineInvalid)
  }

  /** The command as it would be started now. Whoever gets it closes its directory. */
  check(wanted: Wanted): Either.Either<Checked, ProcessError> {
    if (this.isClosed) return Either.left(refusals.closed)
    const argv = wordsOf(wanted, this.settings.shell)
    if (argv === undefined) return Either.left(refusals.notProven(wanted.proof))
    const env = environmentOf(this.base, wanted.surroundings.env, wanted.proof)
    if (Either.isLeft(env)) return Either.left(env.left)
    const binary = verify(wanted.binary, wanted.proof)
    if (Either.isLeft(binary)) return Either.left(binary.left)
    const mark = `${this.layer}.${++this.started};`
    return Either.map(enter(wanted.proof), (directory) => ({
      directory,
      mark,
      command: {
        path: binary.right.path,
        found: binary.right.found,
        argv,
        env: { ...env.right.all, [MARKER]: this.inherited + mark },
        given: env.right.given,
        proof: wanted.proof
      }
    }))
  }

  /** Ends everything, and takes no more. */
  async close(): Promise<void> {
    this.isClosed = true
    await Promise.all([...this.running].map((running) => running.stop(refusals.closed)))
    if (this.started > 0) await this.reaper.sweep()
  }
}
