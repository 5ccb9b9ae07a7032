/**
 * A runner: it takes its share of the sessions of a cluster, and runs their turns over its own backends.
 *
 * @since 0.1.0
 */

import * as Entity from "@effect/cluster/Entity"
import * as MessageStorage from "@effect/cluster/MessageStorage"
import * as RunnerAddress from "@effect/cluster/RunnerAddress"
import * as RunnerHealth from "@effect/cluster/RunnerHealth"
import * as RunnerServer from "@effect/cluster/RunnerServer"
import * as RunnerStorage from "@effect/cluster/RunnerStorage"
import * as Sharding from "@effect/cluster/Sharding"
import * as ShardingConfig from "@effect/cluster/ShardingConfig"
import * as Singleton from "@effect/cluster/Singleton"
import { SocketServer } from "@effect/platform/SocketServer"
import * as RpcServer from "@effect/rpc/RpcServer"
import * as SqlClient from "@effect/sql/SqlClient"
import { Context, Duration, Effect, Layer, Option, type Scope } from "effect"
import type { SecretsBackend } from "../../capabilities/secrets/SecretsBackend.js"
import type * as Registry from "../../registry/Registry.js"
import { ClusterError } from "../ClusterError.js"
import type { Policies } from "../Policies.js"
import { Session } from "../Session.js"
import { defaults, lookOf, retentionOf, type Settings, sharding, silenceOf } from "../Settings.js"
import { awaiting } from "../store/Awaiting.js"
import { Ending } from "../store/Ending.js"
import * as Guarded from "../store/Guarded.js"
import { Ledger } from "../store/Ledger.js"
import { WAITS } from "../store/Life.js"
import { sweeping } from "../store/Retention.js"
import { RunnerLife } from "../store/RunnerLife.js"
import * as Tables from "../store/Tables.js"
import * as Terms from "../store/Terms.js"
import * as Connections from "../transport/Connections.js"
import { listening } from "../transport/SealedSocket.js"
import * as Keys from "../wire/Keys.js"
import { RunningTurns } from "./Running.js"
import { type Served, serve } from "./Serving.js"
import { watching } from "./Watching.js"

/**
 * @since 0.1.0
 * @category models
 */
export interface Place {
  readonly host: string
  readonly port: number
}

/**
 * @since 0.1.0
 * @category models
 */
export interface RunnerOptions<Required> extends Settings {
  readonly registry: Registry.Registry<never, Required> | Registry.Registry
  /** The policies of this runner, by who acts. */
  readonly policies: Policies
  /** Where it listens: a free port of loopback, where nothing is said. */
  readonly listen?: Partial<Place> | undefined
  /** Where others reach it, where that is another place: behind a name, or a mapped port. */
  readonly address?: Partial<Place> | undefined
  /** How long calls that run may go on when the runner is told to end: 30 seconds. */
  readonly drain?: Duration.DurationInput | undefined
  /** What tools stand on, where that is not simply what surrounds the runner. It fails with a sentence. */
  readonly backends?:
    | ((tools: ReadonlyArray<string>) => Effect.Effect<Context.Context<never>, string>)
    | undefined
}

/**
 * @since 0.1.0
 */
export declare namespace Runner {
  /**
   * @since 0.1.0
   * @category models
   */
  export interface Service {
    /** Where others reach it. */
    readonly address: Place
    /** Fails when another runner has taken over, and else never ends. */
    readonly lost: Effect.Effect<never, ClusterError>
  }
}

/**
 * @since 0.1.0
 * @category tags
 */
export class Runner extends Context.Tag("bailiwick/cluster/Runner")<Runner, Runner.Service>() {}

const LOOPBACK = "127.0.0.1"

const listen = (
  { listen: given }: Pick<RunnerOptions<never>, "listen">,
  keys: Keys.Keyring
): Effect.Effect<SocketServer["Type"], ClusterError, Scope.Scope> => {
  const [host, port] = [given?.host ?? LOOPBACK, given?.port ?? 0]
  return Effect.mapError(
    listening({
      host,
      port,
      keys,
      refused: seldom()
    }),
    ({ cause }) =>
      new ClusterError({
        code: "ADDRESS_TAKEN",
        detail: `nothing can listen at ${host}:${port}: ${codeOf(cause)}`
      })
  )
}

/** Who knocks all the time does not fill the log. */
const QUIET = 10_000

const seldom = (): ((from: string) => Effect.Effect<void>) => {
  let at = Number.NEGATIVE_INFINITY
  let more = 0
  return (from) =>
    Effect.suspend(() => {
      if (performance.now() - at < QUIET) {
        more += 1
        return Effect.void
      }
      const before = more === 0 ? "" : `, as were ${more} before it`
      at = performance.now()
      more = 0
      return Effect.logWarning(
        `a connection from ${from} was refused: it does not have the key of the cluster${before}`
      )
    })
}

/** Where one listens that listens everywhere. Nobody reaches it by that name. */
const EVERYWHERE = new Set(["0.0.0.0", "::", "[::]", ""])

