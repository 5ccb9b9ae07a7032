/** What is added to a log after it was looked at, wherever it is kept. */
import { Effect, Schedule, type Scope, Stream } from "effect"
import type { AuditEntry } from "../../../audit/AuditEntry.js"
import { loadPostgres } from "../../database.js"
import { watching } from "../../Watching.js"
import type { Kept, Log } from "./Log.js"
import { Tail } from "./Tail.js"

export interface Tailing {
  /** How many lines were no entries of this version. */
  readonly leftOut: number
  /** Hands each new entry over. */
  readonly look: (each: (entry: AuditEntry) => void) => void
  /** Has the log looked at again whenever there may be more. */
  readonly watched: (look: () => void) => Effect.Effect<void, never, Scope.Scope>
}

class OfFiles implements Tailing {
  constructor(private readonly tail: Tail) {}

  get leftOut(): number {
    return this.tail.leftOut
  }

  look(each: (entry: AuditEntry) => void): void {
    this.tail.look(each)
  }

  watched(look: () => void): Effect.Effect<void, never, Scope.Scope> {
    return watching(() => this.tail.directories, look)
  }
}

const AGAIN = "1 second"

/** Of a log in PostgreSQL: what was found waits until somebody looks. */
class OfDatabase implements Tailing {
  private found: Array<AuditEntry> = []
  private seen = 0
  leftOut = 0

  constructor(
    private readonly database: Kept["database"],
    private readonly since: number | undefined
  ) {}

  private leaveOut(): void {
    this.leftOut += 1
  }

  async load(): Promise<void> {
    const { PostgresAudit } = await loadPostgres()
    const { entries, last } = await this.database.run(
      PostgresAudit.after(this.seen, { since: this.since, remark: () => this.leaveOut() })
    )
    await this.database.run(
      Stream.runForEach(entries, (entry) => Effect.sync(() => void this.found.push(entry)))
    )
    this.seen = last
  }

  look(each: (entry: AuditEntry) => void): void {
    for (const entry of this.found.splice(0)) each(entry)
  }

  watched(look: () => void): Effect.Effect<void, never, Scope.Scope> {
    const again = Effect.promise(async () => {
      try {
        await this.load()
      } catch {
        // It is away, and is looked at again.
      }
      look()
    })
    return Effect.asVoid(Effect.forkScoped(Effect.repeat(again, Schedule.spaced(AGAIN))))
  }
}

const DAY = 86_400_000

/** At first there is what was written since then; without a time, what was written lately. */
export const tailOf = async (
  { from }: Log,
  since: number | undefined,
  complain: (sentence: string) => void
): Promise<Tailing> => {
  if (!("database" in from)) return new OfFiles(new Tail(from, since, complain))
  const tail = new OfDatabase(from.database, since ?? Date.now() - DAY)
  await tail.load()
  return tail
}
