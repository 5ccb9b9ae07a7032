/** The cases about what is run, and what came of it. */
import { Chunk, Effect, Exit, Fiber, Stream } from "effect"
import type { Process } from "../../capabilities/process/Process.js"
import * as Request from "../../policy/lattice/Request.js"
import { must, mustRefuse, text, utf8 } from "./contract.js"
import { mustTakeOwnProofsOnly, permitsFor } from "./permits.js"
import { type Definition, define } from "./processCase.js"

const done = (stdout: string): Process.Result => ({
  exitCode: 0,
  signal: null,
  stdout,
  stderr: "",
  truncated: false
})

/** A result in the order in which it is compared. */
const ordered = ({ exitCode, signal, stderr, stdout, truncated }: Process.Result): Process.Result => ({
  exitCode,
  signal,
  stdout,
  stderr,
  truncated
})

const running: ReadonlyArray<Definition> = [
  define(
    "commands",
    "a proof for another backend, or what only looks like one, is not taken",
    ({ backend, proof, shellProof }) =>
      Effect.gen(function* () {
        const [pinned, sh] = [yield* backend.pin("echo"), yield* backend.pinShell]
        yield* mustTakeOwnProofsOnly("spawn", yield* proof(["echo", "hello"]), (given) =>
          backend.spawn(given, pinned, {})
        )
        yield* mustTakeOwnProofsOnly("start", yield* proof(["echo", "hello"]), (given) =>
          Stream.runDrain(backend.start(given, pinned, {}))
        )
        yield* mustTakeOwnProofsOnly("shell", yield* shellProof, (given) =>
          backend.shell(given, sh, "echo hello", {})
        )
      })
  ),
  define("commands", "a command runs to its end, and its result is what it wrote", ({ spawn }) =>
    Effect.gen(function* () {
      yield* must("echo", ordered(yield* spawn(["echo", "hello", "world"])), done("hello world\n"))
      yield* must("true", ordered(yield* spawn(["true"])), done(""))
    })
  ),
  define("commands", "an exit code other than 0 is a result, and not a failure", ({ spawn }) =>
    Effect.gen(function* () {
      const { exitCode, signal } = yield* spawn(["false"])
      yield* must("false", [exitCode > 0, signal], [true, null])
    })
  ),
  define("commands", "words are passed on as they are, and are not a shell's", ({ spawn }) =>
    Effect.gen(function* () {
      const words = ["$(id); ls", "`id`", "a b", "*", "", "-x", "'q\"", "$HOME", "\u00e9\u{1f600}", "l\nm"]
      const { stdout } = yield* spawn(["printf", "<%s>", ...words])
      yield* must("words", stdout, words.map((word) => `<${word}>`).join(""))
    })
  ),
  define("commands", "a command reads what it is given, and need not", ({ spawn }) =>
    Effect.gen(function* () {
      for (const given of ["", "line\nline", "\0\u00e9\u{1f600}\r\n", "x".repeat(300_000)]) {
        yield* must("cat", (yield* spawn(["cat"], { stdin: utf8(given) })).stdout, given)
      }
      yield* must("without any", (yield* spawn(["cat"])).stdout, "")
      yield* must("unread", (yield* spawn(["true"], { stdin: new Uint8Array(3_000_000) })).exitCode, 0)
    })
  ),
  define("commands", "the words and the directory are those of the proof, whatever else is given", (bench) =>
    Effect.gen(function* () {
      const [proof, pinned] = [yield* bench.proof(["echo", "asked"]), yield* bench.backend.pin("echo")]
      // An object from elsewhere may hold more than its type says.
      const more = {
        env: {},
        binary: "printf",
        args: ["other"],
        argv: ["printf"],
        script: "exit 9",
        cwd: "/"
      }
      yield* must("spawn", (yield* bench.backend.spawn(proof, pinned, more)).stdout, "asked\n")
      const pwd = yield* bench.backend.pin("pwd")
      const where = yield* bench.backend.spawn(yield* bench.proof(["pwd"]), pwd, more)
      yield* must("directory", where.stdout, `${bench.rig.directory}\n`)
      const [eva, sh] = [yield* bench.shellProof, yield* bench.backend.pinShell]
      const script = yield* bench.backend.shell(eva, sh, "pwd", more)
      yield* must("directory of a script", script.stdout, `${bench.rig.directory}\n`)
    })
  ),
  define("commands", "variables that are set are there", ({ spawn }) =>
    Effect.gen(function* () {
      const env = { GREETING: "hi there = \u00e9", EMPTY: "" }
      const lines = (yield* spawn(["env"], { env })).stdout.split("\n")
      yield* must("GREETING", lines.includes("GREETING=hi there = \u00e9"), true)
      yield* must("EMPTY", lines.includes("EMPTY="), true)
    })
  ),
  define("commands", "a script runs in a shell, with its variables, and exits as it says", ({ shell }) =>
    Effect.gen(function* () {
      const result = yield* shell('echo "$GREETING"; echo oh >&2; exit 3', { env: { GREETING: "hi" } })
      yield* must("script", ordered(result), { ...done("hi\n"), exitCode: 3, stderr: "oh\n" })
    })
  ),
  define("commands", "a stream has the output, and at the end the exit", ({ stream }) =>
    Effect.gen(function* () {
      const cat = stream(["cat"], { stdin: utf8("one\ntwo\n") })
      for (const run of [cat, cat]) {
        const events = Chunk.toReadonlyArray(yield* Stream.runCollect(run))
        const written = events.map((event) => (event._tag === "Stdout" ? text(event.bytes) : "")).join("")
        yield* must("stdout", written, "one\ntwo\n")
        const exits = events.flatMap((event) =>
          event._tag === "Exit" ? [[event.exitCode, event.signal]] : []
        )
        yield* must("exits", [exits, events.at(-1)?._tag], [[[0, null]], "Exit"])
      }
    })
  ),
  define("commands", "commands at the same time do not mix", ({ spawn }) =>
    Effect.forEach(
      Array.from({ length: 12 }, (_, index) => `${index} `.repeat(10_000)),
      (given) =>
        Effect.flatMap(spawn(["cat"], { stdin: utf8(given) }), ({ stdout }) =>
          must(`what ${given.slice(0, 3)} wrote`, stdout === given, true)
        ),
      { concurrency: "unbounded", discard: true }
    )
  ),
  define("commands", "a command that is interrupted ends, and the next one runs", ({ spawn, stream }) =>
    Effect.gen(function* () {
      for (const forever of [
        Effect.asVoid(spawn(["sleep", "10000"])),
        Stream.runDrain(stream(["sleep", "10000"]))
      ]) {
        const fiber = yield* Effect.fork(forever)
        yield* spawn(["true"])
        yield* must("how it ended", Exit.isInterrupted(yield* Fiber.interrupt(fiber)), true)
      }
      yield* must("the next", (yield* spawn(["echo", "next"])).stdout, "next\n")
    })
  )
]

