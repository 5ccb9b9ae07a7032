/**
 * The cases about output on its way and about ends. Whether a process is gone is seen at a file that it counts in: once it
 * is gone, the file stays as it is.
 */
import { Chunk, Clock, Effect, Exit, Fiber, Stream } from "effect"
import type { ProcessError } from "../../capabilities/process/ProcessOperations.js"
import { bytesFrom, ContractBroken, contents, must, mustBytes, mustRefuse, utf8 } from "./contract.js"
import {
  type Bench,
  begun,
  bytesOf,
  counting,
  type Definition,
  define,
  forever,
  place,
  silent,
  trees
} from "./processCase.js"

const channels: ReadonlyArray<Definition> = [
  define("streams", "bytes come as they were written, whatever they are", ({ stream }) =>
    Effect.gen(function* () {
      for (const stdin of [...contents.slice(0, -1), bytesFrom(0, 200_000)]) {
        const events = yield* Stream.runCollect(stream(["cat"], { stdin }))
        yield* mustBytes("stdout", bytesOf(events, "Stdout"), stdin)
        yield* mustBytes("stderr", bytesOf(events, "Stderr"), new Uint8Array(0))
      }
    })
  ),
  define("streams", "the two outputs are told apart", ({ stream }) =>
    Effect.gen(function* () {
      const events = yield* Stream.runCollect(stream(["cat", "-", "no-such-file"], { stdin: utf8("in") }))
      yield* mustBytes("stdout", bytesOf(events, "Stdout"), utf8("in"))
      yield* must("stderr", bytesOf(events, "Stderr").length > 0, true)
      const exit = Chunk.toReadonlyArray(events).at(-1)
      yield* must("exit", exit?._tag === "Exit" && exit.exitCode > 0, true)
    })
  ),
  define("streams", "a reader that waits makes the command wait", (bench) =>
    place(bench, (directory) =>
      Effect.gen(function* () {
        const script = `n=0; while printf '%${BLOCK}s' x; do n=$((n+1)); echo $n >>count; done`
        const first = Stream.take(bench.stream(["sh", "-c", script], { in: directory }), 1)
        yield* Stream.runForEach(first, () =>
          Effect.flatMap(settled(bench, directory), (blocks) =>
            blocks < HELD
              ? Effect.void
              : new ContractBroken({ expected: "blocks written unread", actual: blocks, wanted: `< ${HELD}` })
          )
        )
      })
    )
  ),
  define(
    "limits",
    "output past the limit is dropped and said to be, and the command runs to its end",
    (bench) =>
      Effect.gen(function* () {
        const { outputBytes } = bench.limits
        const given = (length: number) => ({ stdin: new Uint8Array(length).fill(97) })
        const fits = yield* bench.spawn(["cat"], given(outputBytes))
        yield* must("what just fits", [fits.stdout.length, fits.truncated], [outputBytes, false])
        const large = yield* bench.spawn(["cat"], given(outputBytes + 1))
        yield* must("more", [large.stdout.length, large.truncated, large.exitCode], [outputBytes, true, 0])
        const events = yield* Stream.runCollect(bench.stream(["cat"], given(outputBytes + 1)))
        yield* must("stream", bytesOf(events, "Stdout").length, outputBytes)
        const exit = Chunk.toReadonlyArray(events).at(-1)
        yield* must("exit", exit?._tag === "Exit" && exit.truncated, true)
      })
  )
]

const BLOCK = 65_536

/** More blocks than pipes and buffers hold. */
const HELD = 128

/** How often a number must be the same to be taken for the last. */
const SETTLED = 20

const settled = (bench: Bench, directory: string, last = -1, same = 0): Effect.Effect<number, ProcessError> =>
  Effect.flatMap(bench.spawn(["tail", "-n", "1", "count"], { in: directory }), ({ stdout }) => {
    const now = Number(stdout)
    return same === SETTLED || now > HELD
      ? Effect.succeed(now)
      : settled(bench, directory, now, now === last ? same + 1 : 0)
  })

const ends: ReadonlyArray<Definition> = [
  ...trees.map(([name, script]) =>
    define("ending", `a script that is interrupted leaves nobody behind: ${name}`, (bench) =>
      place(bench, (directory) =>
        Effect.gen(function* () {
          const child = yield* Effect.fork(bench.shell(script, { in: directory }))
          const early = Effect.flatMap(
            Fiber.await(child),
            (exit) =>
              new ContractBroken({ expected: "a script that goes on", actual: exit._tag, wanted: "one" })
          )
          yield* Effect.raceFirst(begun(bench, directory, "a"), early)
          yield* must("how it ended", Exit.isInterrupted(yield* Fiber.interrupt(child)), true)
          yield* silent(bench, directory, "a")
        })
      )
    )
  ),
  define("ending", "a stream that is left ends its command", (bench) =>
    place(bench, (directory) =>
      Effect.gen(function* () {
        const script = `(${counting("a")}) & while echo x; do :; done`
        for (const leave of [
          (flow: ReturnType<Bench["stream"]>) => Stream.runDrain(Stream.take(flow, 1)),
          (flow: ReturnType<Bench["stream"]>) =>
            Effect.ignore(Stream.runDrain(Stream.mapEffect(flow, () => Effect.fail("enough" as const))))
        ]) {
          yield* leave(bench.stream(["sh", "-c", script], { in: directory }))
          yield* silent(bench, directory, "a")
        }
      })
    )
  ),
  define(
    "ending",
    "a command that dies of a signal exits as a shell has it, and names it or is silent",
    ({ shell }) =>
      Effect.gen(function* () {
        for (const [name, exitCode] of [
          ["KILL", 137],
          ["TERM", 143]
        ] as const) {
          const result = yield* shell(`kill -${name} $$`)
          yield* must(name, result.exitCode, exitCode)
          // Whatever holds a command may hear of its end by a number alone.
          yield* must(name, result.signal ?? `SIG${name}`, `SIG${name}`)
        }
      })
  ),
  define("ending", "what is left in the background does not hold up a result", (bench) =>
    Effect.gen(function* () {
      const { exitCode, stdout } = yield* bench.shell(`${forever} & echo done`)
      yield* must("result", [exitCode, stdout], [0, "done\n"])
    })
  ),
  define("ending", "a command that takes too long is ended, and the failure repeats no argument", (bench) =>
    Effect.gen(function* () {
      const late = bench.spawn(["sleep", "10000"], { timeoutMillis: 20 })
      yield* mustRefuse("spawn", late, "TIMED_OUT", ["10000"])
      const script = bench.shell(`${forever} # hunter2`, { timeoutMillis: 20 })
      yield* mustRefuse("shell", script, "TIMED_OUT", ["hunter2"])
      const flow = Stream.runDrain(bench.stream(["sleep", "10000"], { timeoutMillis: 20 }))
      yield* mustRefuse("stream", flow, "TIMED_OUT", ["10000"])
      for (const timeoutMillis of [0, -1, Number.NaN]) {
        const none = bench.spawn(["true"], { timeoutMillis })
        yield* mustRefuse(`a timeout of ${timeoutMillis}`, none, "LIMIT_EXCEEDED")
      }
      // A clock that stands still, as a test's does, would never end them.
    }).pipe(Effect.withClock(Clock.make()))
  )
]

export const ending: ReadonlyArray<Definition> = [...channels, ...ends]
