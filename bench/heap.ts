/** Whether calls leave anything behind: the heap after a million of them against the heap after ten thousand. */
import { fileURLToPath } from "node:url"
import { Effect } from "effect"
import { print, progress, type Row } from "./report.js"
import { backends, ours } from "./world.js"

const FEW = 10_000
const MANY = 1_000_000
const BATCH = 100

/** Without the collector the figure would be of its mood. */
const heap = (): number => {
  for (let i = 0; i < 4; i++) globalThis.gc?.()
  return process.memoryUsage().heapUsed
}

export const rows = async (): Promise<ReadonlyArray<Row>> => {
  if (globalThis.gc === undefined) throw new Error("run it with --expose-gc")
  const batch = Effect.provide(ours(10, 10, BATCH), backends)
  const calls = async (count: number) => {
    for (let done = 0; done < count; done += BATCH) {
      if (done % 100_000 === 0) progress(`heap, ${done.toLocaleString("en")} calls`)
      await Effect.runPromise(batch)
    }
  }
  await calls(FEW)
  const few = heap()
  await calls(MANY - FEW)
  return [
    { work: "heap after a million calls against after ten thousand", atMost: 1.1, ratios: [heap() / few] }
  ]
}

if (process.argv[1] === fileURLToPath(import.meta.url)) print(await rows())
