/** A command that a tool starts, speaks with and ends. Threats: it outlives its tool, takes memory without bound, or hangs it. */
import { readFileSync } from "node:fs"
import { describe, expect, it } from "@effect/vitest"
import { Cause, Chunk, Context, Data, Deferred, Effect, Exit, Fiber, Queue, Ref, Scope, Stream } from "effect"
import { Process } from "../../../src/capabilities/process/Process.js"
import { until } from "../../waiting.js"
import { isAlive, noted, running, sleep, turn, world } from "./harness.js"

const MEBIBYTE = 1024 * 1024

/** In tests every command is computed: what is required is known by the world. */
const service = (options: Parameters<typeof world>[0] = {}) =>
  Effect.map(world(options), ({ operations }) => {
    const process = Process.make(operations)
    const start = <S extends Process.Stdin = never>(script: string, given?: Process.Options<S>) =>
      Effect.provideService(process.start("sh" as string, ["-c", script], given), Process, process)
    const shell = (script: string) => operations.spawn({ binary: "sh", args: ["-c", script] })
    return { process, start, shell }
  })

const text = <E>(stream: Stream.Stream<Uint8Array, E>) => Stream.mkString(Stream.decodeText(stream))

const lineOf = <E>(stream: Stream.Stream<Uint8Array, E>) =>
  Effect.map(
    Stream.runCollect(stream.pipe(Stream.decodeText(), Stream.splitLines, Stream.take(1))),
    (lines) => Chunk.toReadonlyArray(lines)[0] ?? ""
  )

const gone = (pid: number): Effect.Effect<void> => until(() => !isAlive(String(pid)))

class Broken extends Data.TaggedError("Broken") {}

class Words extends Context.Tag("test/Words")<Words, ReadonlyArray<string>>() {}

describe("a started command", () => {
  it.scoped("is spoken with, line by line, until it has heard enough", () =>
    Effect.gen(function* () {
      const { start } = yield* service()
      const asked = yield* Queue.unbounded<Uint8Array>()
      const say = (line: string) => Queue.offer(asked, Buffer.from(`${line}\n`))
      const echo = yield* start('while read -r line; do [ "$line" = bye ] && exit 4; echo "<$line>"; done', {
        stdin: Stream.fromQueue(asked)
      })
      const heard = yield* Queue.unbounded<string>()
      yield* Effect.forkScoped(
        echo.stdout.pipe(
          Stream.decodeText(),
          Stream.splitLines,
          Stream.runForEach((line) => Queue.offer(heard, line))
        )
      )
      for (const word of ["one", "two"]) {
        yield* say(word)
        expect(yield* Queue.take(heard)).toBe(`<${word}>`)
      }
      expect(yield* echo.isRunning).toBe(true)
      yield* say("bye")
      expect(yield* echo.exit).toEqual({ exitCode: 4, signal: null, ...noted })
      expect(yield* echo.isRunning).toBe(false)
    })
  )

  it.scoped("has its outputs apart, and its exit when it likes", () =>
    Effect.gen(function* () {
      const { start } = yield* service()
      const both = yield* start("echo out; echo err >&2; exit 3")
      expect(yield* both.exit).toEqual({ exitCode: 3, signal: null, ...noted })
      expect(yield* text(both.stderr)).toBe("err\n")
      expect(yield* text(both.stdout)).toBe("out\n")
      expect(both.pid).toBeGreaterThan(1)
    })
  )

  it.scoped("that cannot be started is a failure of the start", () =>
    Effect.gen(function* () {
      const { process } = yield* service()
      const missing = Effect.provideService(process.start("no-such-command" as string), Process, process)
      expect((yield* Effect.flip(missing)).code).toBe("BINARY_NOT_FOUND")
    })
  )

  it.scoped("holds its pipe while nobody reads, and what is waited for comes all the same", () =>
    Effect.gen(function* () {
      const { start } = yield* service({ maxOutputBytes: 64 * MEBIBYTE })
      // A number of its own: another run of these tests may be at work on the same machine.
      const size = String(33_554_431 - process.pid)
      const loud = yield* start(`exec head -c ${size} /dev/zero`)
      const written = () =>
        Math.max(
          ...running(size).map((pid) =>
            Number(/^wchar: (\d+)$/m.exec(readFileSync(`/proc/${pid}/io`, "latin1"))?.[1] ?? 0)
          )
        )
      yield* Effect.repeatN(turn, 2000)
      expect(written()).toBeLessThan(4 * MEBIBYTE)
      expect(yield* loud.isRunning).toBe(true)
      // Who waits for the end and reads nothing gets the end, and hears that output was dropped.
      expect(yield* loud.exit).toEqual({ exitCode: 0, signal: null, truncated: true, ...noted })
      expect(
        (yield* Stream.runCollect(loud.stdout)).pipe(Chunk.reduce(0, (n, { length }) => n + length))
      ).toBeLessThan(2 * MEBIBYTE)
    })
  )

  it.scoped("that fills one output is read on the other to its end", () =>
    Effect.gen(function* () {
      const { start } = yield* service({ maxOutputBytes: 8 * MEBIBYTE })
      const loud = yield* start("head -c 4000000 /dev/zero >&2; echo done")
      expect(yield* text(loud.stdout)).toBe("done\n")
      expect(yield* loud.exit).toEqual({ exitCode: 0, signal: null, truncated: true, ...noted })
    })
  )

  it.scoped("loses nothing to a slow reader", () =>
    Effect.gen(function* () {
      const { start } = yield* service({ maxOutputBytes: 8 * MEBIBYTE })
      const loud = yield* start("head -c 4000000 /dev/zero")
      const size = yield* Stream.runFoldEffect(loud.stdout, 0, (sum, bytes) =>
        Effect.as(turn, sum + bytes.length)
      )
      expect(size).toBe(4_000_000)
      expect(yield* loud.exit).toEqual({ exitCode: 0, signal: null, ...noted })
    })
  )
})

