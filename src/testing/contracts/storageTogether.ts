/** The cases about one place that several use: layers of this process, other processes, and a disk that is full. */
import { Clock, Context, Effect, Fiber, Random, type Scope } from "effect"
import type { Storage } from "../../capabilities/storage/Storage.js"
import { StorageBackend } from "../../capabilities/storage/StorageBackend.js"
import type { StorageError } from "../../capabilities/storage/StorageOperations.js"
import * as Request from "../../policy/lattice/Request.js"
import { type ContractBroken, must, type Case as Shared, unique } from "./contract.js"
import { permitsFor } from "./permits.js"
import { COUNTER, increment, type Job, valueOf } from "./storageJobs.js"

/**
 * A process that does a job on the place of the store under test. It ends with its scope, at the latest.
 *
 * @since 0.1.0
 * @category models
 */
export interface Neighbour {
  /** Waits until it has said so many lines, or has ended; answers with all that it said. */
  readonly heard: (lines: number) => Effect.Effect<ReadonlyArray<string>>
  /** Stops it where it is, as SIGSTOP does, and lets it go on. */
  readonly stop: Effect.Effect<void>
  readonly goOn: Effect.Effect<void>
  /** Ends it where it is, as SIGKILL does. */
  readonly kill: Effect.Effect<void>
  /** Waits for its end; answers with whether it did its job. */
  readonly ended: Effect.Effect<boolean>
}

/**
 * Who else uses the place of the store under test.
 *
 * @since 0.1.0
 * @category models
 */
export class Neighbours extends Context.Tag("bailiwick/testing/StorageNeighbours")<
  Neighbours,
  {
    /** Another backend on the same place, in this process. */
    readonly layer: Effect.Effect<StorageBackend.Service, never, Scope.Scope>
    /** A process that runs `perform` with a backend on the same place. */
    readonly process: (job: Job) => Effect.Effect<Neighbour, never, Scope.Scope>
    /** The same on a place of its own, with room for some entries of 100,000 bytes and not for many. */
    readonly cramped: (job: Job) => Effect.Effect<Neighbour, never, Scope.Scope>
  }
>() {}

/**
 * `about` says what the place must allow for the case to apply.
 *
 * @since 0.1.0
 * @category models
 */
export interface TogetherCase extends Shared<StorageBackend | Neighbours, StorageError> {
  readonly about: "layers" | "processes" | "stops" | "disk"
}

interface Bench extends Context.Tag.Service<typeof Neighbours> {
  readonly namespace: string
  readonly store: Storage.Operations
  readonly open: (backend: StorageBackend.Service) => Effect.Effect<Storage.Operations>
}

type Body = (bench: Bench) => Effect.Effect<void, ContractBroken | StorageError, Scope.Scope>

/** Processes keep the time of the world, and so do these cases, whatever clock the runner has. */
const define = (about: TogetherCase["about"], name: string, body: Body): TogetherCase => ({
  name,
  about,
  run: Effect.gen(function* () {
    const namespace = unique()
    const open: Bench["open"] = (backend) =>
      Effect.map(
        permitsFor(backend).ask({ storage: { use: ["session"] } }, Request.storage("session")),
        (proof) => backend.open(proof, namespace)
      )
    const backend = yield* StorageBackend
    yield* body({ ...(yield* Neighbours), namespace, open, store: yield* open(backend) })
    yield* backend.clear(namespace)
  }).pipe(Effect.scoped, Effect.withClock(Clock.make()))
})

const WRITERS = ["a", "b", "c", "d"]

const layers: ReadonlyArray<TogetherCase> = [
  define("layers", "two layers on one place are one store, and lose no update", ({ layer, open, store }) =>
    Effect.gen(function* () {
      const other = yield* Effect.flatMap(layer, open)
      yield* store.set({ key: "k", value: "1" })
      yield* must("what the other reads", yield* other.get({ key: "k" }), "1")
      yield* must(
        "what the other swaps",
        yield* other.compareAndSet({ key: "k", expected: "1", value: "2" }),
        true
      )
      yield* must("what the first reads", yield* store.get({ key: "k" }), "2")
      yield* Effect.forEach(
        Array.from({ length: 40 }, (_, index) => index),
        (index) => increment(index % 2 === 0 ? store : other),
        { concurrency: "unbounded", discard: true }
      )
      yield* must("count of the first", yield* store.get({ key: COUNTER }), "40")
      yield* must("count of the other", yield* other.get({ key: COUNTER }), "40")
    })
  ),
  define("layers", "layers that come and go take nothing from those that stay", ({ layer, open, store }) =>
    Effect.gen(function* () {
      const visit = Effect.scoped(Effect.flatMap(Effect.flatMap(layer, open), increment))
      yield* Effect.all(
        [
          Effect.replicateEffect(Effect.zipRight(visit, visit), 20, { concurrency: 7, discard: true }),
          Effect.replicateEffect(increment(store), 20, { discard: true })
        ],
        { concurrency: "unbounded", discard: true }
      )
      yield* must("count", yield* store.get({ key: COUNTER }), "60")
    })
  )
]

