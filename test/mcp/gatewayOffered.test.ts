/** Whether a tool of a server is offered: all that the server requires is held, or nothing of it is there. */
import { describe, expect, it } from "@effect/vitest"
import { Effect, Layer, Logger } from "effect"
import { Process } from "../../src/capabilities/process/Process.js"
import { ProcessBackend } from "../../src/capabilities/process/ProcessBackend.js"
import { Secrets } from "../../src/capabilities/secrets/Secrets.js"
import { SecretsBackend } from "../../src/capabilities/secrets/SecretsBackend.js"
import { McpGateway } from "../../src/mcp/gateway/McpGateway.js"
import * as AgentRecord from "../../src/policy/agent/AgentRecord.js"
import * as Authority from "../../src/policy/lattice/Authority.js"
import * as Policy from "../../src/policy/Policy.js"
import * as Personality from "../../src/policy/personality/Personality.js"
import type { Server } from "../../src/policy/server/Server.js"
import * as Registry from "../../src/registry/Registry.js"
import * as Turn from "../../src/registry/Turn.js"
import { authority, pinnedTool, scripted } from "./gatewayWorld.js"

const workdir = "/work"

const agent = (...grants: ReadonlyArray<string>) => {
  const lines = grants.map((grant) => `  - ${grant}\n`).join("")
  const text = `---\nclass: agent\ncapabilities:${grants.length === 0 ? " []\n" : `\n${lines}`}---\n`
  return AgentRecord.policy(AgentRecord.parse({ id: "agents/a", file: "a.md", text }, {}))
}

const personality = (text: string) =>
  Personality.policy(Personality.parseSync({ config: { file: "config.yaml", text } }, { workdir }))

const backends = Layer.mergeAll(
  Layer.succeed(ProcessBackend, ProcessBackend.fromOperations(Process.memory(() => ({ stdout: "" })))),
  Layer.succeed(SecretsBackend, SecretsBackend.fromOperations(Secrets.memory({}))),
  Logger.remove(Logger.defaultLogger)
)

/** What becomes of one tool of one server on every surface. */
const surfaces = (server: Server, policy: Policy.Policy, name = `mcp__${server.name}__x`) =>
  Effect.gen(function* () {
    const registry: Registry.Registry = Registry.make()
    yield* McpGateway.register(registry)
    const turn = Turn.make({ session: "s", policy, workdir, dryRun: true })
    const menu = yield* registry.menu(turn)
    const missing = yield* registry.missing(turn)
    const call = { id: "c", name, args: {} }
    const [{ result: executed } = { result: undefined }] = yield* registry.execute(turn, [call])
    const { result: explained } = yield* registry.explain(turn, call)
    return {
      offered: menu.map((item) => item.name),
      missing: missing.map((one) => one.name),
      why: missing[0]?.why,
      executed,
      explained,
      events: turn.transcript.events
    }
  }).pipe(
    Effect.scoped,
    Effect.provide(
      McpGateway.layer({ servers: [server], pinned: new Map([[server.name, [pinnedTool("x")]]]) })
    ),
    Effect.provide(backends)
  )

const gh = scripted("gh", "plain", { network: { get: ["api.example.com"] } })

