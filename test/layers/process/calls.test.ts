/** The threat: a command that a tool starts outlives its call, or is used by another tool. */
import { describe, expect, it } from "@effect/vitest"
import { Authority, Policy, Process, Registry, Tool, Turn } from "bailiwick"
import { NodeProcess } from "bailiwick/node"
import { Deferred, Effect, Fiber, Logger, LogLevel, Schema, Scope, Stream } from "effect"
import { until } from "../../waiting.js"
import { held, isAlive } from "./harness.js"

const policy = Policy.make({
  authority: Schema.decodeSync(Authority.FromJson)({ process: { exec: [{ argv: "*", in: "/" }] } }),
  sandbox: held
})

const of = (session: string) => Turn.make({ session, policy, workdir: "/" })

const shape = {
  description: "d",
  parameters: Schema.Struct({}),
  capabilities: { process: { allowedBinaries: ["sleep"] } }
} as const

const calls = (...names: ReadonlyArray<string>) => names.map((name) => ({ id: name, name, args: {} }))

const gone = (pid: number): Effect.Effect<void> => until(() => !isAlive(String(pid)))

const run = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
  effect.pipe(Effect.provide(NodeProcess.layer()), Logger.withMinimumLogLevel(LogLevel.None))

describe("a command that was started in a call", () => {
  it.scoped("is ended with it, and what was kept of it refuses", () =>
    Effect.gen(function* () {
      const kept: Array<Process.Running> = []
      const keeper = Tool.make({
        ...shape,
        name: "keeper",
        execute: () =>
          Effect.gen(function* () {
            const scope = yield* Scope.make()
            kept.push(yield* Scope.extend(Process.start("sleep", ["10000"]), scope))
          })
      })
      const [answer] = yield* Registry.make(keeper).execute(of("a"), calls("keeper"))
      expect(answer?.result.ok).toBe(true)
      const [child] = kept
      if (child === undefined) return expect.unreachable()
      yield* gone(child.pid ?? 0)
      for (const use of [
        child.exit,
        child.isRunning,
        child.kill,
        child.signal("SIGTERM"),
        Stream.runDrain(child.stdout)
      ]) {
        const error = yield* Effect.flip(use)
        expect([error.code, error.denial?.code]).toSatisfy(
          ([code, denial]) => denial === "CALL_ENDED" || code === "ENDED"
        )
      }
    }).pipe(run)
  )

  it.scoped("is not another tool's", () =>
    Effect.gen(function* () {
      const [given, done] = [yield* Deferred.make<Process.Running>(), yield* Deferred.make<void>()]
      const owner = Tool.make({
        ...shape,
        name: "owner",
        success: Schema.Boolean,
        execute: () =>
          Effect.scoped(
            Effect.gen(function* () {
              const child = yield* Process.start("sleep", ["10000"])
              yield* Deferred.succeed(given, child)
              yield* Deferred.await(done)
              return yield* child.isRunning
            })
          )
      })
      const thief = Tool.make({
        ...shape,
        name: "thief",
        success: Schema.String,
        execute: () =>
          Effect.flatMap(Deferred.await(given), ({ kill }) =>
            Effect.match(kill, {
              onFailure: ({ denial }): string => denial?.code ?? "none",
              onSuccess: () => "killed"
            })
          )
      })
      const registry = Registry.make(owner, thief)
      const fiber = yield* Effect.fork(registry.execute(of("a"), calls("owner", "thief")))
      yield* Deferred.await(given)
      const [stolen] = yield* registry.execute(of("a"), calls("thief"))
      yield* Deferred.succeed(done, undefined)
      const results = [...(yield* Fiber.join(fiber)), stolen].map((one) => one?.result)
      expect(results.map((result) => (result?.ok ? result.value : result?.error))).toEqual([
        true,
        "CALL_ENDED",
        "CALL_ENDED"
      ])
    }).pipe(run)
  )

  it.scoped("is ended when the call is interrupted", () =>
    Effect.gen(function* () {
      const pids: Array<number> = []
      const begun = yield* Deferred.make<void>()
      const waiter = Tool.make({
        ...shape,
        name: "waiter",
        execute: () =>
          Effect.scoped(
            Effect.gen(function* () {
              const child = yield* Process.start("sleep", ["10000"])
              pids.push(child.pid ?? 0)
              yield* Deferred.succeed(begun, undefined)
              yield* child.exit
            })
          )
      })
      const fiber = yield* Effect.fork(Registry.make(waiter).execute(of("a"), calls("waiter")))
      yield* Deferred.await(begun)
      yield* Fiber.interrupt(fiber)
      yield* gone(pids[0] ?? 0)
    }).pipe(run)
  )
})
