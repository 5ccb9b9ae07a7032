/**
 * What a child left behind. The kernel does not keep it from making a name of the floor that was not there: once it has
 * ended, what is new under such a name is moved into a quarantine, and said. What is needed for that is in a journal before
 * the child starts, so that the next program does it if this one is killed.
 *
 * @since 0.1.0
 */
import { Effect } from "effect"
import { viewOf } from "../../../../policy/confinement/Plan.js"
import type { Proof } from "../../../../policy/gate/Proof.js"
import type { Scoped } from "../../../../policy/lattice/Request.js"
import * as Reality from "../../disk/Reality.js"
import type { Planned, Survey } from "../survey/Survey.js"
import { Abandoned } from "./abandoned.js"
import { clear, type Means } from "./clearing.js"
import { Entries } from "./entry.js"
import { Journal, type Unjournaled } from "./journal.js"
import { type Begun, remember } from "./memory.js"
import { openQuarantine } from "./quarantine.js"
import { heard } from "./said.js"

export {
  /**
   * @since 0.1.0
   * @category errors
   */
  Unjournaled
} from "./journal.js"

/**
 * @since 0.1.0
 * @category models
 */
export interface Options {
  readonly survey: Survey
  /** A directory, which need not be there yet. The journal is beside it. */
  readonly quarantine: string
  /** @internal */
  readonly verification?: Reality.Verification | undefined
}

/**
 * Of one child.
 *
 * @since 0.1.0
 * @category models
 */
export interface Sweep {
  /** To be called once the child has ended. It answers with what it did, in sentences for the result. */
  readonly finish: (proof: Proof<Scoped>) => Effect.Effect<ReadonlyArray<string>>
}

/**
 * Children of other programs that ran when it was asked.
 *
 * @since 0.1.0
 * @category models
 */
export interface Ready {
  readonly running: ReadonlyArray<Begun>
}

/**
 * @since 0.1.0
 * @category models
 */
export interface Sweeper {
  /** To be asked before a plan is made: clears up after the children of programs that were killed. */
  readonly ready: Effect.Effect<Ready, Unjournaled>
  /** To be called before the child starts, with the plan that it starts by. Throws `Unjournaled`: it must not start then. */
  readonly begin: (planned: Planned, ready: Ready) => Sweep
  /** For when no more children are started. */
  readonly close: () => void
}

/** Sentences in one result. */
const NOTES = 20

const WHO = "the child"

/**
 * To be called before the first plan is made: from then on the quarantine and the journal are closed to tools and children.
 *
 * @since 0.1.0
 * @category constructors
 */
export const make = ({ quarantine, survey, verification }: Options): Sweeper => {
  openQuarantine(quarantine)
  const journal = new Journal(quarantine)
  const reality = verification ?? (process.platform === "linux" ? "descriptor" : "realpath")
  const means: Means = { survey, quarantine, entries: new Entries(Reality.of(reality)) }
  const own = new Set<Begun>()
  const abandoned = new Abandoned(journal, means, own)

  const begin: Sweeper["begin"] = (planned, { running }) => {
    const { plan } = planned
    const isWriting = plan.mounts.some(({ access, kind }) => access === "write" && kind === "tree")
    const foreign = isWriting ? [...running, ...abandoned.running()] : []
    const known = remember(planned, { own, foreign })
    const forget = isWriting ? journal.write(known.memory) : () => {}
    own.add(known)
    const accessAt = viewOf(plan)
    const finish: Sweep["finish"] = (proof) =>
      Effect.gen(function* () {
        const { notes, swept } = yield* clear(known, means, WHO)
        forget()
        const earlier = abandoned.told((path) => accessAt(path) !== "none")
        const said = [...earlier.swept, ...swept].map((one) => heard(proof, one))
        const rest = said.length - NOTES
        return [
          ...earlier.notes,
          ...notes,
          ...said.slice(0, NOTES),
          ...(rest > 0 ? [`${rest} more were moved to ${quarantine}; its lists name them`] : [])
        ]
      }).pipe(Effect.ensuring(Effect.sync(() => own.delete(known))))
    return { finish }
  }

  return { ready: abandoned.ready, begin, close: () => journal.close() }
}