const reachable = ({
  address,
  listen: given
}: Pick<RunnerOptions<never>, "address" | "listen">): Effect.Effect<void, ClusterError> =>
  EVERYWHERE.has(address?.host ?? given?.host ?? LOOPBACK)
    ? new ClusterError({
        code: "ADDRESS_TAKEN",
        detail:
          "a runner that listens everywhere has no address by which others reach it; name one, as in --address runner-1:34431"
      })
    : Effect.void

/**
 * Fails for what can be known to be wrong without PostgreSQL: a key that is missing, or an address that nobody reaches. Whoever
 * begins a life first hears of it before PostgreSQL is waited for.
 *
 * @since 0.1.0
 * @category constructors
 */
export const check = <Required>(
  options: Pick<RunnerOptions<Required>, "address" | "listen" | "key" | "encryption">
): Effect.Effect<Keys.Keyring, ClusterError, SecretsBackend> =>
  Effect.zipRight(reachable(options), Keys.read(options))

const codeOf = (cause: unknown): string =>
  typeof cause === "object" && cause !== null && "code" in cause ? String(cause.code) : "it failed"

const placeOf = ({ address }: Pick<RunnerOptions<never>, "address">, server: SocketServer["Type"]): Place => {
  const bound = server.address._tag === "TcpAddress" ? server.address : { hostname: LOOPBACK, port: 0 }
  return { host: address?.host ?? bound.hostname, port: address?.port || bound.port }
}

const entity = (served: Served, ending: Ending) =>
  Session.toLayer(
    Effect.zipWith(Entity.CurrentAddress, Sharding.Sharding, ({ entityId, shardId }, sharding) => {
      const turns = new RunningTurns(served.keys, () => sharding.hasShardId(shardId))
      const take = ({ payload }: { readonly payload: { readonly key: string; readonly sealed: string } }) =>
        ending.counting(turns.using(payload.key, (turn) => serve(served, entityId, payload, turn)))
      return Session.of({
        Turn: take,
        Quick: take,
        Watch: ({ payload }) => turns.listening(payload.key, payload.after),
        Cancel: ({ payload }) => turns.cancel(payload.key)
      })
    }),
    { concurrency: "unbounded", maxIdleTime: Duration.minutes(1) }
  )

/**
 * Takes part in a cluster until the scope closes; then it takes nothing new, lets what runs come to its end, and hands its
 * sessions over.
 *
 * @since 0.1.0
 * @category layers
 */
export const layer = <Required = never>(
  options: RunnerOptions<Required>
): Layer.Layer<Runner, ClusterError, RunnerLife | SqlClient.SqlClient | SecretsBackend | Required> =>
  Layer.unwrapScoped(
    Effect.gen(function* () {
      const surrounding = yield* Effect.context<never>()
      const life = yield* RunnerLife
      const sql = yield* SqlClient.SqlClient
      const keys = yield* check(options)
      const server = yield* listen(options, keys)
      const place = placeOf(options, server)
      yield* reachable({ address: place })
      const ending = new Ending()
      yield* Effect.addFinalizer(() => ending.report)
      const address = RunnerAddress.make(place.host, place.port)
      const config = ShardingConfig.layer({
        ...sharding(options),
        runnerAddress: Option.some(address),
        entityTerminationTimeout: Duration.decode(options.drain ?? defaults.drain)
      })
      const silence = silenceOf(options)
      const stores = Layer.scopedContext(
        Effect.gen(function* () {
          const context = yield* awaiting(Effect.zipLeft(Tables.open, Terms.forRunner(options, keys)), WAITS)
          const runners = Guarded.runners(Context.get(context, RunnerStorage.RunnerStorage), life, silence)
          const messages = Context.get(context, MessageStorage.MessageStorage)
          const { storage, watch } = watching(runners, address, Connections.health, lookOf(options))
          yield* Effect.forkScoped(watch)
          return Context.make(RunnerStorage.RunnerStorage, storage).pipe(
            Context.add(
              MessageStorage.MessageStorage,
              yield* Guarded.messages(messages, { sql, life, silence, ending })
            )
          )
        })
      )
      // Its own: a program that is a client as well would else have one of the two in place of both.
      const cluster = Layer.fresh(RunnerServer.layerWithClients).pipe(
        Layer.provide(RpcServer.layerProtocolSocketServer),
        Layer.provide(Layer.succeed(SocketServer, server)),
        Layer.provide([
          Connections.serialization,
          Layer.succeed(RunnerHealth.RunnerHealth, Connections.health),
          Connections.toRunners(keys)
        ]),
        Layer.provide(stores),
        Layer.provide(config)
      )
      const retention = retentionOf(options)
      const served: Served = {
        registry: options.registry as Registry.Registry,
        policies: options.policies,
        backends: options.backends ?? (() => Effect.succeed(surrounding)),
        keys,
        ledger: new Ledger(sql, life),
        retention,
        lost: life.lost
      }
      return Layer.mergeAll(
        entity(served, ending),
        Singleton.make("bailiwick/cluster/Retention", sweeping(sql, retention)),
        Layer.succeed(Runner, { address: place, lost: life.lost })
      ).pipe(Layer.provide(cluster), (running) =>
        Layer.provideMerge(Layer.scopedDiscard(Effect.addFinalizer(() => ending.begin)), running)
      )
    })
  )
