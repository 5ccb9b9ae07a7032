/** The cases about what goes to a command while it runs: input bit by bit, and orders. */
import { Chunk, Deferred, Effect, Exit, Fiber, Option, Ref, Stream } from "effect"
import type { Process } from "../../capabilities/process/Process.js"
import type {
  ProcessError,
  ProcessInput,
  ProcessOrder,
  ProcessStarted
} from "../../capabilities/process/ProcessOperations.js"
import { bytesFrom, ContractBroken, must, mustBytes, text, utf8 } from "./contract.js"
import {
  type Bench,
  begun,
  bytesOf,
  type Definition,
  define,
  forever,
  place,
  silent,
  trees
} from "./processCase.js"

type Event = typeof ProcessStarted.Type | Process.Event

type Order = typeof ProcessOrder.Type

type Started = Stream.Stream<Event, ProcessError>

const tagsOf = (events: Iterable<Event>): ReadonlyArray<string> => [...events].map(({ _tag }) => _tag)

const lastOf = (events: Chunk.Chunk<Event>) => Chunk.toReadonlyArray(events).at(-1)

const exitOf = (events: Chunk.Chunk<Event>) => {
  const last = lastOf(events)
  return last?._tag === "Exit" ? [last.exitCode, last.signal] : last?._tag
}

const parts = ["one\n", "", "two\n", "three"].map(utf8)

/** Gives the order as soon as something has come of the command that asks for it. */
const ordered = (
  start: (orders: Stream.Stream<Order>) => Started,
  when: (event: Event) => Order | undefined
): Effect.Effect<Chunk.Chunk<Event>, ProcessError> =>
  Effect.gen(function* () {
    const given = yield* Deferred.make<Order>()
    return yield* Stream.runCollect(
      Stream.tap(start(Stream.fromEffect(Deferred.await(given))), (event) => {
        const order = when(event)
        return order === undefined ? Effect.void : Deferred.succeed(given, order)
      })
    )
  })

const lanes: ReadonlyArray<Definition> = [
  define("commands", "input may come bit by bit", ({ spawn, start, stream }) =>
    Effect.gen(function* () {
      const input = () => ({ input: { stdin: Stream.fromIterable(parts) } })
      yield* must("spawn", (yield* spawn(["cat"], input())).stdout, "one\ntwo\nthree")
      for (const [name, run] of [
        ["stream", stream],
        ["start", start]
      ] as const) {
        const events = yield* Stream.runCollect(run(["cat"], input()) as Started)
        yield* must(name, text(bytesOf(events, "Stdout")), "one\ntwo\nthree")
      }
      const none = { input: { stdin: Stream.empty } }
      yield* must("none at all", (yield* spawn(["cat"], none)).stdout, "")
    })
  ),
  define("commands", "a started command says so first and once, and its exit last", ({ start, stream }) =>
    Effect.gen(function* () {
      const events = yield* Stream.runCollect(start(["echo", "hello"]))
      const tags = tagsOf(events)
      yield* must("first and last", [tags[0], tags.at(-1)], ["Started", "Exit"])
      yield* must("once", tags.filter((tag) => tag === "Started").length, 1)
      yield* must("output", text(bytesOf(events, "Stdout")), "hello\n")
      const others = tagsOf(yield* Stream.runCollect(stream(["echo", "hello"])))
      yield* must("a stream", others.includes("Started"), false)
    })
  ),
  define("commands", "a started command that is told to end has its signal for a result", ({ start }) =>
    Effect.gen(function* () {
      for (const [order, result] of [
        ["END", [143, "SIGTERM"]],
        ["SIGTERM", [143, "SIGTERM"]],
        ["SIGINT", [130, "SIGINT"]],
        ["SIGHUP", [129, "SIGHUP"]]
      ] as const) {
        const events = yield* ordered(
          (orders) => start(["sleep", "10000"], { input: { orders } }),
          ({ _tag }) => (_tag === "Started" ? order : undefined)
        )
        yield* must(order, exitOf(events), result)
      }
    })
  ),
  define("commands", "a command that is interrupted leaves its input", ({ start }) =>
    Effect.gen(function* () {
      const [begun, pulled] = [yield* Deferred.make<void>(), yield* Ref.make(0)]
      const count = (by: number) => Ref.update(pulled, (n) => n + by)
      const stdin = Stream.ensuring(Stream.zipRight(Stream.fromEffect(count(1)), Stream.never), count(-1))
      const run = Stream.runForEach(start(["sleep", "10000"], { input: { stdin } }), () =>
        Deferred.succeed(begun, undefined)
      )
      const fiber = yield* Effect.fork(run)
      yield* Deferred.await(begun)
      yield* must("how it ended", Exit.isInterrupted(yield* Fiber.interrupt(fiber)), true)
      yield* must("inputs that are held", (yield* Ref.get(pulled)) <= 0, true)
    })
  )
]

/** More than a pipe and its buffers hold. */
const HELD = 128

const BLOCK = bytesFrom(0, 65_536)

/** Blocks without end, and how many of them were taken. */
const endless = Effect.map(Ref.make(0), (taken) => ({
  taken: Ref.get(taken),
  stdin: Stream.repeatEffect(
    Effect.as(
      Ref.update(taken, (n) => n + 1),
      BLOCK
    )
  )
}))

/** Until a number stays the same while a few commands run to their end. */
const settled = (
  bench: Bench,
  read: Effect.Effect<number>,
  last = -1,
  same = 0
): Effect.Effect<number, ProcessError> =>
  Effect.flatMap(Effect.zipRight(bench.spawn(["true"]), read), (now) =>
    same === 10 || now > HELD ? Effect.succeed(now) : settled(bench, read, now, now === last ? same + 1 : 0)
  )

