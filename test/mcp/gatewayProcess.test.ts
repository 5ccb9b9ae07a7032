/** The process of a server: what it sees, who shares it, and when it ends. */
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it, vi } from "@effect/vitest"
import { Effect, Exit, Fiber, Layer, Logger, Scope, Stream } from "effect"
import { root } from "../../scripts/lib/project.js"
import { ProcessBackend } from "../../src/capabilities/process/ProcessBackend.js"
import * as Authority from "../../src/policy/lattice/Authority.js"
import * as Policy from "../../src/policy/Policy.js"
import { Progress } from "../../src/tools/Progress.js"
import { authority, canHold, directory, pinnedTool, scripted, valueOf, world } from "./gatewayWorld.js"

/** Processes of this machine that have these words in their command line. */
const processesWith = (word: string): number =>
  readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .filter((pid) => {
      try {
        return readFileSync(`/proc/${pid}/cmdline`, "utf8").includes(word)
      } catch {
        return false
      }
    }).length

const structured = (value: unknown) => value as Readonly<Record<string, unknown>>

describe("what a server sees", () => {
  it.scopedLive("of the environment are the variables that it names, and nothing of the agent's", () =>
    Effect.gen(function* () {
      const one = scripted("one", "plain", {}, { env: ["TOKEN"] })
      const { call } = yield* world([one], { secrets: { TOKEN: "token-value-1", OTHER: "other-value-2" } })
      const seen = yield* call("mcp__one__env")
      const { env } = structured(valueOf(seen)) as { readonly env: Readonly<Record<string, string>> }
      expect(env.OTHER).toBeUndefined()
      // It has the value, and whoever called it is not shown it.
      expect(env.TOKEN).toBeDefined()
      expect(JSON.stringify(seen)).not.toContain("token-value-1")
    })
  )

  it.scopedLive.runIf(canHold)("is its file and its code, and not the folders around them", () =>
    Effect.gen(function* () {
      const { call } = yield* world([scripted("one", "plain")])
      const read = (path: string) => Effect.map(call("mcp__one__read", { path }), ({ result }) => result.ok)
      expect(yield* read(join(root, "test/mcp/servers/scripted.mjs"))).toBe(true)
      expect(yield* read(join(root, "test/mcp/gatewayWorld.ts"))).toBe(false)
      expect(yield* read(join(root, "package.json"))).toBe(false)
    })
  )

  it.scopedLive.runIf(canHold)("is not what the agent may read besides", () =>
    Effect.gen(function* () {
      const place = yield* directory
      writeFileSync(join(place, "a"), "the agent's")
      const { call } = yield* world([scripted("one", "plain")], { held: Authority.everything })
      expect((yield* call("mcp__one__read", { path: join(place, "a") })).result).toMatchObject({ ok: false })
    })
  )

  it.scopedLive("at its start is an empty directory, or the one that is written", () =>
    Effect.gen(function* () {
      const place = yield* directory
      mkdirSync(join(place, "there"))
      writeFileSync(join(place, "there/secret"), "in the folder")
      const servers = [scripted("one", "plain"), scripted("two", "plain", {}, { cwd: join(place, "there") })]
      const { call } = yield* world(servers)
      const first = structured(valueOf(yield* call("mcp__one__env")))
      expect(first.cwd).toContain("bailiwick-mcp-")
      const second = structured(valueOf(yield* call("mcp__two__env")))
      expect(second.cwd).toBe(join(place, "there"))
      const inside = yield* call("mcp__two__read", { path: join(place, "there/secret") })
      if (canHold) expect(inside.result.ok).toBe(false)
    })
  )

  it.scopedLive.runIf(canHold)("leaves nothing on the disk: none for a menu, and none while it runs", () =>
    Effect.gen(function* () {
      const place = yield* directory
      vi.stubEnv("TMPDIR", place)
      yield* Effect.addFinalizer(() => Effect.sync(() => vi.unstubAllEnvs()))
      const made = () => readdirSync(place).filter((name) => name.startsWith("bailiwick-mcp-"))
      const pinned = new Map([["one", [pinnedTool("env")]]])
      const { backends, call, registry, turn } = yield* world([scripted("one", "plain")], { pinned })
      const menu = yield* Effect.provide(registry.menu(turn()), backends)
      expect(menu.map(({ name }) => name)).toEqual(["mcp__one__env"])
      expect(made()).toEqual([])
      const { cwd } = structured(valueOf(yield* call("mcp__one__env")))
      expect(cwd).toContain(join(place, "bailiwick-mcp-"))
      // The server still runs: whoever kills this program now leaves nothing behind.
      expect(made()).toEqual([])
      expect(structured(valueOf(yield* call("mcp__one__env"))).cwd).toBe(cwd)
    })
  )

  it.scopedLive.runIf(canHold)("of hosts are those that it requires, and each is an event of the call", () =>
    Effect.gen(function* () {
      const asked: Array<string> = []
      const one = scripted("one", "plain", { network: { get: ["allowed.example.com"] } })
      const { call } = yield* world([one], {
        network: {
          resolve: (host) => {
            asked.push(host)
            return Effect.succeed([])
          }
        }
      })
      const refused = yield* call("mcp__one__reach", { host: "other.example.com" })
      expect(valueOf(refused)).toBe("status 403")
      expect(asked).toEqual([])
      expect(refused.events).toContainEqual(
        expect.objectContaining({
          tool: "mcp__one__reach",
          callId: "c1",
          allowed: false,
          capability: "network.get",
          code: "HOST_NOT_ALLOWED"
        })
      )
      const allowed = yield* call("mcp__one__reach", { host: "allowed.example.com" })
      expect(valueOf(allowed)).toBe("status 502")
      expect(asked).toContain("allowed.example.com")
      expect(allowed.events).toContainEqual(
        expect.objectContaining({ callId: "c1", allowed: true, capability: "network.get" })
      )
    })
  )
})

