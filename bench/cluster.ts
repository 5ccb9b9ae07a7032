/**
 * Turns on runners that are processes of their own, over a PostgreSQL of its own, against the same turns in this process,
 * with one, two and three runners, kept in the store and not: how long one takes, how many a second there are at 64 at once,
 * and what each of client, runners and PostgreSQL uses of the processors for one. A call that does nothing shows the way; one
 * that waits, on a runner that makes so many of them at a time, shows what each runner adds. Then, how long it is from the
 * end of a runner to the first answer of one of its sessions.
 */
import { ClusterRegistry } from "bailiwick/cluster"
import { Effect, Redacted } from "effect"
import { clearAll } from "../test/cleanup.js"
import { Cluster, type Runner, settings, turnOf } from "../test/cluster/cluster.js"
import { toolsWriting } from "../test/cluster/tools.js"
import { database } from "../test/postgres/server.js"
import { idle as idleNow, used, usedBelow } from "./clusterUse.js"

const SESSIONS = 200
const ONE_BY_ONE = 200
const AT_ONCE = 64
const MANY = 2000
/** Shards as a cluster has them; the tests have fewer. */
const SHARDS = { ...settings, shards: 300 }

type Execute = ClusterRegistry.ClusterClient.Service["execute"]

const at = (sorted: ReadonlyArray<number>, share: number): number =>
  sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN

const indices = (count: number) => Array.from({ length: count }, (_, index) => index)

const ms = (millis: number, digits = 2): string => millis.toFixed(digits).padStart(8)

const say = (what: string, figures: string): void => console.log(`${what.padEnd(40)} ${figures}`)

/** Who uses the processors: the client is this process. */
interface Processes {
  readonly runners: ReadonlyArray<number>
  readonly postgres: number
}

const NOBODY: Processes = { runners: [], postgres: 0 }

const usage = ({ postgres, runners }: Processes) => {
  const { system, user } = process.cpuUsage()
  return {
    client: (system + user) / 1000,
    runners: runners.reduce((sum, pid) => sum + used(pid), 0),
    postgres: postgres === 0 ? 0 : usedBelow(postgres),
    idle: idleNow()
  }
}

interface Load {
  readonly name: string
  readonly oneByOne: number
  readonly many: number
  readonly atOnce: number
}

const NOTHING = { oneByOne: ONE_BY_ONE, many: MANY, atOnce: AT_ONCE }

const measured = (execute: Execute, load: Load, processes: Processes): Effect.Effect<string> =>
  Effect.gen(function* () {
    const taken: Array<number> = []
    const one = (index: number) =>
      Effect.suspend(() => {
        const from = performance.now()
        const call = { id: "1", name: load.name, args: { key: "x" } }
        return Effect.map(execute(turnOf(`session ${index % SESSIONS}`), [call]), ([{ result }]) => {
          if (!result.ok) throw new Error(result.error)
          taken.push(performance.now() - from)
        })
      })
    // Until every session lives somewhere, and every connection is there.
    yield* Effect.forEach(indices(SESSIONS * 2), one, { concurrency: AT_ONCE, discard: true })
    taken.length = 0
    yield* Effect.forEach(indices(load.oneByOne), one, { discard: true })
    const alone = taken.splice(0).sort((a, b) => a - b)
    const [before, from] = [usage(processes), performance.now()]
    yield* Effect.forEach(indices(load.many), one, { concurrency: load.atOnce, discard: true })
    const [after, wall] = [usage(processes), performance.now() - from]
    const together = taken.sort((a, b) => a - b)
    const each = (who: keyof typeof after) => ms((after[who] - before[who]) / load.many)
    const whole = (["client", "runners", "postgres"] as const).reduce(
      (sum, who) => sum + after[who] - before[who],
      0
    )
    return [
      `${ms(at(alone, 0.5))} ${ms(at(alone, 0.99))}`,
      `${((load.many / wall) * 1000).toFixed(0).padStart(7)} ${ms(at(together, 0.5), 1)} ${ms(at(together, 0.99), 1)}`,
      `${each("client")} ${each("runners")} ${each("postgres")} ${(whole / wall).toFixed(2).padStart(6)} ${((after.idle - before.idle) / wall).toFixed(2).padStart(6)}`
    ].join(" |")
  })

const whereIs = (execute: Execute) => (session: number) =>
  Effect.map(
    execute(turnOf(`session ${session}`), [{ id: "1", name: "look", args: { key: "x" } }]),
    ([{ result }]) => (result.ok ? Number(result.value) : 0)
  )

/** Until every runner has its share of the sessions, and no session moves any more. */
const settled = (cluster: Cluster): Promise<void> =>
  cluster.run(
    Effect.gen(function* () {
      const { execute } = yield* ClusterRegistry.client({ durable: false })
      const round = Effect.forEach(indices(SESSIONS), whereIs(execute), { concurrency: 16 })
      let before = ""
      for (;;) {
        const owners = yield* round
        const now = owners.join()
        if (now === before && new Set(owners).size === cluster.runners.length) return
        before = now
        yield* Effect.sleep("3 seconds")
      }
    })
  )