const pace: ReadonlyArray<Definition> = [
  define("streams", "input is taken no faster than it is read", (bench) =>
    Effect.gen(function* () {
      const { stdin, taken } = yield* endless
      const begun = yield* Deferred.make<void>()
      const run = Stream.runForEach(bench.start(["sleep", "10000"], { input: { stdin } }), () =>
        Deferred.succeed(begun, undefined)
      )
      const fiber = yield* Effect.fork(run)
      yield* Deferred.await(begun)
      const blocks = yield* settled(bench, taken)
      if (blocks >= HELD) {
        return yield* new ContractBroken({
          expected: "blocks taken unread",
          actual: blocks,
          wanted: `< ${HELD}`
        })
      }
      yield* Fiber.interrupt(fiber)
    })
  ),
  define("streams", "a command that stops reading ends well, and its input is left", (bench) =>
    Effect.gen(function* () {
      const left = yield* Ref.make(0)
      const input: ProcessInput = {
        stdin: Stream.ensuring(
          (yield* endless).stdin,
          Ref.update(left, (n) => n + 1)
        )
      }
      const one = yield* bench.spawn(["head", "-c", "1"], { input })
      yield* must("head", [one.exitCode, one.stdout.length], [0, 1])
      yield* must("true", (yield* bench.spawn(["true"], { input })).exitCode, 0)
      const closed = yield* bench.shell("exec 0<&-; echo closed", { input })
      yield* must("a closed input", [closed.exitCode, closed.stdout], [0, "closed\n"])
      const idle = {
        stdin: Stream.ensuring(
          Stream.never,
          Ref.update(left, (n) => n + 1)
        )
      }
      yield* must("idle", (yield* bench.spawn(["true"], { input: idle })).exitCode, 0)
      yield* must("inputs that were left", (yield* Ref.get(left)) >= 1, true)
    })
  ),
  define("streams", "much goes through as it is, whoever waits for whom", ({ stream }) =>
    Effect.gen(function* () {
      const wanted = bytesFrom(5, 400_000)
      const stdin = Stream.fromIterable(
        Array.from({ length: 40 }, (_, index) => wanted.subarray(index * 10_000, (index + 1) * 10_000))
      )
      const events = yield* Stream.runCollect(stream(["cat"], { input: { stdin } }))
      yield* mustBytes("stdout", bytesOf(events, "Stdout"), wanted)
    })
  ),
  define("streams", "output is there before the input has ended", ({ start }) =>
    Effect.gen(function* () {
      const answered = yield* Deferred.make<void>()
      const stdin = Stream.concat(
        Stream.succeed(utf8("ping\n")),
        Stream.drain(Stream.fromEffect(Deferred.await(answered)))
      )
      const events = yield* Stream.runCollect(
        Stream.tap(start(["cat"], { input: { stdin } }), ({ _tag }) =>
          _tag === "Stdout" ? Deferred.succeed(answered, undefined) : Effect.void
        )
      )
      yield* must("cat", [text(bytesOf(events, "Stdout")), exitOf(events)], ["ping\n", [0, null]])
    })
  ),
  define("ending", "a defect in the input ends the command", (bench) =>
    Effect.gen(function* () {
      const stdin = Stream.dieMessage("a broken input")
      const exit = yield* Effect.exit(bench.spawn(["sleep", "10000"], { input: { stdin } }))
      yield* must("how it ended", Exit.isFailure(exit), true)
    })
  )
]

const orders: ReadonlyArray<Definition> = [
  define("ending", "a signal reaches the command, and one that listens goes on", ({ start }) =>
    Effect.gen(function* () {
      // `wait` hears of a signal at once, whenever it comes; a command in the foreground would not.
      const script = `trap 'echo caught; exit 7' INT; ${forever} & echo ready; wait`
      const events = yield* ordered(
        (orders) => start(["sh", "-c", script], { input: { orders } }),
        ({ _tag }) => (_tag === "Stdout" ? "SIGINT" : undefined)
      )
      yield* must("sh", [text(bytesOf(events, "Stdout")), exitOf(events)], ["ready\ncaught\n", [7, null]])
    })
  ),
  define("ending", "what a command writes when it is told to end is still read", ({ start }) =>
    Effect.gen(function* () {
      const script = `trap 'echo bye; exit 0' TERM; echo ready; ${forever} & wait`
      const events = yield* ordered(
        (orders) => start(["sh", "-c", script], { input: { orders } }),
        ({ _tag }) => (_tag === "Stdout" ? "END" : undefined)
      )
      yield* must("sh", [text(bytesOf(events, "Stdout")), exitOf(events)], ["ready\nbye\n", [0, null]])
    })
  ),
  ...trees.map(([name, script]) =>
    define("ending", `a command that is told to end leaves nobody behind: ${name}`, (bench) =>
      place(bench, (directory) =>
        Effect.gen(function* () {
          const orders = Stream.fromEffect(
            Effect.as(Effect.orDie(begun(bench, directory, "a")), "END" as const)
          )
          const child = bench.start(["sh", "-c", script], { in: directory, input: { orders } })
          const exit = Option.getOrUndefined(yield* Stream.runLast(child))
          yield* must("exit", exit?._tag, "Exit")
          yield* silent(bench, directory, "a")
        })
      )
    )
  )
]

export const speaking: ReadonlyArray<Definition> = [...lanes, ...pace, ...orders]
