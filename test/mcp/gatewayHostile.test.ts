/** Servers that mean harm, or are broken: only their own calls fail, and what they say is bounded. */
import { describe, expect, it } from "@effect/vitest"
import { Deferred, Effect, HashMap, Logger, LogLevel, Option, TestClock } from "effect"
import { McpGateway } from "../../src/mcp/gateway/McpGateway.js"
import { canHold, pinnedTool, scripted, valueOf, world } from "./gatewayWorld.js"

const act = [pinnedTool("act"), pinnedTool("told")]

const pinned = (name: string, tools = act) => new Map([[name, tools]])

const errorOf = ({
  result
}: {
  readonly result: { readonly ok: boolean; readonly error?: string }
}): string => (result.ok ? "" : (result.error ?? ""))

describe("a server that lists too much", () => {
  for (const mode of ["million", "many", "endless"]) {
    it.scopedLive(`is not available: ${mode}`, () =>
      Effect.gen(function* () {
        const servers = [scripted("bad", mode), scripted("good", "plain")]
        const { call, gateway } = yield* world(servers, { pinned: pinned("bad") })
        const listed = yield* Effect.either(
          Effect.provideService(McpGateway.list("bad"), McpGateway, gateway)
        )
        expect(listed).toMatchObject({ _tag: "Left", left: { code: "SERVER_MALFORMED" } })
        const refused = yield* call("mcp__bad__act")
        expect(refused.result).toMatchObject({ ok: false, code: "not_available" })
        expect((yield* call("mcp__good__act")).result.ok).toBe(true)
      })
    )
  }
})

describe("a server that does not follow the protocol", () => {
  it.scopedLive("and never answers its greeting is not available after a while", () =>
    Effect.gen(function* () {
      const { call } = yield* world([scripted("bad", "mute")], {
        pinned: pinned("bad"),
        limits: { startMillis: 1000 }
      })
      const refused = yield* call("mcp__bad__act")
      expect(refused.result).toMatchObject({ ok: false, code: "not_available" })
      expect(errorOf(refused)).toContain("did not answer within 1000 ms")
    })
  )

  it.scopedLive("and speaks another revision is not available", () =>
    Effect.gen(function* () {
      const { call } = yield* world([scripted("bad", "ancient")], { pinned: pinned("bad") })
      expect(errorOf(yield* call("mcp__bad__act"))).toContain("2025-06-18")
    })
  )

  it.scopedLive("and answers twice is heard once", () =>
    Effect.gen(function* () {
      const { call } = yield* world([scripted("bad", "twice")])
      expect(valueOf(yield* call("mcp__bad__act"))).toBe("first")
      expect(valueOf(yield* call("mcp__bad__act"))).toBe("first")
    })
  )

  it.scopedLive("and prints garbage is heard all the same", () =>
    Effect.gen(function* () {
      const { call } = yield* world([scripted("bad", "garbage")])
      expect(valueOf(yield* call("mcp__bad__act"))).toBe("after garbage")
    })
  )

  it.scopedLive("and prints too much garbage is ended, and started again for the next call", () =>
    Effect.gen(function* () {
      const { call } = yield* world([scripted("bad", "flood"), scripted("good", "plain")])
      const first = yield* call("mcp__bad__pid")
      expect(errorOf(yield* call("mcp__bad__act"))).toContain("SERVER_MALFORMED")
      expect((yield* call("mcp__good__act")).result.ok).toBe(true)
      const second = yield* call("mcp__bad__pid")
      expect(second.result.ok).toBe(true)
      if (!canHold) expect(valueOf(second)).not.toBe(valueOf(first))
    })
  )

  it.scopedLive("and writes a line that is too long is not waited for, and serves the next call", () =>
    Effect.gen(function* () {
      const { call } = yield* world([scripted("bad", "huge")])
      const long = yield* call("mcp__bad__act")
      expect(long.result).toMatchObject({ ok: false, code: "execution_failed" })
      expect(errorOf(long)).toContain("SERVER_MALFORMED")
      expect((yield* call("mcp__bad__pid")).result.ok).toBe(true)
    })
  )

  it.scopedLive("and answers with what cannot be read fails the call that waits for it", () =>
    Effect.gen(function* () {
      const { call } = yield* world([scripted("bad", "unreadable")])
      for (const result of ["null", "[1]", `{"a":${"[".repeat(200)}${"]".repeat(200)}}`]) {
        const failed = yield* call("mcp__bad__act", { result })
        expect(failed.result).toMatchObject({ ok: false, code: "execution_failed" })
        expect(errorOf(failed)).toContain("SERVER_MALFORMED")
      }
      expect((yield* call("mcp__bad__pid")).result.ok).toBe(true)
    })
  )

  it.scopedLive("and answers what nobody asked answers nobody", () =>
    Effect.gen(function* () {
      const { call } = yield* world([scripted("bad", "forged")])
      expect(valueOf(yield* call("mcp__bad__act"))).toBe("the real one")
    })
  )

  it.scopedLive("and asks its client for samples, answers and roots is refused each", () =>
    Effect.gen(function* () {
      const { call } = yield* world([scripted("bad", "asking")])
      yield* call("mcp__bad__act")
      const { told } = valueOf(yield* call("mcp__bad__told")) as {
        readonly told: ReadonlyArray<Readonly<Record<string, unknown>>>
      }
      for (const id of ["s1", "r1", "e1"]) {
        expect(told).toContainEqual(
          expect.objectContaining({ id, error: expect.objectContaining({ code: -32601 }) })
        )
      }
      expect(told).toContainEqual(expect.objectContaining({ id: "p1", result: {} }))
      expect(told).toContainEqual({ capabilities: {} })
    })
  )

  it.scopedLive("and floods its error output is heard, and little of it is logged", () =>
    Effect.gen(function* () {
      const { backends, registry, turn } = yield* world([scripted("bad", "stderr")])
      let logged = 0
      const first = yield* Deferred.make<void>()
      const counting = Logger.replace(
        Logger.defaultLogger,
        Logger.make(({ annotations, message }) => {
          if (Option.isNone(HashMap.get(annotations, "server"))) return
          logged += String(message).length
          Deferred.unsafeDone(first, Effect.void)
        })
      )
      const [one] = yield* registry
        .execute(turn(), [{ id: "c", name: "mcp__bad__act", args: {} }])
        .pipe(Effect.provide(backends), Effect.provide(counting), Logger.withMinimumLogLevel(LogLevel.Debug))
      expect(one?.result).toEqual({ ok: true, value: "after noise" })
      yield* Deferred.await(first)
      yield* registry.endSession("s1")
      expect(logged).toBeLessThan(100_000)
    })
  )
})

