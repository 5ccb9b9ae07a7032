/** A command is what was permitted, word for word, and its result is what it did. */
import { describe, expect, it } from "@effect/vitest"
import { Chunk, Effect, Schema, Stream } from "effect"
import type { Process } from "../../../src/capabilities/process/Process.js"
import { ProcessResult } from "../../../src/capabilities/process/ProcessOperations.js"
import { authority, canHold, messageOf, noted, sh, unheld, world } from "./harness.js"

const none: Omit<Process.Result, "exitCode"> = {
  signal: null,
  stdout: "",
  stderr: "",
  truncated: false,
  ...noted
}

describe("a command", () => {
  it.scoped("K1: runs, and answers with what it wrote", () =>
    Effect.gen(function* () {
      const { operations } = yield* world({}, (root) =>
        authority({ process: { exec: [{ argv: "echo:*", in: `${root}/` }] } })
      )
      const result = yield* operations.spawn({ binary: "echo", args: ["hello"] })
      expect(result).toEqual({ ...none, exitCode: 0, stdout: "hello\n" })
    })
  )

  it.scoped("K2/K18: that is not declared is refused before it is looked up", () =>
    Effect.gen(function* () {
      const { operations } = yield* world({}, (root) =>
        authority({ process: { exec: [{ argv: "echo:*", in: `${root}/` }] } })
      )
      expect(yield* messageOf(operations.spawn({ binary: "rm", args: ["x"] }))).toBe(
        "BINARY_NOT_ALLOWED: rm is not in the declared allowedBinaries"
      )
      expect(yield* messageOf(operations.shell({ script: "echo x" }))).toMatch(/^SHELL_NOT_ALLOWED: /)
    })
  )

  it.scoped("K3/K4: any binary under *, with its exit code and its errors", () =>
    Effect.gen(function* () {
      const { operations } = yield* world()
      const result = yield* operations.spawn(sh("echo out; echo err >&2; exit 42"))
      expect(result).toEqual({ ...none, exitCode: 42, stdout: "out\n", stderr: "err\n" })
    })
  )

  it.scoped("K10: its arguments are not a shell's", () =>
    Effect.gen(function* () {
      const { operations } = yield* world()
      const args = ["%s\n", "$(id); ls", "`id`", "a b", "*", "", "-x", "\u00e9\u{1f600}"]
      const { stdout } = yield* operations.spawn({ binary: "printf", args })
      expect(stdout.split("\n").slice(0, -1)).toEqual(args.slice(1))
    })
  )

  it.scoped("runs under the name that it was called by", () =>
    Effect.gen(function* () {
      const { operations } = yield* world()
      expect((yield* operations.spawn(sh("echo $0"))).stdout).toBe("sh\n")
    })
  )

  it.scoped("K14: that dies of a signal says which, and exits as a shell has it", () =>
    Effect.gen(function* () {
      const { as, operations } = yield* world()
      const { notes: _, ...unnoted } = none
      for (const [signal, exitCode] of [
        ["KILL", 137],
        ["TERM", 143],
        ["SEGV", 139]
      ] as const) {
        const killed = sh(`kill -${signal} $$`)
        const named = { ...unnoted, exitCode, signal: `SIG${signal}` }
        expect(yield* as({ sandbox: unheld }).spawn(killed)).toEqual(named)
        // Whatever holds a child tells of its end by a number alone.
        expect(yield* operations.spawn(killed)).toEqual(canHold ? { ...none, exitCode } : named)
      }
    })
  )

  it.scoped("reads what it is given, and need not", () =>
    Effect.gen(function* () {
      const { operations } = yield* world()
      const stdin = new Uint8Array(3_000_000).fill(97)
      expect((yield* operations.spawn({ binary: "wc", args: ["-c"], stdin })).stdout.trim()).toBe("3000000")
      expect(yield* operations.spawn({ binary: "true", args: [], stdin })).toEqual({ ...none, exitCode: 0 })
      expect((yield* operations.spawn({ binary: "cat", args: [] })).stdout).toBe("")
    })
  )

  it.scoped("K16: that writes without end is cut, not blocked and not ended", () =>
    Effect.gen(function* () {
      const { operations } = yield* world({ maxOutputBytes: 1000 })
      const result = yield* operations.spawn(sh("head -c 5000000 /dev/zero; echo done >&2; exit 3"))
      expect(result.stdout.length).toBe(1000)
      expect(result).toMatchObject({ exitCode: 3, signal: null, stderr: "done\n", truncated: true })
    })
  )

  it.scoped("K16: exactly at the limit nothing is cut", () =>
    Effect.gen(function* () {
      const { operations } = yield* world({ maxOutputBytes: 1000 })
      const result = yield* operations.spawn(sh("head -c 1000 /dev/zero"))
      expect(result).toMatchObject({ stdout: "\0".repeat(1000), truncated: false })
    })
  )

  it.scoped("writes characters that no chunk and no limit breaks", () =>
    Effect.gen(function* () {
      const { operations } = yield* world({ maxOutputBytes: 10 })
      // Four bytes each, so that the limit falls into the third.
      const cut = yield* operations.spawn({ binary: "printf", args: ["%s", "\u{1f600}".repeat(4)] })
      expect(cut).toMatchObject({ stdout: "\u{1f600}\u{1f600}", truncated: true })
      const whole = yield* world()
      const text = "\u20ac".repeat(300_000)
      const { stdout } = yield* whole.operations.spawn({ binary: "cat", args: [], stdin: Buffer.from(text) })
      expect(stdout === text).toBe(true)
    })
  )

  it.scoped("that is not UTF-8 comes with its bytes, and only that", () =>
    Effect.gen(function* () {
      const { operations } = yield* world()
      const written = yield* operations.shell({ script: "printf 'caf\\351'; printf '\\303\\251' >&2" })
      expect(written).toMatchObject({ stdout: "caf\uFFFD", stderr: "\u00e9" })
      expect(written.stdoutBytes).toEqual(Uint8Array.of(0x63, 0x61, 0x66, 0xe9))
      expect(written).not.toHaveProperty("stderrBytes")
      const bytes = Uint8Array.from({ length: 256 }, (_, index) => index)
      const all = yield* operations.spawn({ binary: "cat", args: [], stdin: bytes })
      expect(all.stdoutBytes).toEqual(bytes)
      const own = yield* operations.spawn({ binary: "printf", args: ["%s", "\uFFFD"] })
      expect(own).not.toHaveProperty("stdoutBytes")
      const plain = Schema.encodeSync(ProcessResult)(all)
      expect(Schema.decodeSync(ProcessResult)(JSON.parse(JSON.stringify(plain)))).toEqual(all)
    })
  )

  it.scoped("that is not UTF-8 has every byte up to the limit", () =>
    Effect.gen(function* () {
      const { operations } = yield* world({ maxOutputBytes: 3 })
      const cut = yield* operations.shell({ script: "printf '\\351ab\\303\\251'" })
      expect(cut).toMatchObject({ stdout: "\uFFFDab", truncated: true })
      expect(cut.stdoutBytes).toEqual(Uint8Array.of(0xe9, 0x61, 0x62))
      const half = yield* operations.shell({ script: "printf 'ab\\303\\251'" })
      expect(half).toEqual({ ...none, exitCode: 0, stdout: "ab", truncated: true })
    })
  )

  it.scoped("of a shell is a pipeline, under the proof of a shell", () =>
    Effect.gen(function* () {
      const { operations } = yield* world()
      const result = yield* operations.shell({
        script: 'printf "b\\na\\n" | sort | tr "\\n" "$SEP"',
        env: { SEP: "," }
      })
      expect(result).toEqual({ ...none, exitCode: 0, stdout: "a,b," })
    })
  )

  it.scoped("that the system does not start fails in words, without its arguments", () =>
    Effect.gen(function* () {
      const { operations } = yield* world()
      const secret = "s3cret".repeat(1_000_000)
      const tooLong = yield* messageOf(operations.spawn({ binary: "true", args: [secret] }))
      expect(tooLong).toBe(
        "SPAWN_FAILED: 'true' could not be started: its arguments and variables are too long; pass them through stdin or a file"
      )
      const events = yield* Effect.flip(
        Stream.runCollect(operations.stream({ binary: "true", args: [secret] }))
      )
      expect(events.message).toBe(tooLong)
    })
  )

  it.scoped("gives its output as it comes, and its exit last", () =>
    Effect.gen(function* () {
      const { operations } = yield* world()
      const events = Chunk.toReadonlyArray(
        yield* Stream.runCollect(operations.stream(sh("echo a; echo b >&2; exit 5")))
      )
      expect(events.at(-1)).toEqual({ _tag: "Exit", exitCode: 5, signal: null, ...noted })
      expect(events.slice(0, -1)).toEqual(
        expect.arrayContaining([
          { _tag: "Stdout", bytes: new Uint8Array([97, 10]) },
          { _tag: "Stderr", bytes: new Uint8Array([98, 10]) }
        ])
      )
    })
  )
})
