/** The threat: what may not be read comes back in the answer to something else. */
import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import * as ScopedRecords from "../../src/capabilities/records/ScopedRecords.js"
import { holder } from "../../src/policy/gate/Asking.js"
import { agent, note, reasonOf, World } from "../registry/agentWorld.js"

const SECRET = "the-words-of-the-record"

const world = (mine: string) =>
  new World({
    "agents/me": agent(mine),
    "agents/a": agent(`title: ${SECRET}\ncapabilities: []`),
    "notes/a": note(`class: note\ntitle: ${SECRET}\ntags: [${SECRET}]`, `${SECRET} [[agents/a]]\n`),
    "notes/b": note("class: inbox", "[[notes/a]] [[agents/a]]\n"),
    "notes/broken": `---\nclass: note\ntitle: [${SECRET}\n---\n`
  })

describe("what may not be read", () => {
  it.effect("is not in the answer to a change by who may only change", () =>
    Effect.gen(function* () {
      for (const [mine, args] of [
        ["capabilities: [records.update]", { id: "notes/a" }],
        ["capabilities: [records.update]", { id: "notes/a", frontMatter: { x: 1 } }],
        ["capabilities: [agent.update]", { id: "agents/a", frontMatter: { x: 1 } }],
        ["capabilities: [agent.grant]", { id: "agents/a", frontMatter: { access: "" } }]
      ] as const) {
        const result = yield* world(mine).call("agents/me", "update_record", args)
        expect([mine, JSON.stringify(result).includes(SECRET)]).toEqual([mine, false])
      }
    })
  )

  it.effect("is not in the answer to a grant", () =>
    Effect.gen(function* () {
      const result = yield* world("capabilities: [agent.grant]").call("agents/me", "grant_capability", {
        agent: "agents/a",
        grants: []
      })
      expect(result.ok).toBe(true)
      expect(JSON.stringify(result)).not.toContain(SECRET)
    })
  )

  it.effect("is not in what is said of a record that cannot be read", () =>
    Effect.gen(function* () {
      const here = world("capabilities: [records.read, records.update, records.delete, agent.update]")
      for (const [name, args] of [
        ["get_record", { id: "notes/broken" }],
        ["update_record", { id: "notes/broken", body: "x" }],
        ["delete_record", { id: "notes/broken" }],
        ["search_records", { query: SECRET, class: "inbox" }]
      ] as const) {
        expect(JSON.stringify(yield* here.call("agents/me", name, args))).not.toContain(SECRET)
      }
    })
  )

  it.effect("an agent that may not be seen is no neighbour, no count and no result", () =>
    Effect.gen(function* () {
      const here = world("capabilities: [records.read]")
      const { authority } = yield* here.record("agents/me")
      const records = ScopedRecords.scoped(holder({ authority }), here.backend)
      expect(yield* records.links({ id: "notes/b" })).toEqual(["notes/a"])
      expect(yield* records.backlinks({ id: "notes/a" })).toEqual(["notes/b"])
      for (const [name, args] of [
        ["list_records", { class: "agent" }],
        ["search_records", { query: "agent", class: "agent" }],
        ["search_records", { query: SECRET, limit: 1 }]
      ] as const) {
        expect(JSON.stringify(yield* here.call("agents/me", name, args))).not.toContain("agents/")
      }
      expect(reasonOf(yield* here.call("agents/me", "get_record", { id: "agents/a" }))).toBe(
        "capability_absent"
      )
    })
  )
})