const proofs: ReadonlyArray<Definition> = [
  define(
    "commands",
    "a proof of a script starts no command, a command's no script, and another's neither",
    (bench) =>
      Effect.gen(function* () {
        const { backend } = bench
        const [echo, sh] = [yield* backend.pin("echo"), yield* backend.pinShell]
        const [exec, script] = [yield* bench.proof(["echo", "x"]), yield* bench.shellProof]
        const session = { storage: { use: ["session"] } }
        const other = yield* permitsFor(backend).ask(session, Request.storage("session"))
        const code = "BINARY_NOT_ALLOWED"
        for (const proof of [script, other]) {
          yield* mustRefuse("spawn", backend.spawn(proof, echo, {}), code)
          yield* mustRefuse("stream", Stream.runDrain(backend.stream(proof, echo, {})), code)
          yield* mustRefuse("start", Stream.runDrain(backend.start(proof, echo, {})), code)
        }
        for (const proof of [exec, other]) {
          yield* mustRefuse("shell", backend.shell(proof, sh, "echo x", {}), code)
        }
      })
  ),
  define("binaries", "a binary is that of the proof, and one that was looked up", (bench) =>
    Effect.gen(function* () {
      const { backend } = bench
      const [echo, cat] = [yield* backend.pin("echo"), yield* backend.pin("cat")]
      const proof = yield* bench.proof(["echo", "x"])
      for (const [name, pinned] of [
        ["another", cat],
        ["another under its name", { ...cat, name: "echo" }],
        ["a copy", { ...echo }]
      ] as const) {
        yield* mustRefuse(`spawn of ${name}`, backend.spawn(proof, pinned, {}), "BINARY_NOT_ALLOWED")
        const flow = Stream.runDrain(backend.stream(proof, pinned, {}))
        yield* mustRefuse(`stream of ${name}`, flow, "BINARY_NOT_ALLOWED")
        const start = Stream.runDrain(backend.start(proof, pinned, {}))
        yield* mustRefuse(`start of ${name}`, start, "BINARY_NOT_ALLOWED")
      }
    })
  )
]

export const commands: ReadonlyArray<Definition> = [...running, ...proofs]
