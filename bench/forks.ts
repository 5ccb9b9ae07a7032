/**
 * What a call that does nothing costs, in bare forks: an `Effect.succeed` that is forked and polled. Both run in a loop of
 * one fiber, as a program would have them.
 */
import { fileURLToPath } from "node:url"
import { Tool, Turn } from "bailiwick"
import { Effect, FiberRef, FiberRefs, Runtime, Schema } from "effect"
import { interleave, SHORT, type Subject } from "./interleave.js"
import { print, progress, type Row } from "./report.js"
import { args, backends, executing, parameters, registryOf } from "./world.js"

/** So many in one run that its own start does not count. */
const TIMES = 200

const repeated = (name: string, each: () => Effect.Effect<unknown>, batch = 1): Subject => {
  const loop = Effect.gen(function* () {
    for (let i = 0; i < TIMES; i += batch) yield* each()
  })
  return { name, run: () => Effect.runSync(Effect.provide(loop, backends)) }
}

const BATCHES = [1, 10, 100]

const nothing = Effect.succeed(undefined)

/** The runtime of the program hands its Context and its refs on, as a call does with those of its tool. */
const program = Effect.runSync(Effect.provide(Effect.runtime<never>(), backends))

const bare = repeated("fork", () => Effect.sync(() => Effect.runFork(nothing).unsafePoll()))
const own = repeated("own fork", () => Effect.sync(() => Runtime.runFork(program, nothing).unsafePoll()))

const calls = BATCHES.map((size) => {
  const { calls, registry, turn } = executing(10, 10, size)
  return repeated(`calls ${size}`, () => registry.execute(turn, calls), size)
})

const defaults = FiberRefs.empty()
const refs = [
  [FiberRef.currentLoggers, FiberRefs.getOrDefault(defaults, FiberRef.currentLoggers)],
  [FiberRef.currentLogLevel, FiberRefs.getOrDefault(defaults, FiberRef.currentLogLevel)],
  [FiberRef.currentScheduler, FiberRefs.getOrDefault(defaults, FiberRef.currentScheduler)]
] as const

const withRefs = repeated("refs", () =>
  Effect.sync(() =>
    Effect.runFork(nothing, {
      updateRefs: (given, id) => {
        for (const [ref, value] of refs) given.locals.set(ref, [[id, value]])
        return given
      }
    }).unsafePoll()
  )
)

const TEXT = "The forecast for Oslo is rain in the morning, and sun from noon. ".repeat(16)

const RECORDS = Array.from({ length: 20 }, (_, day) => ({ day, sky: "rain", celsius: 12.5, windy: false }))

const saying = (answer: unknown, redactTokens: boolean, takesArguments = false) => {
  const shared = {
    name: "say",
    description: "Says it",
    capabilities: {},
    execute: () => Effect.succeed(answer)
  } as const
  const tool = takesArguments
    ? Tool.make({ ...shared, parameters: Schema.Struct(parameters) })
    : Tool.make({ ...shared, parameters: Schema.Struct({}) })
  const { policy, registry } = registryOf(tool)
  const turn = Turn.make({ session: "s", policy, workdir: "/data", redactTokens })
  const call = { id: "1", name: "say", args: takesArguments ? args : {} }
  return () => registry.execute(turn, [call])
}

/** Each is a difference: with it, and without it. */
const parts = [
  {
    part: "interruption is masked, so that it leaves no call behind",
    with: repeated("masked", () => Effect.uninterruptibleMask(() => nothing)),
    without: repeated("open", () => nothing)
  },
  { part: "refs: three that are inherited, put in place", with: withRefs, without: bare },
  {
    part: "arguments: two are decoded",
    with: repeated("arguments", saying(null, true, true)),
    without: repeated("no arguments", saying(null, true))
  },
  {
    part: "an answer of 20 records is copied, and measured for the budget",
    with: repeated("records", saying(RECORDS, false)),
    without: repeated("null", saying(null, false))
  },
  {
    part: "an answer of 1,000 characters is searched for tokens",
    with: repeated("scrubbed", saying(TEXT, true)),
    without: repeated("unscrubbed", saying(TEXT, false))
  }
]

const measured = () => {
  const subjects = [bare, own, ...calls, ...parts.flatMap((part) => [part.with, part.without])]
  return interleave([...new Set(subjects)], progress, SHORT)
}

const rowsOf = (nanos: ReadonlyMap<string, number>): ReadonlyArray<Row> => {
  const inForks = (fork: Subject, sizes: ReadonlyArray<number>) =>
    sizes.map((size) => (nanos.get(`calls ${size}`) ?? 0) / (nanos.get(fork.name) ?? 1))
  return [
    { work: "a no-op call alone, in forks by the program's runtime", atMost: 1.7, ratios: inForks(own, [1]) },
    { work: "each of 10 and of 100 at once, in the same", atMost: 1.2, ratios: inForks(own, [10, 100]) },
    {
      work: "the same in forks that hand on no Context and no refs, 1, 10, 100",
      atMost: 2.5,
      ratios: inForks(bare, BATCHES)
    }
  ]
}

const partsOf = (nanos: ReadonlyMap<string, number>): ReadonlyArray<string> =>
  parts.map(({ part, with: more, without }) => {
    const difference = (nanos.get(more.name) ?? 0) - (nanos.get(without.name) ?? 0)
    return `  ${part.padEnd(72)} ${(difference / (nanos.get(bare.name) ?? 1)).toFixed(2).padStart(20)}`
  })

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const nanos = measured()
  print(rowsOf(nanos))
  console.log("of which, in forks that hand on nothing:")
  for (const line of partsOf(nanos)) console.log(line)
}
