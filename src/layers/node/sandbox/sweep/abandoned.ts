/** Children of other programs: those that still run, and those whose program was killed before it cleared up after them. */
import { Effect } from "effect"
import { type Cleared, clear, type Means } from "./clearing.js"
import { asked, type Journal, type Listed, type Unjournaled, type Written } from "./journal.js"
import { type Begun, type Known, recall } from "./memory.js"
import { nobodyLeft } from "./program.js"
import { type Swept, sentence } from "./said.js"

const WHO = "a child of a program that was killed"

/** Of a child of somebody else, of which nobody here knows anything: whatever is there may be its own. */
const anything: Begun = { before: new Set(), isWritten: () => true }

const unread = (path: string): string =>
  `what a child of a program that was killed could write is not known, because its entry in the journal cannot be read; the entry is now ${path}: look for what was made under names that run by themselves, and remove it`

const stays = (path: string): string =>
  `a program was killed and one of its children still runs, so nobody has cleared up after it; end it: its entry in the journal is ${path}`

const PARTLY =
  "what a child of a program that was killed made could not be looked through; the log says where"

export class Abandoned {
  private readonly complained = new Set<string>()
  private readonly turn = Effect.unsafeMakeSemaphore(1)
  private isBusy = false
  private notes: Array<string> = []
  private swept: ReadonlyArray<Swept> = []

  constructor(
    private readonly journal: Journal,
    private readonly means: Means,
    /** The children of this program, among which those are that it clears up after. */
    private readonly own: Set<Begun>
  ) {}

  /** Clears up if there is something to clear up after, and says who else runs. */
  get ready(): Effect.Effect<{ readonly running: ReadonlyArray<Begun> }, Unjournaled> {
    return Effect.flatMap(
      asked(() => this.journal.list()),
      (listed) =>
        !this.isBusy && this.over(listed).length === 0
          ? Effect.succeed({ running: this.among(listed) })
          : Effect.zipRight(
              this.cleared,
              asked(() => ({ running: this.running() }))
            )
    )
  }

  /** Those who are gone, and not only for somebody else to clear up after. */
  private over({ gone }: Listed): ReadonlyArray<string> {
    return gone.filter((name) => !this.complained.has(name))
  }

  /** One after the other: who comes meanwhile waits, because what is there is not settled until then. */
  private readonly cleared = this.turn.withPermits(1)(
    Effect.suspend(() => {
      this.isBusy = true
      return Effect.flatMap(
        asked(() => this.over(this.journal.list())),
        (names) => Effect.forEach(names, (name) => this.after(name), { discard: true })
      )
    }).pipe(
      Effect.ensuring(
        Effect.sync(() => {
          this.isBusy = false
        })
      )
    )
  )

  /** Children of other programs that run now, and of those whom only somebody else may clear up after. */
  running(): ReadonlyArray<Begun> {
    return this.among(this.journal.list())
  }

  private among({ gone, running }: Listed): ReadonlyArray<Begun> {
    return [...running, ...gone].flatMap((name) => {
      const written = this.journal.read(name)
      // One that is not whole yet is of a child that has not started.
      if (written === "idle" || written === "unreadable") return []
      return typeof written === "string" ? anything : (recalled(written) ?? anything)
    })
  }

  private after(name: string): Effect.Effect<void> {
    const written = this.journal.read(name)
    if (written === "idle") return Effect.sync(() => this.journal.drop(name))
    const known = typeof written === "string" ? undefined : recalled(written)
    if (typeof written === "string" || known === undefined) return this.unknown(name, written === "foreign")
    return Effect.flatMap(
      Effect.promise(() => nobodyLeft(written.mark)),
      (isOver) => (isOver ? this.clear(name, known) : this.complain(name, stays(this.journal.at(name))))
    )
  }

  private unknown(name: string, isForeign: boolean): Effect.Effect<void> {
    if (isForeign) {
      this.complained.add(name)
      return Effect.void
    }
    const path = this.journal.aside(name)
    return path === undefined ? Effect.void : this.complain(name, unread(path))
  }

  private complain(name: string, note: string): Effect.Effect<void> {
    this.complained.add(name)
    this.notes.push(note)
    return Effect.logWarning(note)
  }

  private clear(name: string, known: Known): Effect.Effect<void> {
    return Effect.uninterruptible(
      Effect.suspend(() => {
        const forget = this.journal.claim(name)
        if (forget === undefined) return Effect.void
        this.own.add(known)
        return clear(known, this.means, WHO).pipe(
          Effect.tap(() => Effect.sync(forget)),
          Effect.flatMap((cleared) => this.say(cleared)),
          Effect.ensuring(Effect.sync(() => this.own.delete(known)))
        )
      })
    )
  }

  /** Where it was is not for everybody: the log has all of it. */
  private say({ notes, swept }: Cleared): Effect.Effect<void> {
    if (notes.length > 0) this.notes.push(PARTLY)
    this.swept = [...this.swept, ...swept]
    return Effect.forEach([...notes, ...swept.map(sentence)], (text) => Effect.logWarning(text), {
      discard: true
    })
  }

  /** What was done, once: for the first result of somebody who sees where it was. */
  told(isSeen: (path: string) => boolean): Cleared {
    const { notes } = this
    const swept = this.swept.filter(({ path }) => isSeen(path))
    this.notes = []
    this.swept = this.swept.filter((one) => !swept.includes(one))
    return { notes, swept }
  }
}

/** What another version wrote may not be what it seems. */
const recalled = ({ memory }: Written): Known | undefined => {
  try {
    return recall(memory)
  } catch {
    return undefined
  }
}
