/**
 * A client of a cluster: it has the interface of `registry.execute`, and its calls run on whichever runner the session lives.
 *
 * @since 0.1.0
 */
import * as MessageStorage from "@effect/cluster/MessageStorage"
import * as RunnerServer from "@effect/cluster/RunnerServer"
import * as RunnerStorage from "@effect/cluster/RunnerStorage"
import * as ShardingConfig from "@effect/cluster/ShardingConfig"
import type * as SqlClient from "@effect/sql/SqlClient"
import { Context, Deferred, Duration, Effect, Layer, Option, type Scope } from "effect"
import * as Revealed from "../../capabilities/secrets/Revealed.js"
import { SecretsBackend } from "../../capabilities/secrets/SecretsBackend.js"
import type { Call, Result, Results } from "../../registry/Call.js"
import type { ExecuteOptions } from "../../registry/Registry.js"
import { Scrubber } from "../../registry/scrub/Scrubber.js"
import type { Turn } from "../../registry/Turn.js"
import { InTurn } from "../../postgres/InTurn.js"
import type { ClusterError } from "../ClusterError.js"
import { Session } from "../Session.js"
import { defaults, type Settings, sharding, silenceOf } from "../Settings.js"
import { awaiting } from "../store/Awaiting.js"
import * as Tables from "../store/Tables.js"
import * as Terms from "../store/Terms.js"
import * as Connections from "../transport/Connections.js"
import * as Keys from "../wire/Keys.js"
import * as Answers from "./Answers.js"
import { type Link, Sending } from "./Sending.js"

/**
 * @since 0.1.0
 * @category models
 */
export interface ClientOptions {
  /**
   * Whether turns are kept in the store until they are answered: then they outlive this program, and runners that are not
   * there yet. They are, where nothing is said. Without it a turn is sent from process to process and is in no table but by
   * the names of its calls; it is answered as long as this program lives.
   */
  readonly durable?: boolean | undefined
  /** How long a turn may take from here to here: 10 minutes, where nothing is said. */
  readonly patience?: Duration.DurationInput | undefined
}

/**
 * @since 0.1.0
 * @category models
 */
export interface TurnOptions extends ExecuteOptions {
  /**
   * What the turn is called. A turn that is sent again with the same name and the same contents is the same turn: it is
   * answered, and not run again.
   */
  readonly id?: string | undefined
}

/**
 * @since 0.1.0
 */
export declare namespace ClusterClient {
  /**
   * @since 0.1.0
   * @category models
   */
  export interface Service {
    /**
     * As `registry.execute`: the results are in the order of the calls, and it never fails. A call that was begun on a runner
     * that was lost is `interrupted`, unless its tool says that it may be made again.
     */
    readonly execute: <const Calls extends ReadonlyArray<Call>>(
      turn: Turn,
      calls: Calls,
      options?: TurnOptions
    ) => Effect.Effect<Results<Calls>>
  }
}

/**
 * @since 0.1.0
 * @category tags
 */
export class ClusterClient extends Context.Tag("bailiwick/cluster/ClusterClient")<ClusterClient, Link>() {}

/** So many turns are under way at once, and others wait for their place: each takes memory, and is asked for again when it is late. */
const AT_ONCE = 1000

/** A store that has just answered does so again, or is away by now. */
const FIRST_LOOK = Duration.seconds(1)

