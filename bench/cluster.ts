/**
 * Turns on runners that are processes of their own, over a PostgreSQL of its own, against the same turns in this process: how
 * long one takes, and how many a second there are at 64 at once, with one, two and three runners, kept in the store and not.
 * A call does nothing: what is measured is the way.
 */
import { ClusterRegistry } from "bailiwick/cluster"
import { Effect, Redacted } from "effect"
import { clearAll } from "../test/cleanup.js"
import { Cluster, turnOf } from "../test/cluster/cluster.js"
import { toolsWriting } from "../test/cluster/tools.js"
import { database } from "../test/postgres/server.js"

const SESSIONS = 48
const ONE_BY_ONE = 200
const AT_ONCE = 64
const MANY = 2000

type Execute = ClusterRegistry.ClusterClient.Service["execute"]

const at = (sorted: ReadonlyArray<number>, share: number): string =>
  (sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN).toFixed(2)

const measured = (execute: Execute, name: string): Effect.Effect<string> =>
  Effect.gen(function* () {
    const taken: Array<number> = []
    const one = (index: number) =>
      Effect.suspend(() => {
        const from = performance.now()
        const call = { id: "1", name, args: { key: "x" } }
        return Effect.map(execute(turnOf(`session ${index % SESSIONS}`), [call]), ([{ result }]) => {
          if (!result.ok) throw new Error(result.error)
          taken.push(performance.now() - from)
        })
      })
    const indices = (count: number) => Array.from({ length: count }, (_, index) => index)
    // Until every session lives somewhere, and every connection is there.
    yield* Effect.forEach(indices(SESSIONS * 4), one, { concurrency: SESSIONS, discard: true })
    taken.length = 0
    yield* Effect.forEach(indices(ONE_BY_ONE), one, { discard: true })
    const alone = taken.splice(0).sort((a, b) => a - b)
    const from = performance.now()
    yield* Effect.forEach(indices(MANY), one, { concurrency: AT_ONCE, discard: true })
    const rate = (MANY / (performance.now() - from)) * 1000
    const together = taken.sort((a, b) => a - b)
    return `${at(alone, 0.5).padStart(8)} ${at(alone, 0.99).padStart(8)} ms one by one, ${rate.toFixed(0).padStart(6)} a second, ${at(together, 0.5).padStart(8)} ${at(together, 0.99).padStart(8)} ms at ${AT_ONCE}`
  })

const say = (what: string, figures: string): void => console.log(`${what.padEnd(44)} ${figures}`)

const registry = toolsWriting("/dev/null")
say(
  "in this process",
  await Effect.runPromise(measured((turn, calls) => registry.execute(turn, calls), "echo"))
)

for (const runners of [1, 2, 3]) {
  const { url } = await Effect.runPromise(database)
  const cluster = new Cluster(Redacted.value(url))
  await cluster.startAll(runners)
  await cluster.run(
    Effect.gen(function* () {
      for (const durable of [false, true]) {
        const { execute } = yield* ClusterRegistry.client({ durable })
        for (const [name, kind] of [
          ["echo", "may run twice"],
          ["once", "claimed"]
        ] as const) {
          const how = `${runners} runner${runners === 1 ? "" : "s"}, ${durable ? "kept" : "not kept"}, ${kind}`
          say(how, yield* measured(execute, name))
        }
      }
    })
  )
  clearAll()
}
process.exit(0)
