/** The threat: a tool whose front matter says one thing when it is looked at, and another when it is written. */
import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import * as ScopedAgents from "../../src/capabilities/agents/ScopedAgents.js"
import * as MemoryRecords from "../../src/capabilities/records/MemoryRecords.js"
import * as ScopedRecords from "../../src/capabilities/records/ScopedRecords.js"
import * as AgentRecord from "../../src/policy/agent/AgentRecord.js"
import { holder } from "../../src/policy/gate/Asking.js"
import { agent, note, permitFor, places, World } from "../registry/agentWorld.js"

const text = agent("capabilities: [records.read, records.create]")

const acting = (mine: string) => {
  const backend = MemoryRecords.make(
    [
      { id: "agents/a", text },
      { id: "notes/a", text: note("class: note") }
    ],
    places
  )
  const { authority } = AgentRecord.parse({ file: "me", id: "agents/me", text: agent(mine) }, places)
  const who = holder({ authority, granter: { agent: "agents/me", authority } })
  return {
    backend,
    records: ScopedRecords.scoped(who, backend),
    agents: ScopedAgents.scoped(who, backend),
    textOf: (id: string, name: string) =>
      Effect.map(backend.read(permitFor(backend, id, name)), (found) => found.text)
  }
}

/** Shows a title to whoever looks first, and authority to whoever looks later. */
const fickle = (authority: Readonly<Record<string, unknown>>): Record<string, unknown> => {
  let looks = 0
  return new Proxy({} as Record<string, unknown>, {
    ownKeys: () => (looks++ < 2 ? ["title"] : Object.keys(authority)),
    getOwnPropertyDescriptor: (_, key) => ({
      configurable: true,
      enumerable: true,
      writable: true,
      value: authority[String(key)] ?? "x"
    }),
    get: (_, key) => authority[String(key)] ?? (key === "title" ? "x" : undefined)
  })
}

const disguises: ReadonlyArray<readonly [string, () => Record<string, unknown>]> = [
  [
    "toJSON, and grants that sleep",
    () => ({ toJSON: () => ({ capabilities: ["records.read", "fs.delete"] }) })
  ],
  ["toJSON, and fewer grants", () => ({ toJSON: () => ({ capabilities: [] }) })],
  ["a proxy, and grants that sleep", () => fickle({ capabilities: ["records.read", "proc.eval"] })],
  ["a proxy, and a sandbox", () => fickle({ sandbox: "" })]
]

describe("front matter in disguise", () => {
  it.effect.each(disguises)("%s: who may only update an agent does not touch its authority", ([, make]) =>
    Effect.gen(function* () {
      for (const service of ["records", "agents"] as const) {
        const world = acting("capabilities: [agent.update, records.read]")
        yield* Effect.either<unknown, unknown, never>(
          world[service].update({ id: "agents/a", frontMatter: make() })
        )
        const after = AgentRecord.parse(
          { file: "a", id: "agents/a", text: yield* world.textOf("agents/a", "agent") },
          places
        )
        expect(after.held.map(({ grant }) => grant.name)).toEqual(["records.read", "records.create"])
        expect(after.written).toEqual({ capabilities: true, access: false, sandbox: false })
      }
    })
  )

  it.effect("what turns into an agent while it is written is not written", () =>
    Effect.gen(function* () {
      const world = acting("capabilities: [records.read, records.create, records.update]")
      for (const frontMatter of [
        { toJSON: () => ({ class: "agent", capabilities: ["records.read"] }) },
        fickle({ class: "agent" })
      ]) {
        yield* Effect.either(world.records.update({ id: "notes/a", frontMatter }))
        yield* Effect.either(world.records.create({ id: "notes/n", frontMatter }))
      }
      for (const id of ["notes/a", "notes/n"]) {
        const head = yield* Effect.option(world.backend.head(id))
        expect(head._tag === "Some" ? head.value.class : "none").not.toBe("agent")
      }
    })
  )

  it.effect("keys that every object has are keys like others, or nothing", () =>
    Effect.gen(function* () {
      const here = new World({
        "agents/me": agent("capabilities: [agent.update, agent.create, records.create]"),
        "agents/a": text
      })
      const hidden = JSON.parse(
        '{"__proto__":{"capabilities":["records.delete"],"class":"agent"},"constructor":1}'
      )
      for (const [name, args] of [
        ["update_record", { id: "agents/a", frontMatter: hidden }],
        ["create_record", { id: "agents/n", class: "agent", frontMatter: hidden }],
        ["create_record", { id: "notes/n", frontMatter: hidden }]
      ] as const) {
        yield* here.call("agents/me", name, args)
      }
      expect((yield* here.record("agents/a")).held.map(({ grant }) => grant.name)).toEqual([
        "records.read",
        "records.create"
      ])
      for (const id of ["agents/n", "notes/n"]) {
        const found = yield* Effect.catchAllCause(here.record(id), () => Effect.succeed(undefined))
        expect(found?.held ?? []).toEqual([])
      }
    })
  )
})

describe("ids in odd spellings", () => {
  const spellings = [
    "agents/./me",
    "agents//me",
    "agents/me/",
    "/agents/me",
    "agents/me.md",
    "agents\\me",
    "agents/x/../me",
    "agents/me\u0000",
    "agents/me ",
    " agents/me",
    "agents/%6de",
    "agents/m\u00ade",
    "Agents/me",
    "agents/ME",
    "agents/me.",
    "./agents/me",
    ".trash/agents/me",
    "agents/*",
    "**"
  ]

  it.effect("none of them is another name for the agent that asks", () =>
    Effect.gen(function* () {
      const mine = "capabilities: [agent.grant, agent.update, agent.delete, agent.create, records.read]"
      for (const id of spellings) {
        const here = new World({ "agents/me": agent(mine) })
        for (const [name, args] of [
          ["grant_capability", { agent: id, grants: ["records.read"] }],
          ["update_record", { id, frontMatter: { capabilities: [] } }],
          ["delete_record", { id }]
        ] as const) {
          const result = yield* here.call("agents/me", name, args)
          expect([id, name, result.ok]).toEqual([id, name, false])
        }
        expect(yield* here.text("agents/me")).toBe(agent(mine))
      }
    })
  )
})
