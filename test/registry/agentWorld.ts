/** A store of records in memory, and turns of its agents. */
import { Effect, Either, Logger, Schema } from "effect"
import * as MemoryRecords from "../../src/capabilities/records/MemoryRecords.js"
import { RecordsBackend } from "../../src/capabilities/records/RecordsBackend.js"
import * as AgentRecord from "../../src/policy/agent/AgentRecord.js"
import * as Asking from "../../src/policy/gate/Asking.js"
import * as Authority from "../../src/policy/lattice/Authority.js"
import * as Request from "../../src/policy/lattice/Request.js"
import * as Registry from "../../src/registry/Registry.js"
import type { ToolResult } from "../../src/registry/ToolResult.js"
import * as Turn from "../../src/registry/Turn.js"
import { builtins } from "../../src/tools/builtin/index.js"

export const places: AgentRecord.Places = { home: "/home/u" }

export const agent = (front: string): string => `---\nclass: agent\n${front}\n---\nYou are an agent.\n`

export const note = (front: string, body = "text\n"): string => `---\n${front}\n---\n${body}`

const registry = Registry.make(...builtins)

/** Texts by id; what is given overwrites what is there. */
export class World {
  readonly backend: RecordsBackend.Service

  constructor(records: Readonly<Record<string, string>>, agents: AgentRecord.Places = places) {
    this.backend = MemoryRecords.make(
      Object.entries(records).map(([id, text]) => ({ id, text })),
      agents
    )
  }

  /** The text of a record, whoever may read it. */
  text(id: string): Effect.Effect<string> {
    return Effect.orDie(
      Effect.flatMap(this.backend.head(id), (head) =>
        this.backend.read(permitFor(this.backend, id, head.class)).pipe(Effect.map(({ text }) => text))
      )
    )
  }

  record(id: string): Effect.Effect<AgentRecord.AgentRecord> {
    return Effect.map(this.text(id), (text) =>
      AgentRecord.parse({ file: `${id}.md`, id, text }, this.backend.agents)
    )
  }

  turn(id: string): Effect.Effect<Turn.Turn> {
    return Effect.map(this.record(id), (record) =>
      Turn.make({ session: "s", policy: AgentRecord.policy(record), workdir: "/w", home: "/home/u" })
    )
  }

  /** One call by an agent, as its record is by now. */
  call(id: string, name: string, args: unknown): Effect.Effect<ToolResult> {
    return Effect.flatMap(this.turn(id), (turn) => this.during(turn, name, args))
  }

  during(turn: Turn.Turn, name: string, args: unknown): Effect.Effect<ToolResult> {
    return registry.execute(turn, [{ id: "1", name, args }]).pipe(
      Effect.map((results) => results[0].result),
      Effect.provideService(RecordsBackend, this.backend),
      Effect.provide(Logger.remove(Logger.defaultLogger))
    )
  }

  /** Several calls at once. */
  batch(
    turn: Turn.Turn,
    calls: ReadonlyArray<readonly [name: string, args: unknown]>
  ): Effect.Effect<ReadonlyArray<ToolResult>> {
    return registry
      .execute(
        turn,
        calls.map(([name, args], index) => ({ id: String(index), name, args }))
      )
      .pipe(
        Effect.map((results) => results.map(({ result }) => result)),
        Effect.provideService(RecordsBackend, this.backend),
        Effect.provide(Logger.remove(Logger.defaultLogger))
      )
  }

  explain(id: string, name: string, args: unknown) {
    return Effect.flatMap(this.turn(id), (turn) =>
      registry
        .explain(turn, { id: "1", name, args })
        .pipe(Effect.provideService(RecordsBackend, this.backend))
    )
  }

  menu(id: string) {
    return Effect.flatMap(this.turn(id), (turn) =>
      registry.menu(turn).pipe(Effect.provideService(RecordsBackend, this.backend))
    )
  }
}

const all = Schema.decodeSync(Authority.FromJson)({
  records: { read: [{ class: "*", path: "**" }] },
  agents: { update: ["**"] }
})

export const permitFor = (backend: RecordsBackend.Service, id: string, name: string): RecordsBackend.Permit =>
  Either.getOrThrow(
    Asking.ask(
      Asking.holder({ authority: all, backend }),
      name === "agent" ? Request.agent("update", id) : Request.record("read", id, name)
    )
  )

export const reasonOf = (result: ToolResult): string | undefined =>
  result.ok ? undefined : (result.denial?.reason ?? result.error)
