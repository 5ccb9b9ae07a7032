/**
 * Who runs which call. Before a call that must not run twice begins, a row is made for it, which nobody else can make
 * again; what came of it is written beside. Who finds a row without a result knows that the call was begun, and does not
 * begin it anew. Rows of calls that come at the same time are written together.
 */
import type * as SqlClient from "@effect/sql/SqlClient"
import type { SqlError } from "@effect/sql/SqlError"
import { Duration, Effect, Schedule } from "effect"
import type { ClusterError } from "../ClusterError.js"
import { answeredInTime } from "./inTime.js"
import type { Life } from "./Life.js"
import { Together } from "./Together.js"

/** A call of a turn, by the key of the turn and its place in it. */
export interface Entry {
  readonly turn: string
  readonly call: number
}

/** `mine`: run it. `begun`: another has begun it; its result, where there is one, is as it was sealed. */
export type Claim =
  | { readonly _tag: "mine" }
  | { readonly _tag: "begun"; readonly result: string | undefined }

interface Claiming extends Entry {
  /** By which a row is known as this one's own, when it was written and nobody heard of it. */
  readonly claim: string
}

interface Settling extends Entry {
  readonly result: string
}

const nameOf = ({ call, turn }: Entry): string => `${turn}/${call}`

/** Several may come for one call at once, and one of them has it. */
const claimOf = (one: Claiming): string => `${one.claim}/${nameOf(one)}`

/** A store that restarts is back in a moment; who waits is interrupted when its shard goes to another. */
const again = Schedule.spaced(Duration.millis(200))

const isAway = (error: SqlError | ClusterError): boolean => error._tag === "SqlError"

export class Ledger {
  private readonly claiming: Together<Claiming, Claim>
  private readonly settling: Together<Settling, void>

  constructor(
    private readonly sql: SqlClient.SqlClient,
    private readonly life: Life
  ) {
    this.claiming = new Together((all) => this.claimAll(all))
    this.settling = new Together(
      (all) => this.settleAll(all),
      ({ result }) => result.length
    )
  }

  /** Waits for a store that is away. Fails when another runner has taken over. */
  claim(entries: ReadonlyArray<Entry>, claim: string): Effect.Effect<ReadonlyArray<Claim>, ClusterError> {
    return Effect.forEach(entries, (entry) => waiting(this.claiming.add({ ...entry, claim })), {
      concurrency: "unbounded"
    })
  }

  /** Says what came of a call. Waits, and fails, as `claim` does. */
  settle(entry: Entry, result: string): Effect.Effect<void, ClusterError> {
    return waiting(this.settling.add({ ...entry, result }))
  }

  /** The calls of a turn that were begun, by their places. Waits for a store that is away. */
  begun(turn: string): Effect.Effect<ReadonlyMap<number, Claim>> {
    const rows = this.sql<{ readonly call: number; readonly result: string | null }>`
      SELECT call, result FROM bailiwick_cluster_calls WHERE turn = ${turn}`
    return Effect.map(
      Effect.orDie(waiting(answeredInTime(rows))),
      (found) =>
        new Map(found.map(({ call, result }) => [call, { _tag: "begun", result: result ?? undefined }]))
    )
  }

  private claimAll(
    all: ReadonlyArray<Claiming>
  ): Effect.Effect<ReadonlyArray<Claim>, SqlError | ClusterError> {
    const { life, sql } = this
    const rows = JSON.stringify(all)
    return Effect.gen(function* () {
      const made = yield* sql<Claiming>`
        WITH fence AS MATERIALIZED (SELECT ${life.holds} AS held)
        INSERT INTO bailiwick_cluster_calls (turn, call, claim, life)
        SELECT turn, call, claim, ${life.token.name}
        FROM fence, jsonb_to_recordset(${rows}::jsonb) AS given (turn text, call int, claim text)
        WHERE fence.held ORDER BY turn, call
        ON CONFLICT DO NOTHING RETURNING turn, call, claim`
      const mine = new Set(made.map(claimOf))
      if (mine.size === all.length) return all.map((): Claim => ({ _tag: "mine" }))
      const kept = yield* sql<Claiming & { readonly result: string | null }>`
        SELECT calls.turn, calls.call, calls.claim, calls.result
        FROM bailiwick_cluster_calls AS calls
        JOIN jsonb_to_recordset(${rows}::jsonb) AS given (turn text, call int)
        ON calls.turn = given.turn AND calls.call = given.call`
      const found = new Map(kept.map((row) => [nameOf(row), row]))
      // None is left out but where this runner was ended.
      if (all.some((one) => !found.has(nameOf(one)))) yield* life.check
      return all.map((one): Claim => {
        const row = found.get(nameOf(one))
        return mine.has(claimOf(one)) || row?.claim === one.claim
          ? { _tag: "mine" }
          : { _tag: "begun", result: row?.result ?? undefined }
      })
    })
  }

  private settleAll(
    all: ReadonlyArray<Settling>
  ): Effect.Effect<ReadonlyArray<void>, SqlError | ClusterError> {
    const { life, sql } = this
    return Effect.gen(function* () {
      const written = yield* sql`
        WITH fence AS MATERIALIZED (SELECT ${life.holds} AS held)
        UPDATE bailiwick_cluster_calls AS calls SET result = given.result
        FROM fence, jsonb_to_recordset(${JSON.stringify(all)}::jsonb) AS given (turn text, call int, result text)
        WHERE calls.turn = given.turn AND calls.call = given.call AND calls.life = ${life.token.name} AND fence.held
        RETURNING calls.call`
      if (written.length < all.length) yield* life.check
      return all.map(() => undefined)
    })
  }
}

const waiting = <A>(effect: Effect.Effect<A, SqlError | ClusterError>): Effect.Effect<A, ClusterError> =>
  Effect.catchAll(Effect.retry(effect, { schedule: again, while: isAway }), (error) =>
    error._tag === "SqlError" ? Effect.die(error) : Effect.fail(error)
  )