const started = async (runners: number, given: ClusterRegistry.Settings = SHARDS) => {
  const { server, url } = await Effect.runPromise(database)
  const cluster = new Cluster(Redacted.value(url), given)
  await cluster.startAll(runners)
  await settled(cluster)
  return { cluster, processes: { runners: cluster.runners.map(({ pid }) => pid), postgres: server.pid } }
}

const named = (runners: number): string => `${runners} runner${runners === 1 ? "" : "s"}`

const throughput = async (): Promise<void> => {
  say(
    "",
    "  one by one, ms  | at once: a second, ms, ms  | ms of a processor: client, runners, postgres, in use, idle"
  )
  say("", "     p50      p99 |   rate      p50      p99")
  const registry = toolsWriting("/dev/null")
  const inProcess: Execute = (turn, calls) => registry.execute(turn, calls)
  say("in this process", await Effect.runPromise(measured(inProcess, { ...NOTHING, name: "once" }, NOBODY)))
  for (const runners of [1, 2, 3]) {
    const { cluster, processes } = await started(runners)
    await cluster.run(
      Effect.gen(function* () {
        for (const durable of [false, true]) {
          const { execute } = yield* ClusterRegistry.client({ durable })
          const kept = durable ? "kept" : "not kept"
          for (const [name, kind] of [
            ["echo", "may run twice"],
            ["once", "claimed"]
          ] as const) {
            say(
              `${named(runners)}, ${kept}, ${kind}`,
              yield* measured(execute, { ...NOTHING, name }, processes)
            )
          }
        }
      })
    )
    clearAll()
  }
}

/** What waits, four at a time on each runner and 50 ms each: 80 a second is all that one runner can do. */
const growth = async (): Promise<void> => {
  for (const runners of [1, 2, 3]) {
    const { cluster, processes } = await started(runners)
    await cluster.run(
      Effect.gen(function* () {
        for (const durable of [false, true]) {
          const { execute } = yield* ClusterRegistry.client({ durable })
          const load = { name: "wait", oneByOne: 20, many: 300 * runners, atOnce: 2 * AT_ONCE }
          say(
            `${named(runners)}, ${durable ? "kept" : "not kept"}, waiting`,
            yield* measured(execute, load, processes)
          )
        }
      })
    )
    clearAll()
  }
}

/** What a runner and its store use when nobody asks for anything. */
const idle = async (given: ClusterRegistry.Settings, what: string): Promise<void> => {
  const { processes } = await started(3, given)
  await Effect.runPromise(Effect.sleep("5 seconds"))
  const [before, from] = [usage(processes), performance.now()]
  await Effect.runPromise(Effect.sleep("20 seconds"))
  const [after, wall] = [usage(processes), (performance.now() - from) / 1000]
  const each = (who: "runners" | "postgres") => ((after[who] - before[who]) / wall / 3).toFixed(2)
  say(
    `idle, ${what}`,
    `${each("runners")} ms of a processor a second for each runner, ${each("postgres")} in PostgreSQL`
  )
  clearAll()
}

const DEFAULT: ClusterRegistry.Settings = { key: settings.key }

const QUICK: ClusterRegistry.Settings = {
  ...DEFAULT,
  failover: { silence: "3 seconds", look: "300 millis", poll: "50 millis" }
}

const FAULTS = [
  ["SIGKILL", true],
  ["SIGKILL", false],
  ["SIGSTOP", true],
  ["SIGTERM", true]
] as const

/** From the moment that a runner is ended to the first answer of one of its sessions by another, in seconds. */
const seconds = (
  cluster: Cluster,
  fault: NodeJS.Signals,
  durable: boolean
): Effect.Effect<number, never, ClusterRegistry.ClusterClient> =>
  Effect.gen(function* () {
    const { execute } = yield* ClusterRegistry.client({ durable })
    const ask = whereIs(execute)
    const owners = yield* Effect.forEach(indices(20), ask)
    const runner = cluster.runners.find(({ pid }) => pid === owners[0]) as Runner
    const others = owners.flatMap((pid, session) => (pid === runner.pid ? [session] : []))
    const from = performance.now()
    runner.child.kill(fault)
    const first = yield* Effect.raceAll(others.map(ask))
    if (first === runner.pid || first === 0) throw new Error("another should have answered")
    runner.child.kill("SIGKILL")
    return (performance.now() - from) / 1000
  })

const failover = async (given: ClusterRegistry.Settings, what: string): Promise<void> => {
  for (const [fault, durable] of FAULTS) {
    const taken: Array<number> = []
    for (const _ of indices(3)) {
      const { cluster } = await started(2, given)
      taken.push(await cluster.run(seconds(cluster, fault, durable)))
      clearAll()
    }
    const figures = taken.sort((a, b) => a - b).map((one) => one.toFixed(1))
    say(`${fault}, ${durable ? "kept" : "not kept"}, ${what}`, `${figures.join(" / ")} s`)
  }
}

const asked = (process.env.BENCH_CLUSTER ?? "throughput growth idle failover").split(" ")
if (asked.includes("throughput")) await throughput()
if (asked.includes("growth")) await growth()
if (asked.includes("idle")) {
  await idle(DEFAULT, "default settings")
  await idle(QUICK, "quick settings")
}
if (asked.includes("failover")) {
  await failover(DEFAULT, "default settings")
  await failover(QUICK, "quick settings")
}
process.exit(0)
