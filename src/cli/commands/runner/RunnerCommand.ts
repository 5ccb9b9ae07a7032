/** `runner`: a runner of the cluster that the workspace names, until it is told to end. */
import {
  Cause,
  Context,
  Duration,
  Effect,
  Exit,
  HashMap,
  Layer,
  Logger,
  LogLevel,
  Option,
  type Scope
} from "effect"
import type { RunnerCommand } from "../../Arguments.js"
import { CliError } from "../../CliError.js"
import { loadPostgres } from "../../database.js"
import type { Surroundings } from "../../Surroundings.js"
import { secrets } from "../../secrets.js"
import { backendSettings } from "../../workspace/Acting.js"
import type { ClusterKey } from "../../workspace/ClusterKey.js"
import { settingOf } from "../../workspace/Setting.js"
import type { StorageKey } from "../../workspace/StorageKey.js"
import { type Tools, toolsOf } from "../../workspace/Tools.js"
import { lazyBackends } from "../mcp/LazyBackends.js"
import { WorkspacePolicies } from "./WorkspacePolicies.js"

const PACKAGES = ["@effect/cluster", "@effect/rpc", "@effect/platform", "@effect/sql", "@effect/sql-pg"]

const isMissing = (error: unknown): boolean =>
  error instanceof Error &&
  "code" in error &&
  (error.code === "ERR_MODULE_NOT_FOUND" || error.code === "MODULE_NOT_FOUND")

/** Throws a `CliError` where what it stands on is not installed. */
const loadCluster = async () => {
  try {
    return await import("../../../cluster/index.js")
  } catch (error) {
    if (!isMissing(error)) throw error
    throw new CliError(
      `a runner needs packages that are not installed beside bailiwick; run: npm install ${PACKAGES.join(" ")}`
    )
  }
}

interface Settled {
  readonly cluster: ClusterKey
  readonly storage: StorageKey
}

const settled = ({ setting: { workspace } }: Tools): Settled => {
  if (workspace === undefined) {
    throw new CliError("there is no workspace here; a runner is started where bailiwick.yaml is, or below")
  }
  const { cluster, storage } = workspace
  if (cluster === undefined) {
    throw new CliError(
      "bailiwick.yaml names no cluster; write cluster: { key: CLUSTER_KEY }, with the name of a secret that all runners have"
    )
  }
  if (storage === undefined) {
    throw new CliError(
      "a cluster keeps its messages in PostgreSQL; write storage: { postgres: { url: DATABASE_URL } } in bailiwick.yaml"
    )
  }
  return { cluster, storage }
}

const settingsOf = ({ key, encryption, retentionHours, silenceSeconds, shards }: ClusterKey) => ({
  key,
  encryption,
  shards,
  ...(retentionHours === undefined ? {} : { retention: Duration.hours(retentionHours) }),
  ...(silenceSeconds === undefined ? {} : { failover: { silence: Duration.seconds(silenceSeconds) } })
})

/** What `@effect/cluster` says in its own words, and whoever runs a runner can do nothing with. */
const WORDS: ReadonlyMap<unknown, string> = new Map([
  [
    "Shard lock storage is unhealthy",
    "PostgreSQL did not renew in time what this runner holds; the calls that run here are given up"
  ]
])

/** What is reported is for whoever runs the runner, in one line each. What `@effect/cluster` says at each attempt is not. */
const logger = ({ complain }: Surroundings) =>
  Logger.make(({ annotations, logLevel, message }) => {
    if (HashMap.has(annotations, "package") || LogLevel.lessThan(logLevel, LogLevel.Warning)) return
    const [first] = [message].flat()
    const about = [...annotations].map(([key, value]) => ` ${key}=${JSON.stringify(value)}`).join("")
    complain(`bailiwick: ${WORDS.get(first) ?? String(first)}${about}`.replaceAll("\n", " "))
  })

const running = (
  command: RunnerCommand,
  tools: Tools,
  around: Surroundings,
  modules: {
    readonly cluster: Awaited<ReturnType<typeof loadCluster>>
    readonly postgres: Awaited<ReturnType<typeof loadPostgres>>
  }
): Effect.Effect<never, CliError, Scope.Scope> =>
  Effect.gen(function* () {
    const { ClusterRegistry } = modules.cluster
    const { Fence, PostgresClient } = modules.postgres
    const { cluster, storage } = settled(tools)
    const settings = backendSettings(tools.setting, around)
    const failed = (error: { readonly message: string; readonly told?: string }) =>
      new CliError(error.told ?? error.message)
    const kept = yield* Effect.promise(() => secrets(settings))
    const { address: reached, listen } = command
    const set = { ...settingsOf(cluster), listen, address: reached }
    yield* Effect.mapError(Effect.provide(ClusterRegistry.checkRunner(set), kept), failed)
    const store = ClusterRegistry.layerLife({
      schema: storage.schema,
      say: (sentence) => around.complain(`bailiwick: ${sentence}`)
    }).pipe(Layer.provideMerge(PostgresClient.layerSecret(storage.url)), Layer.provideMerge(kept))
    const context = yield* Effect.mapError(Layer.build(store), failed)
    const fence = Context.get(context, Fence.Fence)
    const backends = yield* lazyBackends(tools, settings)
    const policies = new WorkspacePolicies(command, around, tools.setting)
    const runner = ClusterRegistry.layerRunner({
      ...set,
      registry: tools.registry,
      policies: (who) => policies.load(who),
      backends: (names) =>
        // What is built for a runner writes under its fence.
        Effect.mapError(
          Effect.provideService(backends.over(names), Fence.Fence, fence),
          ({ message }) => message
        )
    })
    const built = yield* Effect.mapError(Effect.provide(Layer.build(runner), context), failed)
    const { address, lost } = Context.get(built, ClusterRegistry.Runner)
    const host = address.host.includes(":") ? `[${address.host}]` : address.host
    around.complain(`bailiwick: runner ready at ${host}:${address.port}`)
    if (command.json) {
      const { port } = address
      yield* Effect.promise(() => around.print(`${JSON.stringify({ host: address.host, port }, null, 2)}\n`))
    }
    return yield* Effect.mapError(lost, ({ message }) => new CliError(message, 1))
  })

/** Throws a `CliError`. It ends when it is told to, and lets what runs come to its end. */
export const runner = async (command: RunnerCommand, around: Surroundings): Promise<number> => {
  const tools = await toolsOf(settingOf(command, around), around)
  settled(tools)
  const modules = { cluster: await loadCluster(), postgres: await loadPostgres() }
  around.outlast?.()
  // Of a package that this one stands on, and nothing that whoever runs it could mend.
  process.noDeprecation = true
  const exit = await Effect.runPromiseExit(
    Effect.scoped(running(command, tools, around, modules)).pipe(
      Effect.provide(Logger.replace(Logger.defaultLogger, logger(around)))
    ),
    { signal: around.signal }
  )
  if (Exit.isSuccess(exit) || Cause.isInterruptedOnly(exit.cause)) return 0
  throw Option.getOrElse(Cause.failureOption(exit.cause), () => Cause.squash(exit.cause))
}
