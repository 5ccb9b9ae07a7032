/**
 * A refusal is one thing, whoever makes it: an error with its denial, an event in the transcript, and a line in the log.
 * Removing a tree and streaming are where that was once forgotten.
 */
import { describe, expect, it } from "@effect/vitest"
import {
  Files,
  Network,
  NetworkBackend,
  NetworkError,
  Process,
  ProcessBackend,
  ProcessError,
  Registry,
  Tool
} from "bailiwick"
import { Context, Effect, HashMap, Logger, LogLevel, Schema, Stream } from "effect"
import { callOf, policyOf, turnOf, world } from "./support.js"

const nothing = Schema.Struct({})

/** The annotations of what was logged. */
const logging = <A, E, R>(effect: Effect.Effect<A, E, R>) => {
  const lines: Array<Record<string, unknown>> = []
  const logger = Logger.make(({ annotations, message }) => {
    lines.push({ message: String(message), ...Object.fromEntries(HashMap.toEntries(annotations)) })
  })
  return Effect.map(
    effect.pipe(
      Effect.provide(Logger.replace(Logger.defaultLogger, logger)),
      Logger.withMinimumLogLevel(LogLevel.Info)
    ),
    (value) => ({ value, lines })
  )
}

const redirected = new NetworkError({
  code: "REDIRECT_REFUSED",
  detail: "the redirect leads elsewhere",
  denial: {
    reason: "scope_violation",
    code: "REDIRECT_REFUSED",
    detail: "the redirect leads elsewhere",
    capability: "network.get",
    asked: "GET https://elsewhere.example/",
    held: [],
    remedy: "request it"
  }
})

describe("what is refused on the way", () => {
  it.effect("to remove a tree of which a part is not held: denial, event and log", () =>
    Effect.gen(function* () {
      const remove = Tool.make({
        name: "remove",
        description: "d",
        parameters: nothing,
        capabilities: { fs_reach: { write: "from-personality" } },
        execute: () => Files.remove("/work/a" as string, { recursive: true })
      })
      const turn = turnOf(policyOf({ files: { delete: ["/work/a", "/work/a/b/"] } }))
      const { lines, value } = yield* logging(
        Registry.make(remove)
          .execute(turn, [callOf(remove)])
          .pipe(Effect.provide(world({ files: { "/work/a/b/c": "x", "/work/a/d": "x" } })))
      )
      const [{ result }] = value
      expect(result).toMatchObject({
        ok: false,
        code: "execution_failed",
        error: "PATH_NOT_REACHABLE: delete not permitted for all that is below /work/a",
        denial: {
          reason: "scope_violation",
          tool: "remove",
          capability: "files.delete",
          asked: "delete /work/a with all that is below it",
          remedy: "fs.delete{in=/work/a}",
          remedies: { grant: "fs.delete{in=/work/a}" }
        }
      })
      expect(turn.transcript.events.at(-1)).toMatchObject({
        allowed: false,
        code: "PATH_NOT_REACHABLE",
        callId: "c1"
      })
      expect(lines).toMatchObject([{ message: "refused", tool: "remove", code: "PATH_NOT_REACHABLE" }])
    })
  )

  it.effect("by a backend in the middle of a stream from the network: it is logged", () =>
    Effect.gen(function* () {
      const stream = Tool.make({
        name: "stream",
        description: "d",
        parameters: nothing,
        capabilities: { network: { allowedHosts: ["a.example"] } },
        execute: () => Stream.runCount(Network.stream("https://a.example/"))
      })
      const backend = { request: () => Effect.fail(redirected), open: () => Stream.fail(redirected) }
      const { lines, value } = yield* logging(
        Registry.make(stream)
          .execute(turnOf(policyOf({ network: { get: ["a.example"] } })), [callOf(stream)])
          .pipe(Effect.provide(Context.add(world(), NetworkBackend, backend)))
      )
      expect(value[0].result).toMatchObject({ ok: false, denial: { code: "REDIRECT_REFUSED" } })
      expect(lines).toMatchObject([{ message: "refused", tool: "stream", code: "REDIRECT_REFUSED" }])
    })
  )

  it.effect("by a backend that streams what a child writes: it is logged", () =>
    Effect.gen(function* () {
      const refused = new ProcessError({
        code: "ENV_REFUSED",
        detail: "LD_PRELOAD is refused",
        denial: {
          reason: "scope_violation",
          code: "ENV_REFUSED",
          detail: "LD_PRELOAD is refused",
          capability: "process.exec",
          asked: "exec git",
          held: [],
          remedy: "leave it out"
        }
      })
      const watch = Tool.make({
        name: "watch",
        description: "d",
        parameters: nothing,
        capabilities: { process: { allowedBinaries: ["git"] } },
        execute: () => Stream.runCount(Process.stream("git", []))
      })
      const given = ProcessBackend.fromOperations(Process.memory(() => ""))
      const { lines } = yield* logging(
        Registry.make(watch)
          .execute(turnOf(), [callOf(watch)])
          .pipe(
            Effect.provide(
              Context.add(world(), ProcessBackend, { ...given, stream: () => Stream.fail(refused) })
            )
          )
      )
      expect(lines).toMatchObject([{ message: "refused", tool: "watch", code: "ENV_REFUSED" }])
    })
  )
})
