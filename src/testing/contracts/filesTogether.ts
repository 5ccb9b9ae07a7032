/** The cases about many at once, and about who stops in between. */
import { Effect, Exit, Fiber } from "effect"
import { bytesFrom, ContractBroken, must, mustBytes } from "./contract.js"
import { type Bench, type Definition, define } from "./filesCase.js"

const MEBIBYTE = 1024 * 1024

/** Contents of different sizes, each of one byte only, so that a mixture is seen. */
const versions: ReadonlyArray<Uint8Array> = [
  new Uint8Array(300_000).fill(65),
  new Uint8Array(200_000).fill(66),
  new Uint8Array(10).fill(67)
]

const whole = (expected: string, actual: Uint8Array): Effect.Effect<void, ContractBroken> => {
  const version = versions.find(({ length }) => length === actual.length)
  return version === undefined
    ? new ContractBroken({ expected, actual: { length: actual.length }, wanted: "one version, whole" })
    : mustBytes(expected, actual, version)
}

/** As much time as so many operations of the backend take: what it does meanwhile goes on. */
const turns = ({ stat }: Bench, count: number) =>
  Effect.replicateEffect(Effect.ignore(stat("")), count, { discard: true })

export const together: ReadonlyArray<Definition> = [
  define("files", "a reader sees an old file or a new one, never a part", ({ list, read, write }) =>
    Effect.gen(function* () {
      const [first = new Uint8Array(0)] = versions
      yield* write("a", first)
      const writes = Effect.forEach(
        Array.from({ length: 30 }, (_, index) => versions[index % versions.length] ?? first),
        (content) => write("a", content),
        { discard: true }
      )
      const reads = Effect.replicateEffect(
        Effect.flatMap(read("a"), (seen) => whole("what a reader sees", seen)),
        100,
        { discard: true, concurrency: 4 }
      )
      yield* Effect.all([writes, reads], { concurrency: "unbounded", discard: true })
      yield* must("list", yield* list(""), ["a"])
    })
  ),
  define("files", "of many writers of one file, one is the last", ({ list, read, write }) =>
    Effect.gen(function* () {
      yield* Effect.forEach([...versions, ...versions], (content) => write("a", content), {
        concurrency: "unbounded",
        discard: true
      })
      yield* whole("content", yield* read("a"))
      yield* must("list", yield* list(""), ["a"])
    })
  ),
  define("files", "operations at the same time do not mix", (bench) =>
    Effect.gen(function* () {
      const names = Array.from({ length: 40 }, (_, index) => `f${index}`)
      const content = (index: number) => bytesFrom(index, 50_000 + index)
      yield* Effect.forEach(names, (name, index) => bench.write(name, content(index)), {
        concurrency: "unbounded",
        discard: true
      })
      yield* Effect.forEach(
        names,
        (name, index) =>
          Effect.flatMap(bench.read(name), (seen) => mustBytes(`content of ${name}`, seen, content(index))),
        { concurrency: "unbounded", discard: true }
      )
      const made = Effect.forEach(names, (name) => bench.mkdir(`deep/${name}/x`, true), {
        concurrency: "unbounded",
        discard: true
      })
      yield* made
      yield* must("directories made at once", yield* bench.list("deep"), [...names].sort())
    })
  ),
  define("files", "a write that is interrupted leaves the old file or the new one, and no other", (bench) =>
    Effect.gen(function* () {
      const large = new Uint8Array(4 * MEBIBYTE).fill(65)
      yield* bench.write("a", "old")
      for (let round = 0; round < 12; round++) {
        const fiber = yield* Effect.fork(bench.write("a", large))
        yield* turns(bench, round)
        const exit = yield* Fiber.interrupt(fiber)
        yield* must("how it ended", Exit.isSuccess(exit) || Exit.isInterrupted(exit), true)
        yield* must("list", yield* bench.list(""), ["a"])
        const { size } = yield* bench.stat("a")
        yield* must("the file is whole", size === 3 || size === large.length, true)
        if (size !== 3) yield* bench.write("a", "old")
      }
      yield* must("content at the end", yield* bench.text("a"), "old")
    })
  ),
  define("files", "a read or a search that is interrupted ends, and the next one works", (bench) =>
    Effect.gen(function* () {
      const content = new Uint8Array(4 * MEBIBYTE).fill(97)
      for (const name of ["a", "b", "c"]) yield* bench.write(name, content)
      for (let round = 0; round < 6; round++) {
        const reading = yield* Effect.fork(bench.read("a"))
        const searching = yield* Effect.fork(bench.search("", { pattern: "b" }))
        yield* turns(bench, round)
        yield* Fiber.interrupt(reading)
        yield* Fiber.interrupt(searching)
      }
      yield* must("size", (yield* bench.read("a")).length, content.length)
      yield* must("search", (yield* bench.search("", { pattern: "b" })).matches, [])
    })
  )
]
