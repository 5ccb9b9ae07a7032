/** What is added to a log after it was looked at, wherever it is kept. */
import { Effect, Schedule, type Scope, Stream } from "effect"
import type { AuditEntry } from "../../../audit/AuditEntry.js"
import type { AuditError } from "../../../audit/AuditSink.js"
import { Additions } from "../../../layers/node/audit/Additions.js"
import type * as AuditFiles from "../../../layers/node/audit/AuditFiles.js"
import { seen } from "../../../policy/text/Quote.js"
import { CliError } from "../../CliError.js"
import { loadPostgres } from "../../database.js"
import { watching } from "../../Watching.js"
import type { Kept, Log } from "./Log.js"

export interface Tailing {
  /** How many lines were no entries of this version. */
  readonly leftOut: number
  /** Hands each new entry over. */
  readonly look: (each: (entry: AuditEntry) => void) => void
  /** Has the log looked at again whenever there may be more. */
  readonly watched: (look: () => void) => Effect.Effect<void, never, Scope.Scope>
}

class OfFiles implements Tailing {
  private readonly additions: Additions
  private readonly said = new Set<string>()
  private readonly complaints: Array<string> = []
  private failure: string | undefined
  private isFirst = true
  leftOut = 0

  /** `complain` hears once of each file that cannot be read. */
  constructor(
    from: AuditFiles.From,
    since: number | undefined,
    private readonly complain: (sentence: string) => void
  ) {
    this.additions = new Additions(from, {
      begins: since === undefined ? "newest" : "start",
      since,
      remark: ({ count }) => this.leaveOut(count),
      trouble: (path, error) => this.hear(path, error)
    })
  }

  private leaveOut(count: number): void {
    this.leftOut += count
  }

  private hear(path: string, { message }: AuditError): void {
    // Where nothing can be read from the beginning there is nothing to wait for.
    this.failure ??= message
    if (this.said.has(path)) return
    this.said.add(path)
    this.complaints.push(`bailiwick: ${seen(message)}; it is left out`)
  }

  look(each: (entry: AuditEntry) => void): void {
    for (const entries of this.additions.look()) for (const entry of entries) each(entry)
    if (this.isFirst && this.failure !== undefined && !this.additions.hasRead)
      throw new CliError(this.failure)
    this.isFirst = false
    for (const sentence of this.complaints.splice(0)) this.complain(sentence)
  }

  watched(look: () => void): Effect.Effect<void, never, Scope.Scope> {
    return watching(() => this.additions.directories, look)
  }
}

const AGAIN = "1 second"

/** Of a log in PostgreSQL: what was found waits until somebody looks. */
class OfDatabase implements Tailing {
  private found: Array<AuditEntry> = []
  private seen = 0
  private isAway = false
  leftOut = 0

  /** `complain` hears when it is away, once for as long as it is. */
  constructor(
    private readonly database: Kept["database"],
    private readonly since: number | undefined,
    private readonly complain: (sentence: string) => void
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
        this.isAway = false
      } catch (error) {
        if (!(error instanceof CliError)) throw error
        if (!this.isAway)
          this.complain(`bailiwick: ${seen(error.message)}; it is asked again until it answers`)
        this.isAway = true
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
  if (!("database" in from)) return new OfFiles(from, since, complain)
  const tail = new OfDatabase(from.database, since ?? Date.now() - DAY, complain)
  await tail.load()
  return tail
}
