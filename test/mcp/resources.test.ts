/**
 * Records as resources and skills as prompts. Threat: a second way to the same records, past the policy.
 */
import { describe, expect, it } from "@effect/vitest"
import { AgentRecord, Builtin, Personality, Policy, RecordsBackend, Registry, Skill, Turn } from "bailiwick"
import type { McpServer } from "bailiwick/mcp"
import { Context, Effect, Logger } from "effect"
import * as MemoryRecords from "../../src/capabilities/records/MemoryRecords.js"
import { everything, policyOf, turnOf } from "../registry/support.js"
import { connected } from "./connected.js"

const backend = Context.make(
  RecordsBackend,
  MemoryRecords.make(
    [
      { id: "notes/to day", text: "---\nclass: note\ntitle: Today\n---\nBuy milk.\n" },
      { id: "notes/été", text: "---\nclass: note\n---\nSwim.\n" },
      { id: "diary/x", text: "---\nclass: diary\n---\nDear diary.\n" }
    ],
    {}
  )
)

const there = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
  effect.pipe(Effect.provide(backend), Effect.provide(Logger.remove(Logger.defaultLogger)))

const agentOf = (capabilities: string) =>
  AgentRecord.parse(
    { id: "agents/reader", file: "reader.md", text: `---\nclass: agent\n${capabilities}\n---\nRead.\n` },
    {}
  )

const serving = (
  agent: AgentRecord.AgentRecord,
  skills?: ReadonlyArray<Skill.Skill>,
  policy = AgentRecord.policy(agent)
) => {
  const turn = Turn.make({ session: "s1", policy, workdir: "/work" })
  const options: McpServer.Options = {
    serves: Effect.succeed({
      registry: Registry.make(...Builtin.builtins),
      turn,
      ...(skills === undefined ? {} : { skills: { loaded: skills, agent } })
    }),
    limits: { pageSize: 2 }
  }
  return { options, turn }
}

const failing = <A>(ask: () => Promise<A>) =>
  Effect.flip(
    Effect.tryPromise({
      try: ask,
      catch: (error) => error as { readonly code: number; readonly data?: unknown; readonly message: string }
    })
  )

const reader = agentOf("access: r")
const onlyNotes = policyOf({ records: { read: [{ class: "note", path: "**" }] } })

