/** A real `Command` of the platform runs as a command of its tool. Threat: it runs what the tool could not. */
import { Command } from "@effect/platform"
import { describe, expect, it } from "@effect/vitest"
import { Authority, Policy, Process, ProcessError, Registry, Tool, Turn } from "bailiwick"
import { NodeProcess } from "bailiwick/node"
import { absorbed, layerCommandExecutor } from "bailiwick/platform"
import { Chunk, Effect, Fiber, Layer, Logger, LogLevel, Queue, Schema, Sink, Stream } from "effect"
import { ProcessBackend } from "../../src/capabilities/process/ProcessBackend.js"
import * as Scoped from "../../src/capabilities/process/ScopedProcess.js"
import { holder } from "../../src/policy/gate/Asking.js"
import { held, isAlive } from "../layers/process/harness.js"

const authority = Schema.decodeSync(Authority.FromJson)({ process: { exec: [{ argv: "*", in: "/" }] } })

/** The service of a tool that may run everything, over real children. */
const processes = (options: NodeProcess.Options = {}) =>
  Layer.effect(
    Process,
    Effect.map(ProcessBackend, (backend) =>
      Process.make(Scoped.scoped(holder({ authority, sandbox: held }), { workdir: "/tmp" }, backend))
    )
  ).pipe(Layer.provide(NodeProcess.layer(options)))

const executor = (options?: NodeProcess.Options) => Layer.provide(layerCommandExecutor, processes(options))

const text = <E, R>(bytes: Stream.Stream<Uint8Array, E, R>) => Stream.mkString(Stream.decodeText(bytes))

const utf8 = (given: string) => new TextEncoder().encode(given)

describe("a Command", () => {
  it.effect("is read as a string, as lines and bit by bit, and has its exit code", () =>
    Effect.gen(function* () {
      const printf = Command.make("printf", "%s\\n", "one", "\u00e9\u{1f600}")
      expect(yield* Command.string(printf)).toBe("one\n\u00e9\u{1f600}\n")
      expect(yield* Command.lines(printf)).toEqual(["one", "\u00e9\u{1f600}"])
      expect(Chunk.toReadonlyArray(yield* Stream.runCollect(Command.streamLines(printf)))).toEqual([
        "one",
        "\u00e9\u{1f600}"
      ])
      expect(yield* text(Command.stream(printf))).toBe("one\n\u00e9\u{1f600}\n")
      expect(yield* Command.exitCode(Command.make("sh", "-c", "head -c 400000 /dev/zero; exit 5"))).toBe(5)
      // Nobody can write to it, so that it does not wait for that.
      expect(yield* Command.string(Command.make("cat"))).toBe("")
    }).pipe(Effect.provide(executor()))
  )

  it.effect("has what is to be known of how it ran in the log", () =>
    Effect.gen(function* () {
      const heard: Array<unknown> = []
      const log = Logger.replace(
        Logger.defaultLogger,
        Logger.make(({ message }) => void heard.push(message))
      )
      const noted = Process.mock(() => ({ stdout: "x", notes: ["nothing held it", "it met a limit"] }))
      const command = Command.make("ls")
      yield* Effect.all([Command.exitCode(command), Command.string(command)]).pipe(
        Effect.provide(Layer.provide(layerCommandExecutor, noted)),
        Effect.provide(log)
      )
      expect(heard.flat()).toEqual(["nothing held it; it met a limit", "nothing held it; it met a limit"])
    })
  )

  it.effect("keeps characters whole that come in two parts", () =>
    Effect.gen(function* () {
      const split = Command.make("sh", "-c", "printf '\\303'; read -r _; printf '\\251\\n'").pipe(
        Command.feed("\n")
      )
      expect(yield* Command.lines(split)).toEqual(["\u00e9"])
    }).pipe(Effect.provide(executor()))
  )

  it.effect("has input, variables and a directory", () =>
    Effect.gen(function* () {
      const cat = Command.make("cat")
      expect(yield* Command.string(Command.feed(cat, "fed"))).toBe("fed")
      const parts = Stream.make(utf8("a"), utf8("b"))
      expect(yield* Command.string(Command.stdin(cat, parts))).toBe("ab")
      const where = Command.make("sh", "-c", 'echo "$PWD $GREETING"').pipe(
        Command.workingDirectory("/"),
        Command.env({ GREETING: "hi" })
      )
      expect(yield* Command.string(where)).toBe("/ hi\n")
      const upper = Command.stdout(
        Command.make("printf", "x"),
        Sink.ignoreLeftover(Sink.map(Sink.take<Uint8Array>(1), () => utf8("sunk")))
      )
      expect(yield* Command.string(upper)).toContain("sunk")
    }).pipe(Effect.provide(executor()))
  )

  it.scoped("is started, written to, killed and asked", () =>
    Effect.gen(function* () {
      const cat = yield* Command.start(Command.make("cat"))
      expect(cat.pid).toBeGreaterThan(1)
      expect(yield* cat.isRunning).toBe(true)
      const heard = yield* Effect.fork(text(cat.stdout))
      yield* Stream.run(Stream.make(utf8("written")), cat.stdin)
      expect(yield* Fiber.join(heard)).toBe("written")
      expect(yield* cat.exitCode).toBe(0)
      expect(yield* cat.isRunning).toBe(false)
      yield* cat.kill()
      for (const signal of ["SIGTERM", "SIGINT", "SIGKILL"] as const) {
        const sleep = yield* Command.start(Command.make("sleep", "10000"))
        yield* sleep.kill(signal)
        expect(isAlive(String(sleep.pid))).toBe(false)
        const error = yield* Effect.flip(absorbed(sleep.exitCode))
        expect(error).toBeInstanceOf(ProcessError)
        expect(error.message).toContain("ENDED: the command was ended by SIG")
      }
    }).pipe(Effect.provide(executor()))
  )

  it.scoped("that reads no more takes no more, and ends with its scope", () =>
    Effect.gen(function* () {
      const head = yield* Command.start(Command.make("head", "-c", "3"))
      yield* Stream.run(Stream.repeatValue(new Uint8Array(65_536).fill(97)), head.stdin)
      expect(yield* text(head.stdout)).toBe("aaa")
      expect(yield* head.exitCode).toBe(0)
      const pids = yield* Queue.unbounded<number>()
      yield* Effect.scoped(
        Effect.flatMap(Command.start(Command.make("sleep", "10000")), ({ pid }) => Queue.offer(pids, pid))
      )
      expect(isAlive(String(yield* Queue.take(pids)))).toBe(false)
    }).pipe(Effect.provide(executor()))
  )

  it.effect("that writes more than is kept is a failure, and never a part", () =>
    Effect.gen(function* () {
      const error = yield* Effect.flip(Command.string(Command.make("head", "-c", "5000", "/dev/zero")))
      expect(error.message).toContain("LIMIT_EXCEEDED: the command wrote more than is kept of it")
    }).pipe(Effect.provide(executor({ maxOutputBytes: 1000 })))
  )

  it.effect("in a shell, in a pipe, on the terminal, or as somebody else is refused in words", () =>
    Effect.gen(function* () {
      const echo = Command.make("echo", "x")
      const said = yield* Effect.forEach(
        [
          Command.runInShell(echo, true),
          Command.runInShell(echo, "/bin/bash"),
          Command.pipeTo(echo, Command.make("cat")),
          Command.stdout(echo, "inherit"),
          Command.stderr(echo, "inherit"),
          Command.stdin(echo, "inherit")
        ],
        (command) =>
          Effect.forEach(
            [
              Effect.asVoid(Command.string(command)),
              Effect.asVoid(Command.exitCode(command)),
              Effect.asVoid(Effect.scoped(Command.start(command)))
            ],
            (run) => Effect.flip(absorbed(run))
          )
      )
      for (const errors of said) {
        expect(new Set(errors.map(({ message }) => message)).size).toBe(1)
        expect(errors[0]).toBeInstanceOf(ProcessError)
      }
      const codes = said.map(([error]) => error?.code)
      expect(codes.slice(0, 3)).toEqual(Array(3).fill("SHELL_NOT_ALLOWED"))
      expect(said[0]?.[0]?.message).toContain("Process.shell")
      expect(said[2]?.[0]?.message).toContain("Process.shell")
      const unsent = Effect.scoped(
        Effect.flatMap(Command.start(Command.make("sleep", "10000")), ({ kill }) => kill("SIGSTOP"))
      )
      expect((yield* Effect.flip(absorbed(unsent))).message).toContain("SIGSTOP is not sent to commands")
    }).pipe(Effect.provide(executor()))
  )
})

