/** A runner as a process of its own. It says where it is reached once it has its share of the sessions. */

import { PgClient } from "@effect/sql-pg"
import { ClusterRegistry } from "bailiwick/cluster"
import { NodeSecrets } from "bailiwick/node"
import { PostgresStorage } from "bailiwick/postgres"
import { Cause, type Duration, Effect, Exit, Layer, Logger, LogLevel, Redacted } from "effect"
import { policy, toolsWriting } from "./tools.js"

const env = (name: string): string => process.env[name] ?? ""

const settings: ClusterRegistry.Settings = JSON.parse(env("CLUSTER_SETTINGS"))

const postgres = PgClient.layer({ url: Redacted.make(env("CLUSTER_URL")), maxConnections: 8 })

const backends = PostgresStorage.layer().pipe(
  Layer.provideMerge(ClusterRegistry.layerLife()),
  Layer.provideMerge(postgres),
  Layer.provideMerge(NodeSecrets.layerEnvironment({ environment: process.env }))
)

const main = Effect.scoped(
  Effect.gen(function* () {
    const runner = ClusterRegistry.layerRunner({
      ...settings,
      registry: toolsWriting(env("CLUSTER_JOURNAL")),
      policies: ClusterRegistry.policies(policy),
      drain: (process.env.CLUSTER_DRAIN ?? "20 seconds") as Duration.DurationInput
    })
    const context = yield* Layer.build(Layer.provide(runner, backends))
    const { address, lost } = yield* Effect.provide(ClusterRegistry.Runner, context)
    process.stdout.write(`ready ${address.port}\n`)
    return yield* lost
  })
).pipe(Logger.withMinimumLogLevel(process.env.CLUSTER_LOG === undefined ? LogLevel.None : LogLevel.Debug))

const fiber = Effect.runFork(main)
process.once("SIGTERM", () => fiber.unsafeInterruptAsFork(fiber.id()))
fiber.addObserver((exit) => {
  const failure = Exit.isFailure(exit) ? Cause.failureOption(exit.cause) : undefined
  if (failure?._tag === "Some") process.stdout.write(`ended ${failure.value.message}\n`)
  process.exit(failure?._tag === "Some" ? 1 : 0)
})
