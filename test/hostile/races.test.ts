/**
 * The threat: a write that was worked out from one text and lands on another. Whoever revokes a grant while an agent
 * writes must not see it come back.
 */
import { describe, expect, it } from "@effect/vitest"
import { Effect, Either } from "effect"
import * as MemoryRecords from "../../src/capabilities/records/MemoryRecords.js"
import * as ScopedRecords from "../../src/capabilities/records/ScopedRecords.js"
import * as AgentRecord from "../../src/policy/agent/AgentRecord.js"
import { holder } from "../../src/policy/gate/Asking.js"
import { recordsAround } from "../recordsAround.js"
import { agent, note, permitFor, places } from "../registry/agentWorld.js"

/** A store in which somebody else writes between the read and the write of a caller. */
const interrupted = (id: string, before: string, after: string, name: string) =>
  Effect.gen(function* () {
    const backend = MemoryRecords.make([{ id, text: before }], places)
    const other = MemoryRecords.make([{ id, text: after }], places)
    const { revision } = yield* other.head(id)
    const permit = permitFor(backend, id, name)
    let pending = true
    const meanwhile = recordsAround(backend, ({ read }) => ({
      read: (asked) =>
        Effect.tap(read(asked), (stored) => {
          if (!pending) return Effect.void
          pending = false
          return backend.replace(
            { before: permit, after: permit },
            { text: after, revision: stored.revision }
          )
        })
    }))
    return {
      backend: meanwhile,
      foreseen: revision,
      text: Effect.map(backend.read(permit), ({ text }) => text)
    }
  })

describe("a revision that was foreseen", () => {
  it.effect("does not bring back a grant that was revoked between the read and the write", () =>
    Effect.gen(function* () {
      const wide = agent(
        "capabilities: [proc.eval, net.get{hosts=[*]}, records.read]".replace(
          "net.get{hosts=[*]}",
          '"net.get{hosts=[*]}"'
        )
      )
      const narrow = agent("capabilities: [records.read]")
      const world = yield* interrupted("agents/a", wide, narrow, "agent")
      const authority = AgentRecord.parse(
        { file: "me", id: "agents/me", text: agent("capabilities: [agent.update, records.read]") },
        places
      ).authority
      const records = ScopedRecords.scoped(
        holder({ authority, granter: { agent: "agents/me", authority } }),
        world.backend
      )
      const done = yield* Effect.either(
        records.update({ id: "agents/a", frontMatter: { title: "x" }, revision: world.foreseen })
      )
      expect(Either.isLeft(done) && done.left.code).toBe("RECORD_CHANGED")
      expect(yield* world.text).toBe(narrow)
    })
  )

  it.effect("does not undo what another wrote into a note", () =>
    Effect.gen(function* () {
      const before = note("class: note\ntitle: old", "one\n")
      const after = note("class: note\ntitle: new", "two\n")
      const id = "notes/a"
      const backend = MemoryRecords.make([{ id, text: before }], places)
      const authority = AgentRecord.parse(
        { file: "me", id: "agents/me", text: agent("capabilities: [records.update, records.read]") },
        places
      ).authority
      const who = holder({ authority, granter: { agent: "agents/me", authority } })
      const other = ScopedRecords.scoped(who, backend)
      const foreseen = (yield* MemoryRecords.make([{ id, text: after }], places).head(id)).revision
      let pending = true
      const around = recordsAround(backend, ({ read }) => ({
        read: (asked) =>
          Effect.tap(read(asked), () => {
            if (!pending) return Effect.void
            pending = false
            return other.update({ id, frontMatter: { title: "new" }, body: "two\n" })
          })
      }))
      const records = ScopedRecords.scoped(who, around)
      const done = yield* Effect.either(
        records.update({ id, frontMatter: { tags: ["t"] }, revision: foreseen })
      )
      expect(Either.isLeft(done) && done.left.code).toBe("RECORD_CHANGED")
      expect((yield* other.get({ id })).body).toBe("two\n")
    })
  )
})
