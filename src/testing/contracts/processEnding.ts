/**
 * The cases about output on its way and about ends. Whether a process is gone is seen at a pipe that it holds: who reads
 * from it hears of the end once nobody holds it any more, and needs no clock.
 */
import { Chunk, Clock, Deferred, Effect, Exit, Fiber, Stream } from "effect"
import type { ProcessError } from "../../capabilities/process/ProcessOperations.js"
import { bytesFrom, ContractBroken, contents, must, mustBytes, mustRefuse, utf8 } from "./contract.js"
import { type Bench, bytesOf, type Definition, define, forever, place, trees } from "./processCase.js"

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
        yield* bench.spawn(["mkfifo", "pipe"], { in: directory })
        const script = `exec 3>pipe; n=0; while printf '%${BLOCK}s' x >&3; do n=$((n+1)); echo $n >count; done`
        const writer = yield* Effect.fork(bench.shell(script, { in: directory }))
        const first = Stream.take(bench.stream(["cat", "pipe"], { in: directory }), 1)
        yield* Stream.runForEach(first, () =>
          Effect.flatMap(settled(bench, directory), (blocks) =>
            blocks < HELD
              ? Effect.void
              : new ContractBroken({ expected: "blocks written unread", actual: blocks, wanted: `< ${HELD}` })
          )
        )
        // Whoever reads from the pipe is gone with the stream, and so its writer ends.
        yield* Fiber.join(writer)
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
  Effect.flatMap(bench.spawn(["cat", "count"], { in: directory }), ({ stdout }) => {
    const now = Number(stdout)
    return same === SETTLED || now > HELD
      ? Effect.succeed(now)
      : settled(bench, directory, now, now === last ? same + 1 : 0)
  })

/** Starts a script, and goes on as soon as it is ready. `closed` ends when nobody holds its pipe any more. */
const begun = (bench: Bench, directory: string, script: string) =>
  Effect.gen(function* () {
    yield* bench.spawn(["mkfifo", "pipe"], { in: directory })
    const ready = yield* Deferred.make<void>()
    const reader = yield* Effect.fork(
      Stream.runForEach(bench.stream(["cat", "pipe"], { in: directory }), ({ _tag }) =>
        _tag === "Stdout" ? Deferred.succeed(ready, undefined) : Effect.void
      )
    )
    const child = yield* Effect.fork(bench.shell(script, { in: directory }))
    const early = Effect.flatMap(
      Fiber.await(child),
      (exit) => new ContractBroken({ expected: "a script that goes on", actual: exit._tag, wanted: "ready" })
    )
    yield* Effect.raceFirst(Deferred.await(ready), early)
    return { child, closed: Fiber.join(reader) }
  })

const ends: ReadonlyArray<Definition> = [
  ...trees.map(([name, script]) =>
    define("ending", `a script that is interrupted leaves nobody behind: ${name}`, (bench) =>
      place(bench, (directory) =>
        Effect.gen(function* () {
          const { child, closed } = yield* begun(bench, directory, script)
          yield* must("how it ended", Exit.isInterrupted(yield* Fiber.interrupt(child)), true)
          yield* closed
        })
      )
    )
  ),
  define("ending", "a stream that is left ends its command", (bench) =>
    place(bench, (directory) =>
      Effect.gen(function* () {
        yield* bench.spawn(["mkfifo", "pipe"], { in: directory })
        const script = "exec 3>pipe; while echo x >&3; do :; done"
        for (const leave of [
          (flow: ReturnType<Bench["stream"]>) => Stream.runDrain(Stream.take(flow, 1)),
          (flow: ReturnType<Bench["stream"]>) =>
            Effect.ignore(Stream.runDrain(Stream.mapEffect(flow, () => Effect.fail("enough" as const))))
        ]) {
          const writer = yield* Effect.fork(bench.shell(script, { in: directory }))
          yield* leave(bench.stream(["cat", "pipe"], { in: directory }))
          yield* Fiber.join(writer)
        }
      })
    )
  ),
  define("ending", "a command that dies of a signal says which, and exits as a shell has it", ({ shell }) =>
    Effect.gen(function* () {
      for (const [name, exitCode] of [
        ["KILL", 137],
        ["TERM", 143]
      ] as const) {
        const result = yield* shell(`kill -${name} $$`)
        yield* must(name, [result.exitCode, result.signal], [exitCode, `SIG${name}`])
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