describe("who shares a server", () => {
  it.scopedLive("are the turns of a session, and nobody else", () =>
    Effect.gen(function* () {
      const one = scripted("one", "plain", {}, { words: ["shared-by-sessions"] })
      const { call, registry } = yield* world([one])
      const before = processesWith("shared-by-sessions")
      expect(before).toBe(0)
      yield* call("mcp__one__pid", {}, { session: "a" })
      yield* call("mcp__one__pid", {}, { session: "a" })
      const single = processesWith("shared-by-sessions")
      yield* call("mcp__one__pid", {}, { session: "b" })
      expect(processesWith("shared-by-sessions")).toBe(2 * single)
      yield* registry.endSession("a")
      expect(processesWith("shared-by-sessions")).toBe(single)
      yield* registry.endSession("b")
      expect(processesWith("shared-by-sessions")).toBe(0)
    })
  )

  it.scopedLive("ends with the scope, and all of its children with it", () =>
    Effect.gen(function* () {
      const scope = yield* Scope.make()
      const one = scripted("one", "forks", {}, { words: ["forks-and-leaves"] })
      const { call } = yield* Scope.extend(world([one]), scope)
      expect(valueOf(yield* call("mcp__one__act"))).toBe("5")
      expect(processesWith("forks-and-leaves")).toBeGreaterThan(0)
      yield* Scope.close(scope, Exit.void)
      expect(processesWith("forks-and-leaves")).toBe(0)
    })
  )

  it.scopedLive("ends although it ignores that it is told to", () =>
    Effect.gen(function* () {
      const scope = yield* Scope.make()
      const one = scripted("one", "stubborn", {}, { words: ["ignores-its-end"] })
      const { call } = yield* Scope.extend(world([one]), scope)
      yield* call("mcp__one__pid")
      yield* Scope.close(scope, Exit.void)
      expect(processesWith("ignores-its-end")).toBe(0)
    })
  )

  it.scopedLive("is started again where a turn has other terms", () =>
    Effect.gen(function* () {
      const one = scripted("one", "plain", {}, { words: ["other-terms"] })
      const { call } = yield* world([one])
      yield* call("mcp__one__pid")
      const single = processesWith("other-terms")
      const policy = Policy.make({
        authority: Authority.everything,
        sandbox: { mode: canHold ? undefined : "off", limits: { openFiles: 100 } }
      })
      yield* call("mcp__one__pid", {}, { policy })
      expect(processesWith("other-terms")).toBe(single)
    })
  )
})