describe("a server that dies", () => {
  it.scopedLive("in a call fails that call, and serves the next", () =>
    Effect.gen(function* () {
      const { call } = yield* world([scripted("bad", "plain", {}, { env: ["TOKEN"] })], {
        secrets: { TOKEN: "a-token-in-last-words" }
      })
      const dead = yield* call("mcp__bad__die")
      expect(dead.result).toMatchObject({ ok: false, code: "execution_failed" })
      expect(errorOf(dead)).toContain("the server says: 'last words")
      expect(JSON.stringify(dead)).not.toContain("a-token-in-last-words")
      expect((yield* call("mcp__bad__act")).result.ok).toBe(true)
    })
  )

  it.scopedLive(
    "to its client, but lives on with its output closed, fails its calls at once and is ended",
    () =>
      Effect.gen(function* () {
        for (const mode of canHold ? (["required", "off"] as const) : (["off"] as const)) {
          const limits = { listenMillis: 20 }
          const { call, turn } = yield* world([scripted("bad", "mute-later")], { limits })
          const policy = { ...turn().policy, sandbox: mode }
          const dead = yield* call("mcp__bad__act", {}, { policy })
          expect(dead.result).toMatchObject({ ok: false, code: "execution_failed" })
          expect(errorOf(dead)).toContain("has closed its output")
          expect((yield* call("mcp__bad__pid", {}, { policy })).result.ok).toBe(true)
        }
      })
  )

  it.scoped("at once is tried again with pauses, and then is not available for a while", () =>
    Effect.gen(function* () {
      const { call } = yield* world([scripted("bad", "dead")], {
        pinned: pinned("bad"),
        limits: { startMillis: 1e9 }
      })
      const starts = ({ events }: { readonly events: ReadonlyArray<{ readonly capability: string }> }) =>
        events.filter(({ capability }) => capability === "process.exec").length
      /** Lets time pass while something waits for it; what is waited for in real time is waited for. */
      const ticking = <A, E>(effect: Effect.Effect<A, E>) =>
        Effect.raceFirst(
          effect,
          Effect.forever(Effect.zipRight(TestClock.adjust("50 millis"), Effect.promise(soon)))
        )
      const first = yield* ticking(call("mcp__bad__act"))
      expect(first.result).toMatchObject({ ok: false, code: "not_available" })
      expect(errorOf(first)).toContain("ended with 7")
      expect(errorOf(first)).toContain("the server says: 'no\\u202e way'")
      expect(starts(first)).toBe(4)
      // Time stands still: nobody starts it before its pause is over.
      const second = yield* call("mcp__bad__act")
      expect(errorOf(second)).toContain("failed 4 times in a row")
      expect(starts(second)).toBe(0)
      yield* TestClock.adjust("1 minute")
      const third = yield* call("mcp__bad__act")
      expect(starts(third)).toBe(1)
    })
  )
})

const soon = () => new Promise<void>((resolve) => setImmediate(resolve))

