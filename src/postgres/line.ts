/**
 * The line to PostgreSQL: connected when needed, given up and made anew when it is of no use, and waited for by those who
 * were there before it broke. All waiting is in real time, whatever clock a program goes by: the other end is another
 * program.
 */
import type { SqlClient } from "@effect/sql"
import type { SqlError } from "@effect/sql/SqlError"
import { Cause, Clock, Effect, Exit, Fiber, Scope } from "effect"
import type { Connect } from "./connecting.js"
import { DatabaseError } from "./DatabaseError.js"
import { InTurn } from "./InTurn.js"
import { isSilence, troubleOf } from "./Trouble.js"

interface Terms {
  readonly permits: number
  readonly patience: number
  /** What is done once for a connection. It answers how far ahead the clock of PostgreSQL is. */
  readonly settingUp: (
    client: SqlClient.SqlClient
  ) => Effect.Effect<{ readonly ahead: number }, SqlError | DatabaseError>
  readonly say: ((sentence: string) => void) | undefined
}

type Rows = ReadonlyArray<Readonly<Record<string, unknown>>>

interface Link {
  readonly client: SqlClient.SqlClient
  readonly scope: Scope.CloseableScope
}

const real = Clock.make()

/** After an attempt in vain nobody tries again for so long. */
const PAUSE = 200

/** The clocks are compared anew after so long. */
const COMPARE_AFTER = 60_000

const busy = new DatabaseError({
  kind: "busy",
  detail: "all connections to PostgreSQL are in use, and none came free in time; try again later"
})

const closed = new DatabaseError({
  kind: "refused",
  detail: "the connection to PostgreSQL is closed: the layer it came from has ended"
})

const broke = new DatabaseError({
  kind: "refused",
  detail: "the client of PostgreSQL broke; its settings may be wrong"
})

const GONE = "PostgreSQL went away"
const BACK = "PostgreSQL is back"
const UNTIL = "; what needs it answers not_available until it is back"

export class Line {
  /** How far ahead the clock of PostgreSQL is. */
  private ahead = 0

  private link: Link | undefined
  private comparedAt = 0
  private failure: { readonly error: DatabaseError; readonly at: number } | undefined
  /** Since when it is away, where it was there before. */
  private awaySince: number | undefined
  private isAway = false
  private isClosed = false
  private readonly inUse: InTurn
  private readonly alone = new InTurn(1)
  private scope: Scope.Scope | undefined

  constructor(
    private readonly connect: Connect,
    private readonly terms: Terms
  ) {
    this.inUse = new InTurn(terms.permits)
  }

  /** Ties it to the scope, and has it look at once, so that who starts the program hears of it. */
  readonly opened: Effect.Effect<void, never, Scope.Scope> = Effect.gen(this, function* () {
    const scope = yield* Effect.scope
    yield* Effect.addFinalizer(() => Effect.suspend(() => this.forget()))
    // What is under way when the scope ends is waited for, and only then is the line given up.
    this.scope = yield* Scope.fork(scope, { _tag: "Sequential" })
    // And those who only wait for PostgreSQL to come back wait no more.
    yield* Effect.addFinalizer(() =>
      Effect.sync(() => {
        this.isClosed = true
      })
    )
    yield* Effect.forkIn(Effect.withClock(Effect.ignore(this.linked), real), this.scope)
  })

  /** Connected, or it fails as `away`. */
  readonly client: Effect.Effect<SqlClient.SqlClient, DatabaseError> = Effect.suspend(() =>
    Effect.withClock(
      Effect.map(this.linked, ({ client }) => client),
      real
    )
  )

  /** What time it is there, by the clock of who asks. */
  readonly now: Effect.Effect<number, DatabaseError> = Effect.suspend(() => {
    const known = Effect.map(Clock.currentTimeMillis, (here) => here + this.ahead)
    // Before it was asked once, nobody knows how far ahead it is.
    return this.link === undefined ? Effect.zipRight(this.ask("SELECT 1", [], true), known) : known
  })

  readonly reached: Effect.Effect<void, DatabaseError> = Effect.suspend(() =>
    this.isAway || this.link === undefined ? Effect.asVoid(this.ask("SELECT 1", [], true, 0)) : Effect.void
  )

  ask(
    statement: string,
    values: ReadonlyArray<unknown>,
    isRepeatable: boolean,
    patience = this.terms.patience
  ): Effect.Effect<Rows, DatabaseError> {
    return Effect.suspend(() => {
      const { scope } = this
      if (this.isClosed || scope === undefined) return Effect.fail(closed)
      const until = Date.now() + patience
      const working = Effect.suspend(() =>
        Date.now() > until && patience > 0
          ? Effect.fail(busy)
          : Effect.uninterruptible(this.untilDone(statement, values, isRepeatable, until))
      )
      // Whoever leaves while waiting for a connection has asked for nothing; later the statement goes on by itself.
      const asking = Effect.withClock(Effect.interruptible(this.inUse.run(working)), real)
      return Effect.uninterruptibleMask((restore) =>
        Effect.flatMap(Effect.forkIn(asking, scope), (fiber) =>
          Effect.onInterrupt(restore(Fiber.join(fiber)), () => Fiber.interruptFork(fiber))
        )
      )
    })
  }

  private untilDone(
    statement: string,
    values: ReadonlyArray<unknown>,
    isRepeatable: boolean,
    until: number
  ): Effect.Effect<Rows, DatabaseError> {
    const once = Effect.flatMap(this.linked, ({ client }) => this.execute(client, statement, values))
    return Effect.catchAll(once, (error) => {
      const again =
        error.kind === "away" || (error.kind === "unknown" && isRepeatable) || AT_ONCE.has(error.named ?? "")
      if (!again || !this.waits(until)) return Effect.fail(error)
      return Effect.zipRight(
        Effect.sleep(PAUSE / 2 + Math.random() * PAUSE),
        this.untilDone(statement, values, isRepeatable, until)
      )
    })
  }