describe("a tool that uses a Command", () => {
  const tool = Tool.make({
    name: "shout",
    description: "d",
    parameters: Schema.Struct({ binary: Schema.String }),
    success: Schema.String,
    capabilities: { process: { allowedBinaries: ["tr"] } },
    execute: ({ binary }) =>
      Command.make(binary, "a-z", "A-Z").pipe(
        Command.feed("hello"),
        Command.string,
        Effect.provide(layerCommandExecutor),
        absorbed
      )
  })

  it.effect("is held to its declaration, and its refusal keeps its denial", () =>
    Effect.gen(function* () {
      const turn = Turn.make({
        session: "s",
        policy: Policy.make({ authority, sandbox: held }),
        workdir: "/"
      })
      const results = yield* Registry.make(tool).execute(
        turn,
        ["tr", "cat", "no-such"].map((binary) => ({ id: binary, name: "shout", args: { binary } }))
      )
      const [shouted, refused] = results.map(({ result }) => result)
      expect(shouted).toMatchObject({ ok: true, value: "HELLO" })
      expect(refused).toMatchObject({
        ok: false,
        denial: { code: "BINARY_NOT_ALLOWED", asked: "exec cat with 2 arguments in /" }
      })
    }).pipe(Effect.provide(NodeProcess.layer()), Logger.withMinimumLogLevel(LogLevel.None))
  )

  it.effect("is tested with a mock", () =>
    Effect.gen(function* () {
      const mock = Process.mock((binary, args, { stdin }) => `${binary} ${args.length} ${stdin?.length}`)
      expect(yield* Effect.provide(Tool.run(tool, { binary: "tr" }), mock)).toBe("tr 2 5")
    })
  )
})