/** What comes of connecting: at first, that it is away, then who is there, or why nobody ever will be. */
const connecting = <R>(
  entity: (
    away: (error: ClusterError) => Effect.Effect<unknown>
  ) => Effect.Effect<Effect.Effect.Success<Link["entity"]>, ClusterError, R>
): Effect.Effect<Link["entity"], ClusterError, R | Scope.Scope> =>
  Effect.gen(function* () {
    const first = yield* Deferred.make<void, ClusterError>()
    let now: Link["entity"] = Effect.never
    const become = (next: Link["entity"]) =>
      Effect.suspend(() => {
        now = next
        return Effect.intoDeferred(Effect.asVoid(next), first)
      })
    const away = (error: ClusterError) =>
      Effect.zipRight(
        Effect.sync(() => {
          now = error
        }),
        Deferred.succeed(first, undefined)
      )
    const last = (error: ClusterError) =>
      Effect.flatMap(become(error), (isFirst) => (isFirst ? Effect.void : Effect.logError(error.message)))
    yield* Effect.forkScoped(
      Effect.matchEffect(entity(away), {
        onSuccess: (found) => become(Effect.succeed(found)),
        onFailure: last
      })
    )
    yield* Deferred.await(first)
    return Effect.suspend(() => now)
  })

/**
 * Connects to a cluster, without taking part in it. Where PostgreSQL is away, that is logged; it goes on in the background, and
 * calls are `not_available` until it is there.
 *
 * @since 0.1.0
 * @category layers
 */
export const layer = (
  settings: Settings
): Layer.Layer<ClusterClient, ClusterError, SqlClient.SqlClient | SecretsBackend> =>
  Layer.scoped(
    ClusterClient,
    Effect.gen(function* () {
      const keys = yield* Keys.read(settings)
      const revealed = Revealed.of(yield* SecretsBackend)
      const scrubber = new Scrubber()
      revealed.listen((value) => scrubber.add(value))
      const config = ShardingConfig.layer({ ...sharding(settings), runnerAddress: Option.none() })
      const looked = yield* Deferred.make<void>()
      const opened = Effect.map(Effect.zipLeft(Tables.open, Terms.forClient(settings, keys)), (context) => {
        const runners = Context.get(context, RunnerStorage.RunnerStorage)
        return context.pipe(
          Context.add(
            MessageStorage.MessageStorage,
            Answers.each(Context.get(context, MessageStorage.MessageStorage))
          ),
          Context.add(RunnerStorage.RunnerStorage, {
            ...runners,
            getRunners: Effect.tap(runners.getRunners, () => Deferred.succeed(looked, undefined))
          })
        )
      })
      const entity = yield* connecting((away) => {
        const stores = awaiting(opened, "calls of the cluster are not_available until it is there", away)
        const cluster = Layer.fresh(RunnerServer.layerClientOnly).pipe(
          Layer.provide(Connections.toRunners(keys)),
          Layer.provide(Layer.scopedContext(stores)),
          Layer.provide(config)
        )
        return Effect.flatMap(Layer.build(cluster), (context) =>
          // Who listens to a turn finds no runner before that, and would come when the turn is over.
          Effect.zipRight(
            Effect.timeoutOption(Deferred.await(looked), FIRST_LOOK),
            Effect.provide(Session.client, context)
          )
        )
      })
      return {
        entity,
        keys,
        scrubber,
        scope: yield* Effect.scope,
        silence: silenceOf(settings),
        places: new InTurn(AT_ONCE)
      }
    })
  )

/**
 * Has turns run on the cluster. It takes what `registry.execute` takes.
 *
 * @since 0.1.0
 * @category constructors
 */
export const make = (
  options: ClientOptions = {}
): Effect.Effect<ClusterClient.Service, never, ClusterClient> =>
  Effect.map(ClusterClient, (link) => {
    const patience = Duration.decode(options.patience ?? defaults.patience)
    const durable = options.durable ?? true
    return {
      execute: <const Calls extends ReadonlyArray<Call>>(
        turn: Turn,
        calls: Calls,
        given: TurnOptions = {}
      ): Effect.Effect<Results<Calls>> => {
        const run: Effect.Effect<ReadonlyArray<Result>> = Effect.suspend(
          () => new Sending(link, { durable, patience }, turn, calls, given).run
        )
        // One result for each call, at its index: that is what `Results` says, and what an array cannot.
        return run as Effect.Effect<ReadonlyArray<unknown>> as Effect.Effect<Results<Calls>>
      }
    }
  })
