/**
 * Each runner watches the next one. `@effect/cluster` has one runner watch all others, and nobody sees the end of that one
 * before its silence is over. In a ring everybody is watched, and each tries one port, however many there are.
 */
import type * as RunnerAddress from "@effect/cluster/RunnerAddress"
import type * as RunnerHealth from "@effect/cluster/RunnerHealth"
import type * as RunnerStorage from "@effect/cluster/RunnerStorage"
import { type Duration, Effect, Schedule } from "effect"

type Runners = RunnerStorage.RunnerStorage["Type"]

/** Whom a runner watches: the next address, and after the last one the first. */
export const nextOf = (
  self: RunnerAddress.RunnerAddress,
  all: ReadonlyArray<RunnerAddress.RunnerAddress>
): RunnerAddress.RunnerAddress | undefined => {
  const others = all
    .filter((one) => one.toString() !== self.toString())
    .sort((a, b) => (a.toString() < b.toString() ? -1 : 1))
  return others.find((one) => one.toString() > self.toString()) ?? others[0]
}

/** A storage, and the watch over the next of those whom it was last seen to have. */
export const watching = (
  base: Runners,
  self: RunnerAddress.RunnerAddress,
  { isAlive }: RunnerHealth.RunnerHealth["Type"],
  look: Duration.Duration
): { readonly storage: Runners; readonly watch: Effect.Effect<void> } => {
  let healthy: ReadonlyArray<RunnerAddress.RunnerAddress> = []
  const getRunners = Effect.tap(base.getRunners, (all) =>
    Effect.sync(() => {
      healthy = all.flatMap(([{ address }, isHealthy]) => (isHealthy ? [address] : []))
    })
  )
  const once = Effect.suspend(() => {
    const next = nextOf(self, healthy)
    if (next === undefined) return Effect.void
    return Effect.flatMap(isAlive(next), (alive) =>
      // A store that is away is told the next time.
      alive ? Effect.void : Effect.ignore(base.setRunnerHealth(next, false))
    )
  })
  return {
    storage: { ...base, getRunners },
    watch: Effect.asVoid(Effect.repeat(once, Schedule.spaced(look)))
  }
}