describe("records", () => {
  it.scopedLive("that one of two policies refuses are not there, and nobody is told off for asking", () =>
    there(
      Effect.gen(function* () {
        const both = Policy.meet(policyOf({ storage: { use: ["session"] } }), AgentRecord.policy(reader))
        const { client } = yield* connected(serving(reader, undefined, both).options)
        const offered = (yield* Effect.promise(() => client.listTools())).tools.map(({ name }) => name)
        expect(offered).toEqual(["search_records", "get_record"])
        expect((yield* Effect.promise(() => client.listResources())).resources).toEqual([])
      })
    )
  )

  it.scopedLive("have a template for who is offered them, and for nobody else", () =>
    there(
      Effect.gen(function* () {
        const templatesFor = (agent: AgentRecord.AgentRecord) =>
          Effect.gen(function* () {
            const { client } = yield* connected(serving(agent).options)
            return (yield* Effect.promise(() => client.listResourceTemplates())).resourceTemplates
          })
        expect((yield* templatesFor(reader)).map(({ uriTemplate }) => uriTemplate)).toEqual([
          "record:///{+id}"
        ])
        expect(yield* templatesFor(agentOf("capabilities: []"))).toEqual([])
      })
    )
  )

  it.scopedLive("are listed by pages and read by their address, front matter and all", () =>
    there(
      Effect.gen(function* () {
        const { client } = yield* connected(serving(reader).options)
        expect(client.getServerCapabilities()?.resources).toEqual({ listChanged: true })
        const first = yield* Effect.promise(() => client.listResources())
        const cursor = first.nextCursor ?? ""
        const second = yield* Effect.promise(() => client.listResources({ cursor }))
        expect([...first.resources, ...second.resources].map(({ name, uri }) => [name, uri]).sort()).toEqual([
          ["diary/x", "record:///diary/x"],
          ["notes/to day", "record:///notes/to%20day"],
          ["notes/été", "record:///notes/%C3%A9t%C3%A9"]
        ])
        const { contents } = yield* Effect.promise(() =>
          client.readResource({ uri: "record:///notes/to%20day" })
        )
        expect(contents).toMatchObject([
          {
            uri: "record:///notes/to%20day",
            mimeType: "text/markdown",
            text: "---\nclass: note\ntitle: Today\n---\nBuy milk.\n",
            _meta: { "bailiwick/untrusted": true }
          }
        ])
        const { resourceTemplates } = yield* Effect.promise(() => client.listResourceTemplates())
        expect(resourceTemplates).toMatchObject([{ uriTemplate: "record:///{+id}" }])
      })
    )
  )

  it.scopedLive("that the agent may not read are neither listed nor read, and the transcript says so", () =>
    there(
      Effect.gen(function* () {
        const { options, turn } = serving(reader, undefined, onlyNotes)
        const { client } = yield* connected(options)
        const { resources } = yield* Effect.promise(() => client.listResources())
        expect(resources.map(({ name }) => name).sort()).toEqual(["notes/to day", "notes/été"])
        const refused = yield* failing(() => client.readResource({ uri: "record:///diary/x" }))
        expect(refused.code).toBe(-32002)
        expect(refused.data).toMatchObject({ "bailiwick/denial": { capability: "records.read" } })
        expect(refused.message).not.toContain("Dear")
        expect(turn.transcript.events.filter(({ allowed }) => !allowed)).toMatchObject([
          { tool: "get_record", capability: "records.read", code: "RECORD_NOT_REACHABLE" }
        ])
      })
    )
  )

  it.scopedLive("are not there for who may not read any, and asking for the list is no offence", () =>
    there(
      Effect.gen(function* () {
        const { options, turn } = serving(agentOf("capabilities: []"))
        const { client } = yield* connected(options)
        expect(yield* Effect.promise(() => client.listResources())).toMatchObject({ resources: [] })
        expect(turn.transcript.events).toEqual([])
        expect((yield* failing(() => client.readResource({ uri: "record:///diary/x" }))).code).toBe(-32002)
      })
    )
  )

  it.scopedLive("have addresses of one kind only", () =>
    there(
      Effect.gen(function* () {
        const { client } = yield* connected(serving(reader).options)
        for (const uri of [
          "file:///etc/passwd",
          "record:///../../etc/passwd",
          "record:///%2e%2e/x",
          "record:///%zz",
          "record:///nobody",
          "record://host/diary/x",
          ""
        ]) {
          expect([uri, (yield* failing(() => client.readResource({ uri }))).code]).toEqual([uri, -32002])
        }
      })
    )
  )

  it.scopedLive("are not served from a registry without the tools that read them", () =>
    there(
      Effect.gen(function* () {
        const registry = Registry.make(Builtin.kvGet)
        const { client } = yield* connected({
          serves: Effect.succeed({ registry, turn: turnOf(everything) })
        })
        expect(client.getServerCapabilities()?.resources).toBeUndefined()
      })
    )
  )
})

const skillOf = (id: string, tools: string, text = "Do it.") =>
  Skill.parse({
    file: `skills/${id}.md`,
    id,
    text: `---\nname: ${id}\ndescription: About ${id}\nallowed-tools: ${tools}\n---\n${text}\n`
  })

const skills = [
  skillOf("news", "WebFetch(github.com)"),
  skillOf("notes", "mcp__none__x", "Keep notes."),
  skillOf("broken", "Read(../x)")
]

describe("skills", () => {
  it.scopedLive("are prompts, where the policy holds what they require", () =>
    there(
      Effect.gen(function* () {
        const { client } = yield* connected(serving(reader, skills).options)
        const { prompts } = yield* Effect.promise(() => client.listPrompts())
        expect(prompts).toEqual([{ name: "notes", description: "About notes" }])
        const prompt = yield* Effect.promise(() => client.getPrompt({ name: "notes" }))
        expect(prompt).toMatchObject({
          description: "About notes",
          messages: [{ role: "user", content: { type: "text", text: "Keep notes.\n" } }]
        })
        for (const name of ["news", "broken", "toString"]) {
          expect((yield* failing(() => client.getPrompt({ name }))).code).toBe(-32602)
        }
      })
    )
  )

  it.scopedLive("are checked against the policy of the turn, and not against the record alone", () =>
    there(
      Effect.gen(function* () {
        const agent = agentOf('capabilities:\n  - net.get: { hosts: ["github.com"] }')
        const both = serving(agent, skills)
        const there = yield* connected(both.options)
        expect((yield* Effect.promise(() => there.client.listPrompts())).prompts).toHaveLength(2)
        const config = { file: "config.yaml", text: "id: nobody" }
        const nobody = Personality.policy(Personality.parseSync({ config }, { workdir: "/work" }))
        const less = yield* connected({
          serves: Effect.succeed({
            registry: Registry.make(),
            turn: { ...both.turn, policy: nobody },
            skills: { loaded: skills, agent }
          })
        })
        const { prompts } = yield* Effect.promise(() => less.client.listPrompts())
        expect(prompts.map(({ name }) => name)).toEqual(["notes"])
      })
    )
  )
})