  /** Who comes when it has been away for long is told at once. */
  private waits(until: number): boolean {
    const now = Date.now()
    if (this.isClosed) return false
    if (!this.isAway) return now < until
    return this.awaySince !== undefined && now < Math.min(until, this.awaySince + this.terms.patience)
  }

  private execute(
    client: SqlClient.SqlClient,
    statement: string,
    values: ReadonlyArray<unknown>
  ): Effect.Effect<Rows, DatabaseError> {
    return client.unsafe<Readonly<Record<string, unknown>>>(statement, values).pipe(
      Effect.tap(() => this.isThere()),
      Effect.catchAllCause((cause) => this.failed(cause))
    )
  }

  private failed(cause: Cause.Cause<SqlError | DatabaseError>): Effect.Effect<never, DatabaseError> {
    const failure = Cause.failureOption(cause)
    if (failure._tag === "None") return Effect.fail(broke)
    if (failure.value instanceof DatabaseError) return Effect.fail(failure.value)
    const error = troubleOf(failure.value)
    const told = Effect.suspend(() => (isLoss(error) ? this.isGone(error) : Effect.void))
    const given = isSilence(failure.value) ? Effect.zipRight(this.forget(), told) : told
    return Effect.zipRight(given, Effect.fail(error))
  }

  /** The client, once what it needs is there. One tries, and the others hear what came of it. */
  private readonly linked: Effect.Effect<Link, DatabaseError> = Effect.suspend(() => {
    if (this.link !== undefined && Date.now() - this.comparedAt < COMPARE_AFTER)
      return Effect.succeed(this.link)
    return this.alone.run(
      Effect.suspend(() => {
        const { failure, link } = this
        if (link !== undefined) return this.compared(link)
        if (failure !== undefined && Date.now() - failure.at < PAUSE) return Effect.fail(failure.error)
        return Effect.uninterruptible(this.build())
      })
    )
  })

  private compared(link: Link): Effect.Effect<Link, DatabaseError> {
    if (Date.now() - this.comparedAt < COMPARE_AFTER) return Effect.succeed(link)
    return Effect.mapError(Effect.as(this.setUp(link), link), asAway)
  }

  private setUp({ client }: Link): Effect.Effect<void, DatabaseError> {
    return Effect.map(
      Effect.catchAllCause(this.terms.settingUp(client), (cause) => this.failed(cause)),
      ({ ahead }) => {
        this.ahead = Math.abs(ahead - this.ahead) < MATTERS ? this.ahead : ahead
        this.comparedAt = Date.now()
      }
    )
  }

  private build(): Effect.Effect<Link, DatabaseError> {
    return Effect.gen(this, function* () {
      const scope = yield* Scope.make()
      const connected = Effect.catchAllCause(Scope.extend(this.connect, scope), (cause) => this.failed(cause))
      const exit = yield* Effect.exit(
        Effect.flatMap(connected, (client) => Effect.as(this.setUp({ client, scope }), { client, scope }))
      )
      if (Exit.isSuccess(exit) && !this.isClosed) {
        this.link = exit.value
        this.failure = undefined
        yield* this.isThere()
        return exit.value
      }
      yield* Scope.close(scope, Exit.void)
      const error = asAway(Exit.isSuccess(exit) ? closed : failureOf(exit.cause))
      this.failure = { error, at: Date.now() }
      yield* this.isGone(error)
      return yield* error
    })
  }

  /** The next one connects anew; those who use it still come to their end. */
  private forget(): Effect.Effect<void> {
    const { link } = this
    this.link = undefined
    return link === undefined ? Effect.void : Scope.close(link.scope, Exit.void)
  }

  private isThere(): Effect.Effect<void> {
    if (!this.isAway) {
      this.awaySince = undefined
      return Effect.void
    }
    this.isAway = false
    this.awaySince = undefined
    return this.said(BACK)
  }

  private isGone({ kind, told }: DatabaseError): Effect.Effect<void> {
    if (this.isAway || this.isClosed) return Effect.void
    this.isAway = true
    if (this.link !== undefined) this.awaySince = Date.now()
    return this.said(`${kind === "unknown" ? GONE : told}${UNTIL}`)
  }

  private said(sentence: string): Effect.Effect<void> {
    const { say } = this.terms
    return say === undefined ? Effect.logWarning("Database", sentence) : Effect.sync(() => say(sentence))
  }
}

/** A difference that is smaller is that of two looks, and counts for nothing. */
const MATTERS = 250

/** What PostgreSQL gave up for the sake of another client is asked again. */
const AT_ONCE: ReadonlySet<string> = new Set(["40001", "40P01"])

const isLoss = ({ kind }: DatabaseError): boolean => kind === "away" || kind === "unknown"

const failureOf = (cause: Cause.Cause<DatabaseError>): DatabaseError => {
  const failure = Cause.failureOption(cause)
  return failure._tag === "Some" ? failure.value : broke
}

/** Nothing was asked yet, whatever became of the attempt to connect. */
const asAway = (error: DatabaseError): DatabaseError =>
  error.kind === "away"
    ? error
    : new DatabaseError({
        kind: "away",
        detail: error.kind === "unknown" ? GONE : error.detail,
        ...(error.kind === "refused" ? { isRefused: true } : {}),
        ...(error.named === undefined ? {} : { named: error.named })
      })
