/** What other processes do in the cases about many at once. */
import { Effect, Option, Random, Schema } from "effect"
import { Storage } from "../../capabilities/storage/Storage.js"
import { StorageBackend } from "../../capabilities/storage/StorageBackend.js"
import type { StorageError } from "../../capabilities/storage/StorageOperations.js"
import * as Request from "../../policy/lattice/Request.js"
import { type ContractBroken, must } from "./contract.js"
import { permitsFor } from "./permits.js"

/**
 * What a process is to do with a store, as data: it is handed over as JSON. `count` adds to one counter, so many times;
 * `write` writes entries of its own, until it is ended; `fill` writes until it may not, and looks at what it wrote.
 *
 * @since 0.1.0
 * @category models
 */
export const Job = Schema.Union(
  Schema.Struct({ job: Schema.Literal("count"), namespace: Schema.String, times: Schema.Int }),
  Schema.Struct({ job: Schema.Literal("write"), namespace: Schema.String, name: Schema.String }),
  Schema.Struct({ job: Schema.Literal("fill"), namespace: Schema.String })
)

/**
 * @since 0.1.0
 * @category models
 */
export type Job = typeof Job.Type

type Say = (line: string) => Effect.Effect<void>

type Fails = ContractBroken | StorageError

export const COUNTER = "counter"

/** Longer than any case takes. With it a write changes also what a store keeps beside its entries to know when they end. */
const LIFETIME = 100_000

/** Several at once in each process, as calls of a turn are. */
const LANES = 4

const operationsIn = (namespace: string): Effect.Effect<Storage.Operations, never, StorageBackend> =>
  Effect.flatMap(StorageBackend, (backend) =>
    Effect.map(
      permitsFor(backend).ask({ storage: { use: ["session"] } }, Request.storage("session")),
      (proof) => backend.open(proof, namespace)
    )
  )

/** Adds one to the counter, and says what it counted. */
export const increment = (store: Storage.Operations): Effect.Effect<string, StorageError> =>
  Storage.update(
    COUNTER,
    (current) => Option.some(String(Number(Option.getOrElse(current, () => "0")) + 1)),
    { ttlSeconds: LIFETIME }
  ).pipe(
    Effect.map((count) => Option.getOrElse(count, () => "")),
    Effect.provideService(Storage, Storage.make(store))
  )

/** Beside the counter an entry that nobody else writes: what was written last is what must be read. */
const aside = (store: Storage.Operations, lane: number, name: string): Effect.Effect<void, Fails> =>
  Effect.gen(function* () {
    const key = `${name}/${lane}/${yield* Random.nextIntBetween(0, 50)}`
    const value = "v".repeat(yield* Random.nextIntBetween(1, 600)) + (yield* Random.next)
    yield* store.set({ key, value, ttlSeconds: LIFETIME })
    yield* must("an entry that was just written", (yield* store.get({ key })) === value, true)
  })

const count = (store: Storage.Operations, times: number, say: Say): Effect.Effect<void, Fails> =>
  Effect.gen(function* () {
    const name = String(yield* Random.next)
    let left = times
    const lane = (index: number) =>
      Effect.gen(function* () {
        while (left > 0) {
          left -= 1
          yield* say(yield* increment(store))
          if (yield* Random.nextBoolean) yield* aside(store, index, name)
        }
      })
    yield* Effect.forEach(
      Array.from({ length: LANES }, (_, index) => index),
      lane,
      { concurrency: "unbounded", discard: true }
    )
  })

/** Of every size up to a page of memory and more. */
export const valueOf = (key: string, index: number): string => `${key} ${"x".repeat((index * 37) % 5000)}`

const write = (store: Storage.Operations, name: string, say: Say): Effect.Effect<void, Fails> => {
  const one = (index: number) => {
    const key = `${name}/${index}`
    return Effect.zipRight(store.set({ key, value: valueOf(key, index) }), say(key))
  }
  return Effect.iterate(0, {
    while: () => true,
    body: (start) =>
      Effect.as(
        Effect.forEach(
          Array.from({ length: LANES }, (_, offset) => start + offset),
          one,
          { concurrency: "unbounded", discard: true }
        ),
        start + LANES
      )
  })
}

const LARGE = "x".repeat(100_000)

const fill = (store: Storage.Operations, say: Say): Effect.Effect<void, Fails> =>
  Effect.gen(function* () {
    let written = 0
    const more = Effect.tap(
      Effect.suspend(() => store.set({ key: `fill/${written}`, value: LARGE })),
      () => {
        written += 1
      }
    )
    const refused = yield* Effect.flip(Effect.forever(more))
    yield* say(refused.message)
    for (let index = 0; index < written; index++) {
      const value = yield* store.get({ key: `fill/${index}` })
      yield* must("an entry that was acknowledged before the disk was full", value === LARGE, true)
    }
    yield* say(written > 0 ? "all are there" : "nothing was written")
  })

/**
 * Does a job against the store of the context, and says a line for whatever was acknowledged. A process of a test runs it
 * with the layer under test, prints the lines, and fails as it fails.
 *
 * @since 0.1.0
 * @category jobs
 */
export const perform = (job: Job, say: Say): Effect.Effect<void, Fails, StorageBackend> =>
  Effect.flatMap(operationsIn(job.namespace), (store) => {
    if (job.job === "count") return count(store, job.times, say)
    return job.job === "write" ? write(store, job.name, say) : fill(store, say)
  })