const processes = (times: number): ReadonlyArray<TogetherCase> => [
  define(
    "processes",
    "a process that comes and goes takes nothing from two layers that stay",
    ({ layer, namespace, open, process, store }) =>
      Effect.gen(function* () {
        yield* increment(store)
        // It opens what is open already, and must leave that as it is.
        const other = yield* Effect.flatMap(layer, open)
        yield* increment(other)
        const both = Effect.all([increment(store), increment(other)], { concurrency: "unbounded" })
        for (let visit = 1; visit <= 3; visit++) {
          const visitor = yield* process({ job: "count", namespace, times: 5 })
          // Some of them while the visitor is there, some after it went.
          yield* both
          yield* must("how the visitor ended", yield* visitor.ended, true)
          yield* both
          const counted = String(2 + visit * 9)
          yield* must("count of the first", yield* store.get({ key: COUNTER }), counted)
          yield* must("count of the other", yield* other.get({ key: COUNTER }), counted)
        }
      })
  ),
  define(
    "stops",
    "four writers that are stopped and continued at random lose no update",
    ({ namespace, process, store }) =>
      Effect.gen(function* () {
        const writers = yield* Effect.forEach(WRITERS, () => process({ job: "count", namespace, times }))
        // The pauses are what is tried out here; nothing is expected of how long anything takes.
        const disturb = Effect.gen(function* () {
          const victim = writers[yield* Random.nextIntBetween(0, writers.length)]
          if (victim === undefined) return
          yield* victim.stop
          yield* Effect.sleep(yield* Random.nextIntBetween(0, 120))
          yield* victim.goOn
          yield* Effect.sleep(yield* Random.nextIntBetween(0, 60))
        })
        const disturbing = yield* Effect.forkScoped(Effect.forever(Effect.uninterruptible(disturb)))
        const ended = yield* Effect.forEach(writers, (writer) => writer.ended, { concurrency: "unbounded" })
        yield* Fiber.interrupt(disturbing)
        const said = yield* Effect.forEach(writers, (writer) => writer.heard(times))
        yield* must("how they ended", ended, [true, true, true, true])
        yield* must("counts that two were told", said.flat().length - new Set(said.flat()).size, 0)
        yield* must("count", yield* store.get({ key: COUNTER }), String(WRITERS.length * times))
      })
  ),
  define(
    "processes",
    "writers that are killed at random lose nothing that was acknowledged, and hold nobody up",
    ({ namespace, process, store }) =>
      Effect.gen(function* () {
        const counting = yield* process({ job: "count", namespace, times })
        const killed = (name: string, lines: number) =>
          Effect.gen(function* () {
            const writer = yield* process({ job: "write", namespace, name })
            yield* writer.heard(lines)
            yield* writer.kill
            yield* writer.ended
            return yield* writer.heard(0)
          })
        const acknowledged = yield* Effect.forEach(
          WRITERS,
          (name) =>
            Effect.gen(function* () {
              const first = yield* killed(`${name}1`, yield* Random.nextIntBetween(1, times))
              return [...first, ...(yield* killed(`${name}2`, yield* Random.nextIntBetween(1, times)))]
            }),
          { concurrency: "unbounded" }
        )
        yield* must("how the one ended who was left alone", yield* counting.ended, true)
        const found = yield* Effect.forEach(acknowledged.flat(), (key) =>
          Effect.map(store.get({ key }), (value) => ({ key, value }))
        )
        const lost = found.filter(
          ({ key, value }) => value !== valueOf(key, Number(key.slice(key.indexOf("/") + 1)))
        )
        yield* must("how many were acknowledged", found.length >= 2 * WRITERS.length, true)
        yield* must(
          "entries that are lost",
          lost.map(({ key }) => key),
          []
        )
        yield* must("count of the one who was left alone", yield* store.get({ key: COUNTER }), String(times))
      })
  )
]

const disk: ReadonlyArray<TogetherCase> = [
  define(
    "disk",
    "a full disk is told in words, and all that was acknowledged is still there",
    ({ cramped, namespace }) =>
      Effect.gen(function* () {
        const filling = yield* cramped({ job: "fill", namespace })
        const ended = yield* filling.ended
        const [refusal = "", kept] = yield* filling.heard(2)
        yield* must("how it ended", ended, true)
        yield* must("what it said", refusal.startsWith("STORAGE_FAILED: ") && refusal.includes("space"), true)
        yield* must("what is left", kept, "all are there")
      })
  )
]

/**
 * The cases about one place that several use: each needs the store, and who else uses its place. Give each a place of its
 * own. `times` is how often a writer writes in a round: 100 unless given.
 *
 * @since 0.1.0
 * @category cases
 */
export const together = ({ times = 100 }: { readonly times?: number } = {}): ReadonlyArray<TogetherCase> => [
  ...layers,
  ...processes(times),
  ...disk
]
