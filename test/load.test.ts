/** The threat: under load, a call that never settles, or a child, socket, descriptor or timer that nobody closes. */

import {
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  rmSync,
  writeFileSync
} from "node:fs"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { setFlagsFromString } from "node:v8"
import { runInNewContext } from "node:vm"
import { describe, expect, it } from "@effect/vitest"
import { Authority, Builtin, Policy, Registry, Tool, Turn } from "bailiwick"
import { NodeBackends, NodeStorage } from "bailiwick/node"
import { Effect, Fiber, Layer, Logger, Option, Random, Schema } from "effect"
import { has } from "../scripts/lib/system.js"
import { times } from "./deep.js"

const CALLS = times(1_000)

const sleeper = Tool.make({
  name: "sleeper",
  description: "never ends on its own",
  parameters: Schema.Struct({}),
  capabilities: {},
  execute: () => Effect.never
})

const bare = Tool.make({
  name: "bare",
  description: "does nothing",
  parameters: Schema.Struct({}),
  capabilities: {},
  execute: () => Effect.void
})

const childrenOf = (pid: number): ReadonlyArray<string> =>
  readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .filter((name) => {
      try {
        return readFileSync(`/proc/${name}/stat`, "utf8")
          .replace(/^.*\) \S+ /s, "")
          .startsWith(`${pid} `)
      } catch {
        return false
      }
    })

/** By number, what each leads to. */
const descriptors = (): ReadonlyArray<string> =>
  readdirSync("/proc/self/fd").flatMap((fd) => {
    try {
      return [`${fd} ${readlinkSync(`/proc/self/fd/${fd}`)}`]
    } catch {
      // The one that the directory itself was read by.
      return []
    }
  })

const held = () => ({
  descriptors: descriptors(),
  children: childrenOf(process.pid).length,
  timers: process.getActiveResourcesInfo().filter((kind) => kind === "Timeout").length
})

/** libsql lets go of the files of a store that was closed once its objects are collected. */
const collect = Effect.sync(() => {
  setFlagsFromString("--expose-gc")
  runInNewContext("gc")()
})

/** What is closed is let go of in a turn of the event loop, and not in one of its microtasks. */
const loopTurn = Effect.async<void>((resume) => {
  setImmediate(() => resume(Effect.void))
})

const directory = Effect.acquireRelease(
  Effect.sync(() => realpathSync(mkdtempSync(join(tmpdir(), "bailiwick-load-")))),
  (path) => Effect.sync(() => rmSync(path, { recursive: true, force: true }))
)

const server = Effect.acquireRelease(
  Effect.async<{ readonly port: number; readonly close: Effect.Effect<void> }>((resume) => {
    const listening = createServer((_request, response) => response.end("hello"))
    listening.listen(0, "127.0.0.1", () =>
      resume(
        Effect.succeed({
          port: (listening.address() as AddressInfo).port,
          close: Effect.async<void>((done) => {
            listening.closeAllConnections()
            listening.close(() => done(Effect.void))
          })
        })
      )
    )
  }),
  ({ close }) => close
)

describe.runIf(process.platform === "linux")(`${CALLS.toLocaleString("en")} calls in flight`, () => {
  it.scopedLive("all settle, some interrupted, and leave nothing behind", () =>
    Effect.gen(function* () {
      const at = yield* directory
      const { port } = yield* server
      writeFileSync(join(at, "note"), "hello")
      // What a native package opens once, for as long as the process lives.
      yield* Effect.scoped(
        Effect.flatMap(NodeStorage.make({ directory: join(at, "first") }), (backend) =>
          backend.clear("first")
        )
      )
      yield* collect
      const before = held()
      const authority = Schema.decodeSync(Authority.FromJson)({
        files: { read: [`${at}/`], write: [`${at}/`], delete: [`${at}/`] },
        network: { get: ["127.0.0.1"] },
        private: { connect: [`127.0.0.1:${port}`] },
        process: { exec: [{ argv: "sleep:*", in: `${at}/` }] }
      })
      const asDeclared = ["storage", "secrets", "attachments"] as const
      const policy = Policy.make({
        authority,
        asDeclared,
        ...(has("bwrap") ? {} : { sandbox: "off" as const })
      })
      const registry = Registry.make(...Builtin.builtins, sleeper, bare)
      const turn = Turn.make({
        session: "load",
        policy,
        workdir: at,
        concurrency: CALLS,
        deadline: "60 seconds"
      })
      const kinds = [
        { name: "bare", args: {} },
        { name: "read_file", args: { path: "note" } },
        { name: "read_file", args: { path: "/etc/hosts" } },
        { name: "web_fetch", args: { url: `http://127.0.0.1:${port}/` } },
        { name: "kv_set", args: { key: "k", value: "v" } },
        { name: "sleeper", args: {} },
        { name: "no_such_tool", args: {} }
      ]
      const calls = yield* Effect.forEach(Array.from({ length: CALLS }), (_, i) =>
        Effect.map(Random.nextIntBetween(0, kinds.length), (kind) => ({
          id: String(i),
          ...(i % 100 === 0
            ? { name: "run_command", args: { command: "sleep", args: ["60"] } }
            : (kinds[kind] as (typeof kinds)[number]))
        }))
      )
      const program = Effect.gen(function* () {
        // A batch that is left to settle: what does not end by itself is cancelled call by call.
        const settling = yield* Effect.fork(registry.execute(turn, calls))
        yield* Effect.forEach(
          calls.filter(({ name }) => name === "sleeper" || name === "run_command"),
          ({ id }) =>
            Effect.repeat(
              Effect.zipWith(
                Effect.zipRight(Effect.yieldNow(), registry.cancel(turn, id)),
                Fiber.poll(settling),
                // What has settled by itself is found by nobody.
                (found, settled) => found || Option.isSome(settled)
              ),
              { until: (isDone) => isDone }
            )
        )
        const results = yield* Fiber.join(settling)
        expect(results).toHaveLength(CALLS)
        for (const { name, result } of results) {
          if (name === "sleeper" || name === "run_command")
            expect(result).toMatchObject({ code: "interrupted" })
          else if (name === "no_such_tool") expect(result).toMatchObject({ code: "not_available" })
          else if (name === "bare") expect(result).toEqual({ ok: true, value: null })
        }
        // A batch that is interrupted whole, in the midst of it.
        const doomed = yield* Effect.fork(registry.execute(turn, calls.slice(0, CALLS / 5)))
        yield* Effect.yieldNow()
        yield* Fiber.interrupt(doomed)
      })
      yield* Effect.scoped(
        Effect.flatMap(Layer.build(NodeBackends.layer({ directory: join(at, "state") })), (context) =>
          program.pipe(Effect.provide(context), Effect.provide(Logger.remove(Logger.defaultLogger)))
        )
      )
      yield* collect
      const isLetGo = ({ descriptors }: ReturnType<typeof held>) =>
        descriptors.length <= before.descriptors.length + 4
      const after = yield* Effect.zipRight(loopTurn, Effect.sync(held)).pipe(
        // What was closed is gone when the system has been told so.
        Effect.repeat({
          until: (now) => now.children <= before.children && isLetGo(now),
          times: 10_000
        })
      )
      // Fewer, where a test before this one had a layer that nobody closed.
      expect(after.children).toBeLessThanOrEqual(before.children)
      if (!isLetGo(after)) expect(after.descriptors).toEqual(before.descriptors)
      expect(after.timers).toBeLessThanOrEqual(before.timers + 1)
    })
  )
})
