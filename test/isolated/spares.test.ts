/**
 * The threat: a module by a stranger that works on when nobody asked it to. A process that waits to be used is stopped, and
 * goes on when it is. One that is lost meanwhile is nobody's loss.
 */
import { readdirSync, readFileSync } from "node:fs"
import { expect, it } from "@effect/vitest"
import { Deferred, Effect, Fiber } from "effect"
import * as Code from "../../src/isolated/code/Code.js"
import { defaults } from "../../src/isolated/host/Limits.js"
import { Pool } from "../../src/isolated/host/Pool.js"
import { Worker } from "../../src/isolated/host/Worker.js"
import * as Enclosure from "../../src/layers/node/sandbox/enclosure/Enclosure.js"
import * as Sandbox from "../../src/policy/Sandbox.js"
import { until } from "../waiting.js"
import { at, directory } from "./world.js"

const childrenOf = (pid: number): ReadonlyArray<number> =>
  readdirSync(`/proc/${pid}/task`)
    .flatMap((thread) => readFileSync(`/proc/${pid}/task/${thread}/children`, "utf8").trim().split(" "))
    .filter(Boolean)
    .map(Number)

const familyOf = (pid: number): ReadonlyArray<number> => [pid, ...childrenOf(pid).flatMap(familyOf)]

/** As the kernel says it: `T` is one that is stopped. */
const isStopped = (pid: number): boolean =>
  readFileSync(`/proc/${pid}/stat`, "utf8").split(") ")[1]?.startsWith("T") === true

const kept = directory()

/** All that was to be done at once has been done. */
const immediate = Effect.async<void>(
  (resume) => void setImmediate(() => setImmediate(() => resume(Effect.void)))
)

/** A pool of processes, and those that it started. */
const pooled = (per: "call" | "turn", spares: number, gate: Effect.Effect<void> = Effect.void) =>
  Effect.gen(function* () {
    const holding = yield* Enclosure.holding()
    if (!holding.held) return undefined
    const code = yield* Code.make(at("late"), { directory: kept, snapshot: false }, (enclosed) =>
      Effect.sync(() => Enclosure.start(holding, enclosed))
    )
    const started: Array<Enclosure.Started> = []
    const workers: Array<Worker> = []
    const begin = () => {
      const one = Enclosure.start(holding, code.enclosed(defaults.memoryBytes))
      started.push(one)
      const worker = new Worker(one, defaults, "late")
      workers.push(worker)
      return worker
    }
    const start = () =>
      Effect.zipRight(
        gate,
        Effect.promise(async () => {
          const worker = begin()
          await worker.hello
          return worker
        })
      )
    const pool = yield* Pool.make(start, per, spares, defaults)
    /** One waits to be used. */
    const waits = Effect.promise(async () => {
      const worker = begin()
      await worker.hello
      pool.adopt(worker, Sandbox.unwritten)
    })
    return { pool, started, workers, begin, waits }
  })

it.live("a process that waits to be used is stopped, and all that is in it, until it is used", () =>
  Effect.gen(function* () {
    const made = yield* pooled("call", 1)
    if (made === undefined) return
    const { pool, started, waits } = made
    const isResting = (at: number) => {
      const pid = started[at]?.pid
      if (pid === undefined) return false
      const family = familyOf(pid)
      return family.length > 1 && family.every(isStopped)
    }
    yield* waits
    yield* until(() => isResting(0))
    const taken = { turn: undefined, sandbox: Sandbox.unwritten }
    const isAwake = pool.use(taken, () => Effect.sync(() => !familyOf(started[0]?.pid ?? 0).some(isStopped)))
    expect(yield* isAwake).toBe(true)
    // Another takes its place.
    yield* until(() => isResting(1))
  }).pipe(Effect.scoped)
)

it.live.each(["call", "turn"] as const)(
  "another takes the place of one that is used when its call has ended, or takes long: per %s",
  (per) =>
    Effect.gen(function* () {
      const made = yield* pooled(per, 1)
      if (made === undefined) return
      const { pool, waits, workers } = made
      yield* waits
      const used = (during: Effect.Effect<unknown>) =>
        pool.use({ turn: {}, sandbox: Sandbox.unwritten }, (_, left) =>
          Effect.zipRight(during, Effect.sync(left))
        )
      const counted: Array<number> = []
      yield* used(Effect.map(immediate, () => counted.push(workers.length)))
      expect(counted).toEqual([1])
      yield* until(() => workers.length === 2)
      yield* Effect.promise(async () => workers[1]?.hello)
      // A call that does not end before there is another.
      yield* used(until(() => workers.length === 3))
      expect(workers).toHaveLength(3)
    }).pipe(Effect.scoped)
)

it.live.each(["call", "turn"] as const)("one that is lost while it waits is used by nobody: per %s", (per) =>
  Effect.gen(function* () {
    const made = yield* pooled(per, 1)
    if (made === undefined) return
    const { pool, started, waits, workers } = made
    yield* waits
    started[0]?.kill()
    yield* until(() => workers[0]?.isAlive === false)
    const taken = { turn: {}, sandbox: Sandbox.unwritten }
    expect(yield* pool.use(taken, (worker, left) => Effect.as(Effect.sync(left), worker.isAlive))).toBe(true)
  }).pipe(Effect.scoped)
)

it.live("of those whose calls did not wait for them as many are left as may wait, and one at least", () =>
  Effect.gen(function* () {
    const gate = yield* Deferred.make<void>()
    const made = yield* pooled("call", 0, Deferred.await(gate))
    if (made === undefined) return
    const { pool, workers } = made
    const call = pool.use({ turn: undefined, sandbox: Sandbox.unwritten }, () => Effect.void)
    const calls = yield* Effect.forkAll([call, call, call])
    yield* Effect.yieldNow()
    yield* Fiber.interrupt(calls)
    yield* Deferred.succeed(gate, undefined)
    yield* until(() => workers.length === 3)
    for (const worker of workers) yield* Effect.promise(() => worker.hello)
    yield* Effect.repeat(Effect.yieldNow(), { times: 8 })
    expect(workers.filter(({ isAlive }) => isAlive)).toHaveLength(1)
  }).pipe(Effect.scoped)
)

it.live("one that ends as soon as it is there is not started again and again", () =>
  Effect.gen(function* () {
    const made = yield* pooled("call", 1)
    if (made === undefined) return
    let starts = 0
    const start = () =>
      Effect.promise(async () => {
        starts++
        const worker = made.begin()
        await worker.hello
        worker.end("WORKER_ENDED", "it left")
        return worker
      })
    const pool = yield* Pool.make(start, "call", 1, defaults)
    const taken = { turn: undefined, sandbox: Sandbox.unwritten }
    for (let call = 0; call < 3; call++) {
      const error = yield* Effect.flip(pool.use(taken, () => Effect.void))
      expect(error.message).toContain("it left")
    }
    yield* immediate
    expect(starts).toBeLessThanOrEqual(3)
  }).pipe(Effect.scoped)
)

it.live.each(["call", "turn"] as const)("none is started once the toolkit was closed: per %s", (per) =>
  Effect.gen(function* () {
    const made = yield* Effect.scoped(pooled(per, 0))
    if (made === undefined) return
    const taken = { turn: {}, sandbox: Sandbox.unwritten }
    const error = yield* Effect.flip(made.pool.use(taken, () => Effect.void))
    expect(error.message).toContain("was closed with its scope")
    expect(made.workers).toEqual([])
  })
)