describe("a tool of a server", () => {
  it.effect("is offered where all that its server requires is held [P1] [P5]", () =>
    Effect.gen(function* () {
      const seen = yield* surfaces(gh, agent("net.get{hosts=[*.example.com]}"))
      expect(seen.offered).toEqual(["mcp__gh__x"])
      expect(seen.executed).toMatchObject({ ok: true })
      expect(seen.explained).toMatchObject({ ok: true, value: { may: ["may GET from api.example.com"] } })
    })
  )

  it.effect("is refused on every surface where less is held, and says what is lacking [M15] [P4]", () =>
    Effect.gen(function* () {
      const two = scripted("gh", "plain", {
        network: { get: ["api.example.com"], post: ["api.example.com"] }
      })
      const seen = yield* surfaces(two, agent("net.get{hosts=[api.example.com]}"))
      expect(seen.offered).toEqual([])
      expect(seen.missing).toEqual(["mcp__gh__x"])
      expect(seen.why).toContain("net.post{hosts=[api.example.com]}")
      for (const result of [seen.executed, seen.explained]) {
        expect(result).toMatchObject({
          ok: false,
          code: "not_available",
          denial: { reason: "capability_absent", code: "REQUIREMENT_NOT_HELD", capability: "network.post" }
        })
        expect(result?.ok === false && result.error).toContain("net.post{hosts=[api.example.com]}")
        // Nothing to paste: a part of what it requires would give nothing.
        expect(result?.ok === false && result.denial?.remedies).toBeUndefined()
      }
      expect(seen.events).toContainEqual(
        expect.objectContaining({ allowed: false, reason: "capability_absent", tool: "mcp__gh__x" })
      )
    })
  )

  it.effect("of a server that nobody configured is not configured [M16]", () =>
    Effect.gen(function* () {
      const seen = yield* surfaces(gh, agent("net.get{hosts=[*]}"), "mcp__nobody__x")
      expect(seen.executed).toMatchObject({ ok: false, denial: { reason: "unknown_tool" } })
      expect(seen.executed?.ok === false && seen.executed.error).toContain("nobody is not configured")
    })
  )

  it.effect("that a configured server does not have is unknown, and its server is not", () =>
    Effect.gen(function* () {
      const seen = yield* surfaces(gh, agent("net.get{hosts=[*]}"), "mcp__gh__other")
      expect(seen.executed).toMatchObject({ ok: false, denial: { reason: "unknown_tool" } })
      expect(seen.executed?.ok === false && seen.executed.error).not.toContain("configured")
    })
  )

  it.effect("of a server that requires nothing is offered to everyone [P3]", () =>
    Effect.gen(function* () {
      const seen = yield* surfaces(scripted("gh", "plain", {}), agent())
      expect(seen.offered).toEqual(["mcp__gh__x"])
    })
  )

  it.effect("of a server that does not say what it requires is offered to nobody", () =>
    Effect.gen(function* () {
      const silent: Server = { ...scripted("gh", "plain"), requires: undefined }
      const seen = yield* surfaces(silent, Policy.make({ authority: Authority.everything }))
      expect(seen.offered).toEqual([])
      expect(seen.executed).toMatchObject({ ok: false, denial: { code: "REQUIREMENT_NOT_HELD" } })
    })
  )
})

describe("the variables of a server", () => {
  const withToken = scripted("gh", "plain", {}, { env: ["TOKEN"] })

  it.effect("are secrets that must be held", () =>
    Effect.gen(function* () {
      expect((yield* surfaces(withToken, agent())).offered).toEqual([])
      expect((yield* surfaces(withToken, agent("secrets.read{refs=[OTHER]}"))).offered).toEqual([])
      expect((yield* surfaces(withToken, agent("secrets.read{refs=[TOKEN]}"))).offered).toEqual([
        "mcp__gh__x"
      ])
    })
  )

  it.effect("are not named to the model", () =>
    Effect.gen(function* () {
      const { executed } = yield* surfaces(withToken, agent())
      expect(executed?.ok).toBe(false)
      expect(JSON.stringify(executed)).not.toContain("TOKEN")
    })
  )

  it.effect(
    "are not held by a personality that says nothing of secrets, and are by one that names them",
    () =>
      Effect.gen(function* () {
        expect((yield* surfaces(withToken, personality("id: p"))).offered).toEqual([])
        expect(
          (yield* surfaces(withToken, personality("id: p\nsecrets: { allow: [TOKEN] }"))).offered
        ).toEqual(["mcp__gh__x"])
      })
  )

  it.effect("are held where an agent's record names them and its personality says nothing", () =>
    Effect.gen(function* () {
      const silent = personality("id: p")
      const both = Policy.meet(silent, agent("secrets.read{refs=[TOKEN]}"))
      expect((yield* surfaces(withToken, both)).offered).toEqual(["mcp__gh__x"])
      expect((yield* surfaces(withToken, Policy.meet(silent, agent()))).offered).toEqual([])
      const other = Policy.meet(
        personality("id: p\nsecrets: { allow: [OTHER] }"),
        agent("secrets.read{refs=[TOKEN]}")
      )
      expect((yield* surfaces(withToken, other)).offered).toEqual([])
    })
  )

  it.effect("and what a personality leaves open of commands is not held by it either", () =>
    Effect.gen(function* () {
      const runs = scripted("gh", "plain", { process: { exec: [{ argv: "git log *", in: "/work/" }] } })
      expect((yield* surfaces(runs, personality("id: p"))).offered).toEqual([])
    })
  )
})

describe("a policy with a toolset", () => {
  it.effect("offers a server's tools where it lists the server, and not by what is held alone", () =>
    Effect.gen(function* () {
      const held = authority({ network: { get: ["api.example.com"] } })
      const listed = (servers: ReadonlyArray<string>) =>
        Policy.make({ authority: held, toolset: [], servers })
      expect((yield* surfaces(gh, listed([]))).offered).toEqual([])
      expect((yield* surfaces(gh, listed(["gh"]))).offered).toEqual(["mcp__gh__x"])
    })
  )
})