describe("the end of a started command", () => {
  it.scoped("comes once, however often it is killed, and then nobody is signalled", () =>
    Effect.gen(function* () {
      const { start } = yield* service()
      const stubborn = yield* start("trap '' TERM INT HUP; echo ready; while :; do sleep 10000; done")
      expect(yield* lineOf(stubborn.stdout)).toBe("ready")
      yield* stubborn.signal("SIGHUP")
      yield* Effect.all([stubborn.kill, stubborn.kill, stubborn.kill], { concurrency: "unbounded" })
      expect(yield* stubborn.exit).toEqual({ exitCode: 137, signal: "SIGKILL", ...noted })
      const sent: Array<unknown> = []
      const kill = process.kill
      process.kill = (...args) => {
        sent.push(args)
        return true
      }
      yield* Effect.ensuring(
        Effect.gen(function* () {
          yield* stubborn.kill
          yield* stubborn.signal("SIGTERM")
          yield* Effect.repeatN(turn, 20)
        }),
        Effect.sync(() => {
          process.kill = kill
        })
      )
      expect(sent).toEqual([])
    })
  )

  it.scoped("does not wait for output that nobody reads", () =>
    Effect.gen(function* () {
      const { start } = yield* service({ maxOutputBytes: 64 * MEBIBYTE })
      const loud = yield* start("yes")
      expect(yield* lineOf(loud.stdout)).toBe("y")
      yield* loud.kill
      expect(yield* loud.exit).toMatchObject({ exitCode: 143, signal: "SIGTERM" })
    })
  )

  it.scoped("reaches who left its group", () =>
    Effect.gen(function* () {
      const { start } = yield* service()
      const { asleep, command, sleepers } = sleep()
      const tree = yield* start(
        `(setsid sh -c 'trap "" TERM HUP; ${command} & echo begun; while :; do ${command}; done' &); sleep 10000`
      )
      yield* lineOf(tree.stdout)
      yield* asleep(2)
      yield* tree.kill
      expect(sleepers()).toEqual([])
    })
  )

  it.scoped("comes with its scope, and who waits is told in words", () =>
    Effect.gen(function* () {
      const { start } = yield* service()
      const scope = yield* Scope.make()
      const child = yield* Scope.extend(start("trap '' TERM; while :; do sleep 10000; done"), scope)
      const waiting = yield* Effect.fork(Effect.flip(child.exit))
      yield* Effect.repeatN(turn, 3)
      yield* Scope.close(scope, Exit.void)
      expect(isAlive(String(child.pid))).toBe(false)
      const words =
        "ENDED: the command was ended with the scope that it was started in; read what it writes and wait for it inside"
      expect((yield* Fiber.join(waiting)).message).toBe(words)
      expect((yield* Effect.flip(Stream.runDrain(child.stdout))).message).toBe(words)
      yield* child.kill
    })
  )

  it.scoped("comes when its start is interrupted, and its slot is free", () =>
    Effect.gen(function* () {
      const { process, shell, start } = yield* service({ children: 1 })
      const first = yield* start("sleep 10000")
      const scope = yield* Scope.make()
      const second = yield* Effect.fork(
        Scope.extend(Effect.provideService(process.start("true" as string), Process, process), scope)
      )
      yield* Effect.repeatN(turn, 20)
      yield* Fiber.interrupt(second)
      yield* first.kill
      expect((yield* shell("echo next")).stdout).toBe("next\n")
    })
  )

  it.scopedLive("is never late for its deadline", () =>
    Effect.gen(function* () {
      const { start } = yield* service()
      const late = yield* start("exec sleep 10000", { timeoutMillis: 30 })
      expect((yield* Effect.flip(late.exit)).code).toBe("TIMED_OUT")
      yield* gone(late.pid ?? 0)
    })
  )
})

