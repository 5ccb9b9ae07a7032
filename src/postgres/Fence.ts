/**
 * Keeps a program that was taken for dead from writing when it comes back. A runner claims a fence by its name and gets an
 * epoch; every write of its backends names both, and PostgreSQL looks in the same transaction whether they are still the
 * latest. Whoever takes its work over claims or revokes the fence first: from the moment that this is answered no write under
 * an earlier epoch is done any more, whether its runner knows of it or not.
 *
 * `PostgresStorage` and `PostgresRecords` take a fence. The audit log takes none: what a runner did is to be known, whether or
 * not it should have.
 *
 * @since 0.1.0
 */
import { Context, Effect, Layer, Schedule, type Scope } from "effect"
import { Database } from "./Database.js"
import type { DatabaseError } from "./DatabaseError.js"

/**
 * What a write shows. The epoch is that of the claim.
 *
 * @since 0.1.0
 * @category models
 */
export interface Token {
  readonly name: string
  readonly epoch: number
}

/**
 * @since 0.1.0
 */
export declare namespace Fence {
  /**
   * @since 0.1.0
   * @category models
   */
  export interface Service {
    /**
     * What is shown from now on; asked for when a tool gets its store, and kept until the call has ended: what began before a
     * new claim does not write under it. `undefined` where nothing may be written at all.
     */
    readonly token: () => Token | undefined
  }
}

/**
 * Backends that are built where there is one take it.
 *
 * @since 0.1.0
 * @category tags
 */
export class Fence extends Context.Tag("bailiwick/postgres/Fence")<Fence, Fence.Service>() {}

/**
 * @since 0.1.0
 * @category models
 */
export interface Lease {
  /** After so many seconds without a renewal nothing is written any more, by the clock of PostgreSQL. Never unless given. */
  readonly seconds?: number | undefined
}

const figure = (row: Readonly<Record<string, unknown>> | undefined): number => Number(row?.answer)

/**
 * Takes a fence. Earlier holders write no more. It waits for writes under it that are being done.
 *
 * @since 0.1.0
 * @category fencing
 */
export const claim = (name: string, { seconds }: Lease = {}): Effect.Effect<Token, DatabaseError, Database> =>
  Effect.flatMap(Database, ({ ask, schema }) =>
    Effect.map(
      // Twice is one epoch more than needed, and no harm.
      ask(`SELECT ${schema}.fence_claim($1, $2) AS answer`, [name, seconds ?? null], { isRepeatable: true }),
      ([row]) => ({ name, epoch: figure(row) })
    )
  )

/**
 * Whether the fence is still held; if so, for as long again.
 *
 * @since 0.1.0
 * @category fencing
 */
export const renew = (
  { epoch, name }: Token,
  { seconds }: Lease = {}
): Effect.Effect<boolean, DatabaseError, Database> =>
  Effect.flatMap(Database, ({ ask, schema }) =>
    Effect.map(
      ask(`SELECT ${schema}.fence_renew($1, $2, $3) AS answer`, [name, epoch, seconds ?? null], {
        isRepeatable: true
      }),
      ([row]) => row?.answer === true
    )
  )

/**
 * Takes a fence away from whoever holds it: what others do before they take over the work of one that they take for dead.
 *
 * @since 0.1.0
 * @category fencing
 */
export const revoke = (name: string): Effect.Effect<void, DatabaseError, Database> =>
  Effect.asVoid(claim(name))

/**
 * Claims a fence, and renews it for as long as the scope lives: with a lease, three times in its length. Once it is lost it
 * stays lost, and nothing is written any more: `lost` hears of it, once.
 *
 * @since 0.1.0
 * @category constructors
 */
export const make = (
  name: string,
  options: Lease & { readonly lost?: Effect.Effect<void> | undefined } = {}
): Effect.Effect<Fence.Service, DatabaseError, Database | Scope.Scope> =>
  Effect.gen(function* () {
    let token: Token | undefined = yield* claim(name, options)
    const { lost = Effect.void, seconds } = options
    const losing = Effect.suspend(() => {
      token = undefined
      return lost
    })
    const renewing = Effect.suspend(() =>
      token === undefined ? Effect.succeed(false) : Effect.orElseSucceed(renew(token, options), () => true)
    )
    if (seconds !== undefined) {
      yield* Effect.forkScoped(
        Effect.delay(renewing, (seconds * 1000) / 3).pipe(
          // PostgreSQL that is away takes no writes either: the lease runs out by itself.
          Effect.repeat({ schedule: Schedule.forever, while: (isHeld) => isHeld }),
          Effect.zipRight(losing)
        )
      )
    }
    return { token: () => token }
  })

/**
 * @example
 * ```ts
 * import { Database, Fence, PostgresStorage } from "bailiwick/postgres"
 * import { Layer, Redacted } from "effect"
 *
 * const database = Database.layer({ url: Redacted.make("postgresql://runner:secret@localhost/agents") })
 *
 * export const storage = PostgresStorage.layer().pipe(
 *   Layer.provide(Fence.layer("runner 10.0.0.7:34431", { seconds: 15 })),
 *   Layer.provide(database)
 * )
 * ```
 *
 * @since 0.1.0
 * @category layers
 */
export const layer = (
  name: string,
  options: Parameters<typeof make>[1] = {}
): Layer.Layer<Fence, DatabaseError, Database> => Layer.scoped(Fence, make(name, options))