describe("a call", () => {
  it.scopedLive("that is interrupted is cancelled at the server, and waits for nothing", () =>
    Effect.gen(function* () {
      const { backends, call, registry, turn } = yield* world([scripted("one", "plain")])
      const asked = turn()
      const halfway = yield* Stream.runHead(
        Stream.async<string>((emit) => {
          const run = registry
            .execute(asked, [{ id: "slow", name: "mcp__one__slow", args: {} }])
            .pipe(
              Effect.provide(backends),
              Effect.provide(Progress.layer(({ message }) => Effect.sync(() => void emit.single(message)))),
              Effect.provide(Logger.remove(Logger.defaultLogger))
            )
          return Effect.zipRight(registry.cancel(asked, "slow"), Fiber.await(Effect.runFork(run)))
        })
      )
      expect(halfway).toMatchObject({ _tag: "Some", value: "half" })
      yield* registry.cancel(asked)
      const { told } = structured(valueOf(yield* call("mcp__one__told"))) as {
        readonly told: ReadonlyArray<{ readonly method?: string }>
      }
      expect(told.map(({ method }) => method)).toContain("notifications/cancelled")
    })
  )

  it.scopedLive("has its deadline", () =>
    Effect.gen(function* () {
      const { call } = yield* world([scripted("one", "silent")])
      yield* call("mcp__one__pid")
      const late = yield* call("mcp__one__act", {}, { deadline: "50 millis" })
      expect(late.result).toMatchObject({ ok: false, code: "timeout" })
      expect((yield* call("mcp__one__pid")).result.ok).toBe(true)
    })
  )

  it.scopedLive("fails with the words of the server, marked and visible", () =>
    Effect.gen(function* () {
      const { call } = yield* world([scripted("one", "plain")])
      expect((yield* call("mcp__one__fail")).result).toEqual({
        ok: false,
        code: "execution_failed",
        error: "TOOL_FAILED: the server says: 'it did not work\\u202e'"
      })
    })
  )

  it.scopedLive("gives blocks of every kind, bounded", () =>
    Effect.gen(function* () {
      const { call } = yield* world([scripted("one", "plain")])
      expect(valueOf(yield* call("mcp__one__blocks"))).toEqual([
        { type: "text", text: "a" },
        { type: "image", mimeType: "image/png", data: "AAAA" },
        { type: "image", mimeType: "image/png", left_out: `${3 * 1024 * 1024} characters of base64` },
        { type: "text", text: "n: file:///x" },
        { type: "resource", uri: "file:///y", mimeType: "text/plain", text: "inside" },
        { type: "unknown" }
      ])
    })
  )
})

describe("where nothing holds children", () => {
  const unheld = Layer.effect(
    ProcessBackend,
    Effect.succeed(
      ProcessBackend.fromOperations(
        {
          spawn: () => Effect.never,
          stream: () => Stream.never,
          start: () => Stream.never,
          shell: () => Effect.never
        },
        { held: false, isExpected: true, why: "bwrap is not installed", remedy: "install bubblewrap" }
      )
    )
  )

  it.scopedLive("a server that must be held is not available, with the remedy", () =>
    Effect.gen(function* () {
      const { registry, turn } = yield* world([scripted("one", "plain")])
      const policy = Policy.make({ authority: authority({}) })
      const [one] = yield* registry
        .execute(turn({ policy }), [{ id: "c", name: "mcp__one__pid", args: {} }])
        .pipe(Effect.provide(unheld))
      expect(one?.result).toMatchObject({ ok: false, code: "not_available" })
      expect(one?.result.ok === false && one.result.error).toContain("install bubblewrap")
    })
  )
})