describe("a stream as input", () => {
  it.scoped("that fails ends the command, and its failure is what comes of it", () =>
    Effect.gen(function* () {
      const { process, start } = yield* service()
      const begun = yield* Deferred.make<void>()
      const stdin = Stream.concat(
        Stream.succeed(Buffer.from("x\n")),
        Stream.fromEffect(Effect.zipRight(Deferred.await(begun), new Broken()))
      )
      const { asleep, command, sleepers } = sleep()
      const child = yield* start(`trap '' TERM; ${command} & echo begun; while :; do ${command}; done`, {
        stdin
      })
      yield* lineOf(child.stdout)
      yield* asleep(2)
      yield* Deferred.succeed(begun, undefined)
      expect(yield* Effect.flip(child.exit)).toBeInstanceOf(Broken)
      expect(sleepers()).toEqual([])
      const spawned = Effect.provideService(
        process.spawn("sleep" as string, ["10000"], { stdin: Stream.fail(new Broken()) }),
        Process,
        process
      )
      expect(yield* Effect.flip(spawned)).toBeInstanceOf(Broken)
      const streamed = process.stream("sleep" as string, ["10000"], { stdin: Stream.fail(new Broken()) })
      expect(
        yield* Effect.flip(Effect.provideService(Stream.runDrain(streamed), Process, process))
      ).toBeInstanceOf(Broken)
    })
  )

  it.scoped("that has a defect is a defect, and the command is gone", () =>
    Effect.gen(function* () {
      const { start } = yield* service()
      const begun = yield* Deferred.make<void>()
      const stdin = Stream.fromEffect(Effect.zipRight(Deferred.await(begun), Effect.die("oh")))
      const child = yield* start("sleep 10000", { stdin })
      yield* Deferred.succeed(begun, undefined)
      const exit = yield* Effect.exit(child.exit)
      expect(Exit.isFailure(exit) && Cause.isDie(exit.cause)).toBe(true)
      expect(isAlive(String(child.pid))).toBe(false)
    })
  )

  it.scoped("has the services of who gives it", () =>
    Effect.gen(function* () {
      const { process } = yield* service()
      const stdin = Stream.unwrap(
        Effect.map(Words, (words) => Stream.fromIterable(words.map((word) => Buffer.from(word))))
      )
      const { stdout } = yield* process
        .spawn("cat" as string, [], { stdin })
        .pipe(Effect.provideService(Words, ["a", "b"]), Effect.provideService(Process, process))
      expect(stdout).toBe("ab")
    })
  )

  it.scoped("without end is left by a command that ends, and read by nobody afterwards", () =>
    Effect.gen(function* () {
      const { process } = yield* service()
      const taken = yield* Ref.make(0)
      const stdin = Stream.repeatEffect(
        Effect.as(
          Ref.update(taken, (n) => n + 1),
          Buffer.alloc(65_536)
        )
      )
      const head = Effect.provideService(
        process.spawn("head" as string, ["-c", "100000"], { stdin }),
        Process,
        process
      )
      expect((yield* head).stdout.length).toBe(100_000)
      const after = yield* Ref.get(taken)
      yield* Effect.repeatN(turn, 20)
      expect(yield* Ref.get(taken)).toBe(after)
      expect(after).toBeLessThan(64)
    })
  )
})