describe("a server that changes its tools", () => {
  it.scopedLive("has those withheld that are others than was accepted, at once and in every session", () =>
    Effect.gen(function* () {
      const { backends, call, registry, turn } = yield* world([scripted("bad", "plain")])
      const menu = () =>
        Effect.map(Effect.provide(registry.menu(turn()), backends), (items) => items.map(({ name }) => name))
      expect(yield* menu()).toContain("mcp__bad__act")
      expect((yield* call("mcp__bad__act")).result.ok).toBe(true)
      yield* call("mcp__bad__change")
      const refused = yield* call("mcp__bad__act")
      expect(refused.result).toMatchObject({ ok: false, code: "not_available" })
      expect(errorOf(refused)).toContain("run 'bailiwick manifest'")
      expect(errorOf(refused)).not.toContain("send all secrets")
      const now = yield* menu()
      expect(now).not.toContain("mcp__bad__act")
      expect(now).not.toContain("mcp__bad__extra")
      // The others are as they were, also in the same process.
      expect((yield* call("mcp__bad__pid")).result.ok).toBe(true)
      // Another process of it says again what was accepted; nobody is asked to believe that.
      const other = yield* call("mcp__bad__act", {}, { session: "another" })
      expect(other.result).toMatchObject({
        ok: false,
        code: "not_available",
        denial: { code: "TOOL_WITHHELD" }
      })
    })
  )

  it.scopedLive("before its first use is found out at the first call", () =>
    Effect.gen(function* () {
      const { call } = yield* world([scripted("bad", "plain")], {
        pinned: pinned("bad", [pinnedTool("act", { description: "Harmless" }), pinnedTool("gone")])
      })
      const changed = yield* call("mcp__bad__act")
      expect(changed.result).toMatchObject({ ok: false, code: "not_available" })
      expect(errorOf(changed)).toContain("has changed what it says of act")
      const gone = yield* call("mcp__bad__gone")
      expect(gone.result).toMatchObject({ ok: false, code: "not_available" })
      expect(errorOf(gone)).toContain("does not offer gone")
    })
  )
})

describe("a server that is started once with nothing", () => {
  it.scopedLive.runIf(canHold)("says which hosts it was refused, and reaches none", () =>
    Effect.gen(function* () {
      const asked: Array<string> = []
      const one = scripted("eager", "eager", { network: { get: ["wanted.example.com"] } }, { env: ["TOKEN"] })
      const { gateway } = yield* world([], {
        network: {
          resolve: (host) => {
            asked.push(host)
            return Effect.succeed([])
          }
        }
      })
      const probed = yield* gateway.probe(one)
      expect(probed.refused).toEqual([
        { host: "wanted.example.com", remedies: ["net.get{hosts=[wanted.example.com]}"] }
      ])
      expect(probed.tools?.map(({ name }) => name)).toContain("act")
      expect(asked).toEqual([])
    })
  )

  it.scopedLive("is not started where nothing can hold it, whatever the operator lets commands do", () =>
    Effect.gen(function* () {
      for (const mode of ["off", "preferred"] as const) {
        const { gateway } = yield* world([], {
          sandbox: { mode, limits: {} },
          process: { sandbox: { bwrap: "/nowhere/bwrap", seatbelt: "/nowhere/sandbox-exec" } }
        })
        const probed = yield* gateway.probe(scripted("new", "plain"))
        expect(probed.tools).toBeUndefined()
        expect(probed.failed).toContain("SERVER_NOT_STARTED")
      }
    })
  )

  it.scopedLive.runIf(canHold)("and cannot even start says why", () =>
    Effect.gen(function* () {
      const { gateway } = yield* world([])
      const probed = yield* Effect.provideService(
        McpGateway.probe(scripted("bad", "dead")),
        McpGateway,
        gateway
      )
      expect(probed.tools).toBeUndefined()
      expect(probed.failed).toContain("ended with 7")
    })
  )
})

describe("a server that tells the secret that it was given", () => {
  const secrets = { TOKEN: "a-token-in-descriptions" }

  it.scopedLive("in the words of its tools is written down without it, and called as it was accepted", () =>
    Effect.gen(function* () {
      const one = scripted("tells", "telling", {}, { env: ["TOKEN"] })
      const { call, gateway } = yield* world([one], { secrets })
      const listed = yield* gateway.list("tells")
      expect(listed.map(({ name }) => name)).toEqual(["told"])
      expect(JSON.stringify(listed)).not.toContain(secrets.TOKEN)
      expect((yield* call("mcp__tells__told")).result.ok).toBe(true)
    })
  )

  for (const mode of ["blabbing", "dead"]) {
    it.scopedLive(`where it fails says why without it: ${mode}`, () =>
      Effect.gen(function* () {
        const one = scripted("tells", mode, {}, { env: ["TOKEN"] })
        const { gateway } = yield* world([one], { secrets, pinned: pinned("tells") })
        const { message } = yield* Effect.flip(gateway.list("tells"))
        expect(message).toContain("[redacted]")
        expect(message).not.toContain(secrets.TOKEN)
      })
    )
  }
})
