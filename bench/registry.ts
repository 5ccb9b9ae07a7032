/** The registry on a call that does nothing, against the toolkit of `@effect/ai` handling the same call. */
import { fileURLToPath } from "node:url"
import { Tool as AiTool, Toolkit } from "@effect/ai"
import { Effect } from "effect"
import { interleave, type Subject } from "./interleave.js"
import { print, progress, type Row } from "./report.js"
import { args, backends, ours, parameters } from "./world.js"

const repeated = (effect: Effect.Effect<unknown>, times: number) => {
  const loop = Effect.gen(function* () {
    for (let i = 0; i < times; i++) yield* effect
  })
  return () => Effect.runSync(Effect.provide(loop, backends))
}

const AiNoop = AiTool.make("noop", {
  description: "Does nothing",
  parameters
})

const toolkit = Toolkit.make(AiNoop)

const theirs = Effect.provide(
  Effect.map(toolkit, ({ handle }) => handle("noop", args)),
  toolkit.toLayer({ noop: () => Effect.void })
).pipe(Effect.runSync)

const BATCHES = [1, 10, 100]

export const rows = async (): Promise<ReadonlyArray<Row>> => {
  const subjects: ReadonlyArray<Subject> = BATCHES.flatMap((batch) => {
    const times = Math.max(1, 100 / batch)
    const handled = Effect.forEach(Array.from({ length: batch }), () => theirs, { discard: true })
    return [
      { name: `ours ${batch}`, run: repeated(ours(10, 10, batch), times) },
      { name: `large ${batch}`, run: repeated(ours(10_000, 10_000, batch), times) },
      { name: `ai ${batch}`, run: repeated(Effect.orDie(handled), times) }
    ]
  })
  const nanos = interleave(subjects, progress)
  const ratio = (a: string, b: string) => (nanos.get(a) ?? 0) / (nanos.get(b) ?? 1)
  return [
    {
      work: "a no-op call against @effect/ai's toolkit, batches of 1, 10, 100",
      atMost: 0.15,
      ratios: BATCHES.map((batch) => ratio(`ours ${batch}`, `ai ${batch}`))
    },
    {
      work: "with 10,000 tools and 10,000 patterns against 10 and 10",
      atMost: 1.2,
      ratios: BATCHES.map((batch) => ratio(`large ${batch}`, `ours ${batch}`))
    }
  ]
}

if (process.argv[1] === fileURLToPath(import.meta.url)) print(await rows())
