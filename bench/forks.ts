/** What a call that does nothing costs, in bare fibers: one fork of `Effect.succeed` and a look at its exit. */
import { fileURLToPath } from "node:url"
import { Effect } from "effect"
import { interleave, type Subject } from "./interleave.js"
import { print, progress, type Row } from "./report.js"
import { backends, executing } from "./world.js"

/** Enough in one run that its own start does not count. */
const CALLS = 200

const BATCHES = [1, 10, 100]

const nothing = Effect.succeed(undefined)

const forks: Subject = {
  name: "fork",
  run: () => {
    for (let i = 0; i < CALLS; i++) if (Effect.runFork(nothing).unsafePoll() === null) throw new Error()
  }
}

const batches = (size: number): Subject => {
  const { calls, registry, turn } = executing(10, 10, size)
  const loop = Effect.gen(function* () {
    for (let i = 0; i < CALLS; i += size) yield* registry.execute(turn, calls)
  })
  return { name: `${size}`, run: () => Effect.runSync(Effect.provide(loop, backends)) }
}

export const rows = async (): Promise<ReadonlyArray<Row>> => {
  const nanos = interleave([forks, ...BATCHES.map(batches)], progress)
  const inForks = (size: number) => (nanos.get(`${size}`) ?? 0) / (nanos.get("fork") ?? 1)
  return [
    { work: "a no-op call alone, in bare forks", atMost: 1.7, ratios: [inForks(1)] },
    {
      work: "each of 10 and of 100 in a batch, in bare forks",
      atMost: 1.2,
      ratios: [inForks(10), inForks(100)]
    }
  ]
}

if (process.argv[1] === fileURLToPath(import.meta.url)) print(await rows())
