/**
 * The threat: an agent that widens itself or another beyond what was written down, by any tool that reaches records.
 */
import { describe, expect, it } from "@effect/vitest"
import { Effect, Logger } from "effect"
import { RecordsBackend } from "../../src/capabilities/records/RecordsBackend.js"
import * as Grant from "../../src/policy/grant/Grant.js"
import * as Registry from "../../src/registry/Registry.js"
import { builtins } from "../../src/tools/builtin/index.js"
import { agent, note, reasonOf, World } from "./agentWorld.js"

const held = (world: World, id: string) =>
  Effect.map(world.record(id), (record) => record.held.map(({ effective }) => Grant.print(effective)))

const everything = "capabilities: [records.read, records.create, records.update, records.delete]"

const world = (me: string, others: Readonly<Record<string, string>> = {}) =>
  new World({
    "agents/me": agent(me),
    "agents/a": agent("title: A # keep me\ncapabilities: []"),
    "agents/b": agent("access: r"),
    "notes/a": note("class: note\ntitle: Apples", "apples and [[notes/b]]\n"),
    "notes/b": note("class: inbox", "pears\n"),
    ...others
  })

describe("records and agents are apart", () => {
  it.effect("a record of class agent is not reached through records.*, whatever is held of them", () =>
    Effect.gen(function* () {
      const here = world(everything)
      for (const [name, args] of [
        ["get_record", { id: "agents/a" }],
        ["update_record", { id: "agents/a", frontMatter: { title: "x" } }],
        ["delete_record", { id: "agents/a" }],
        ["create_record", { id: "agents/new", class: "agent" }],
        ["create_record", { id: "agents/new", frontMatter: { class: "agent" } }],
        ["update_record", { id: "notes/a", frontMatter: { class: "agent" } }]
      ] as const) {
        const result = yield* here.call("agents/me", name, args)
        expect([name, reasonOf(result)]).toEqual([name, "capability_absent"])
        expect(result.ok ? "" : result.denial?.capability).toMatch(/^agents\./)
      }
      const found = yield* here.call("agents/me", "search_records", { query: "agent" })
      expect(found).toEqual({ ok: true, value: { records: [] } })
      const listed = yield* here.call("agents/me", "list_records", {})
      expect(JSON.stringify(listed)).not.toContain("agents/")
    })
  )

  it.effect("an agent is seen by whoever may do something to it", () =>
    Effect.gen(function* () {
      const here = world("capabilities: [records.read, {agent.update: {ids: [agents/a]}}]")
      const read = yield* here.call("agents/me", "get_record", { id: "agents/a" })
      expect(read.ok && read.value).toMatchObject({ id: "agents/a", class: "agent" })
      expect(reasonOf(yield* here.call("agents/me", "get_record", { id: "agents/b" }))).toBe(
        "scope_violation"
      )
    })
  )

  it.effect("D2: a bare records.update changes a record of any class, and keeps its body byte for byte", () =>
    Effect.gen(function* () {
      const here = world("capabilities: [records.update]", {
        "notes/c": "---\r\nclass: durable # why\r\ntitle: Old\r\n---\r\nbody \t\r\n\r\n"
      })
      const result = yield* here.call("agents/me", "update_record", {
        id: "notes/c",
        frontMatter: { title: "New" }
      })
      expect(result.ok).toBe(true)
      expect(yield* here.text("notes/c")).toBe(
        "---\r\nclass: durable # why\r\ntitle: New\r\n---\r\nbody \t\r\n\r\n"
      )
    })
  )

  it.effect("D3: a bare agent.update changes another agent's title, and nothing of its authority", () =>
    Effect.gen(function* () {
      const here = world("capabilities: [agent.update]")
      const result = yield* here.call("agents/me", "update_record", {
        id: "agents/a",
        frontMatter: { title: "B" }
      })
      expect(result.ok).toBe(true)
      expect(yield* here.text("agents/a")).toBe(agent("title: B # keep me\ncapabilities: []"))
    })
  )

  it.effect("K6: to make an agent with capabilities needs agent.create and agent.grant", () =>
    Effect.gen(function* () {
      const args = { id: "agents/n", class: "agent", frontMatter: { capabilities: ["records.read"] } }
      const only = world("capabilities: [records.read, agent.create]")
      const refused = yield* only.call("agents/me", "create_record", args)
      expect(reasonOf(refused)).toBe("capability_absent")
      expect(refused.ok ? "" : refused.denial?.capability).toBe("agents.grant")
      const both = world("capabilities: [records.read, agent.create, agent.grant]")
      expect((yield* both.call("agents/me", "create_record", args)).ok).toBe(true)
      expect(yield* held(both, "agents/n")).toEqual(["records.read"])
    })
  )

  it.effect("an agent that is made without authority holds the default only if its maker does", () =>
    Effect.gen(function* () {
      const rich = world("capabilities: [records.read, agent.create]")
      yield* rich.call("agents/me", "create_record", { id: "agents/n", class: "agent" })
      expect(yield* held(rich, "agents/n")).toEqual(["records.read"])
      expect(yield* rich.text("agents/n")).not.toContain("capabilities")
      const poor = world("capabilities: [agent.create]")
      yield* poor.call("agents/me", "create_record", { id: "agents/n", class: "agent" })
      expect(yield* held(poor, "agents/n")).toEqual([])
    })
  )

  it.effect.each([
    ["K8", "create_record", { id: "agents/n", class: "agent", frontMatter: { sandbox: "~/x" } }],
    ["K9", "update_record", { id: "agents/a", frontMatter: { access: "rw" } }],
    ["K11", "update_record", { id: "agents/a", frontMatter: { sandbox: "~/x" } }],
    ["K9", "update_record", { id: "agents/a", frontMatter: { capabilities: ["records.read"] } }]
  ] as const)("%s: %s with %j is a grant", ([, name, args]) =>
    Effect.gen(function* () {
      const here = world("capabilities: [records.read, agent.create, agent.update]")
      const result = yield* here.call("agents/me", name, args)
      expect(reasonOf(result)).toBe("capability_absent")
      expect(result.ok ? "" : result.denial?.capability).toBe("agents.grant")
    })
  )

  it.effect("K9: a write of authority alone asks for agent.grant, and not for agent.update", () =>
    Effect.gen(function* () {
      const here = world("capabilities: [records.read, records.create, records.update, agent.grant]")
      const result = yield* here.call("agents/me", "update_record", {
        id: "agents/a",
        frontMatter: { access: "rw" }
      })
      expect(result.ok).toBe(true)
      const both = yield* here.call("agents/me", "update_record", {
        id: "agents/a",
        frontMatter: { access: "r", title: "x" }
      })
      expect(both.ok ? "" : both.denial?.capability).toBe("agents.update")
    })
  )

  it.effect("K13: delete_record asks for agent.delete or records.delete by what is deleted", () =>
    Effect.gen(function* () {
      const agents = world("capabilities: [agent.delete]")
      expect((yield* agents.call("agents/me", "delete_record", { id: "agents/a" })).ok).toBe(true)
      expect(reasonOf(yield* agents.call("agents/me", "delete_record", { id: "notes/a" }))).toBe(
        "capability_absent"
      )
      const records = world("capabilities: [records.delete]")
      expect((yield* records.call("agents/me", "delete_record", { id: "notes/a" })).ok).toBe(true)
      expect(reasonOf(yield* records.call("agents/me", "delete_record", { id: "agents/a" }))).toBe(
        "capability_absent"
      )
    })
  )

  it.effect("K22: a scoped delete of an id that is not there answers like one that is not allowed", () =>
    Effect.gen(function* () {
      const here = world("capabilities: [{records.delete: {classes: [inbox]}}]")
      const [absent, other] = yield* Effect.all([
        here.call("agents/me", "delete_record", { id: "notes/zzz" }),
        here.call("agents/me", "delete_record", { id: "notes/a" })
      ])
      expect(reasonOf(absent)).toBe("scope_violation")
      expect(JSON.stringify(absent).replaceAll("notes/zzz", "notes/a")).toBe(JSON.stringify(other))
      expect((yield* here.call("agents/me", "delete_record", { id: "notes/b" })).ok).toBe(true)
    })
  )

  it.effect("K25: a value with a line break injects no keys", () =>
    Effect.gen(function* () {
      const here = world("capabilities: [records.create, records.update, records.read]")
      const title = "x\nclass: agent\ncapabilities: [proc.eval]\n---\n"
      for (const [name, args] of [
        ["create_record", { id: "notes/n", frontMatter: { title, "a: b\nclass": "agent" } }],
        ["update_record", { id: "notes/a", frontMatter: { title } }]
      ] as const) {
        const result = yield* here.call("agents/me", name, args)
        expect(result.ok && result.value).toMatchObject({ frontMatter: { title } })
        const record = yield* here.record(args.id)
        expect(record.class).not.toBe("agent")
        expect(record.held).toEqual([])
      }
    })
  )

  it.effect(
    "an agent that becomes another kind of record needs agent.delete, and is never the one that asks",
    () =>
      Effect.gen(function* () {
        const args = (id: string) => ({ id, frontMatter: { class: "note" } })
        const weak = world("capabilities: [agent.update, records.create]")
        expect(reasonOf(yield* weak.call("agents/me", "update_record", args("agents/a")))).toBe(
          "capability_absent"
        )
        const strong = world("capabilities: [agent.update, agent.delete, records.create]")
        expect((yield* strong.call("agents/me", "update_record", args("agents/a"))).ok).toBe(true)
        expect(reasonOf(yield* strong.call("agents/me", "update_record", args("agents/me")))).toBe(
          "self_modification"
        )
      })
  )
})

describe("attenuation", () => {
  const grant = (mine: string, grants: ReadonlyArray<string>, agentId = "agents/a") =>
    world(`capabilities: [agent.grant, ${mine}]`).call("agents/me", "grant_capability", {
      agent: agentId,
      grants
    })

  it.effect.each([
    ["seed", "{net.get: {hosts: ['*.github.com']}}", "net.get{hosts=[github.com]}", undefined],
    ["L3", "{net.get: {hosts: ['*.github.com']}}", "net.get{hosts=[*]}", "exceeds_grantor_authority"],
    ["L4", "{net.get: {hosts: ['*']}}", "net.get{hosts=[api.github.com]}", undefined],
    ["L5", "{net.get: {hosts: ['*.github.com']}}", "net.get{hosts=[*.api.github.com]}", undefined],
    ["L6", "{net.get: {hosts: ['*.github.com']}}", "net.get{hosts=[*.com]}", "exceeds_grantor_authority"],
    ["L8", "{net.get: {hosts: [a]}}", "net.get", undefined],
    ["L9", "net.get", "net.get{hosts=[a]}", "exceeds_grantor_authority"],
    ["L14", "{records.update: {classes: [inbox]}}", "records.update{classes=[inbox]}", undefined],
    [
      "L14",
      "{records.update: {classes: [inbox]}}",
      "records.update{classes=[durable]}",
      "exceeds_grantor_authority"
    ],
    ["L14", "{records.update: {classes: [inbox]}}", "records.update", "exceeds_grantor_authority"],
    ["L15", "{records.update: {paths: ['notes/**']}}", "records.update{paths=[notes/a/**]}", undefined],
    ["L17", "{fs.read: {in: /a}}", "fs.read{in=/}", "exceeds_grantor_authority"],
    ["L19", "{fs.read: {in: /a}}", "fs.read{in=/a,paths=[x]}", undefined],
    ["L20", "{fs.read: {in: /a, paths: ['lib/**']}}", "fs.read{in=/a}", "exceeds_grantor_authority"],
    ["L26", "{proc.exec: {in: /a, patterns: ['git:*']}}", "proc.exec{in=/a,patterns=[git log *]}", undefined],
    ["L27", "{proc.exec: {in: /a, cmds: [git]}}", "proc.exec{in=/a,patterns=[git log *]}", undefined],
    ["L28", "{agent.update: {ids: [a, b]}}", "agent.update{ids=[a]}", undefined],
    ["L28", "{agent.update: {ids: [a, b]}}", "agent.update", "exceeds_grantor_authority"],
    ["L29", "{agent.update: {ids: [a]}}", "agent.update{id=a}", undefined],
    ["O5", "{net.get: {hosts: ['*']}}", "provider.code_execution", "exceeds_grantor_authority"],
    ["O5", "provider.code_execution", "provider.code_execution", undefined]
  ] as const)("%s: who holds %s passes on %s", ([, mine, proposed, reason]) =>
    Effect.gen(function* () {
      const result = yield* grant(mine, [proposed])
      expect(reasonOf(result)).toBe(reason)
      if (!result.ok) {
        expect(result.error).toContain(proposed.split("{")[0])
        expect(result.denial?.code).toBe("EXCEEDS_GRANTOR_AUTHORITY")
      }
    })
  )

  it.effect("L32: a sandbox for another needs fs and proc of one's own", () =>
    Effect.gen(function* () {
      const args = { id: "agents/a", frontMatter: { sandbox: "~/x" } }
      const poor = world("capabilities: [agent.grant]")
      expect(reasonOf(yield* poor.call("agents/me", "update_record", args))).toBe("exceeds_grantor_authority")
      const rich = world("capabilities: [agent.grant]\nsandbox: ~/x")
      expect((yield* rich.call("agents/me", "update_record", args)).ok).toBe(true)
    })
  )

  it.effect("a sandbox that would wake inert grants is measured by what they would then give", () =>
    Effect.gen(function* () {
      const here = world("capabilities: [agent.grant]\nsandbox: ~/x", {
        "agents/sleeper": agent("capabilities: [fs.delete, proc.eval]")
      })
      const result = yield* here.call("agents/me", "update_record", {
        id: "agents/sleeper",
        frontMatter: { sandbox: "~/x" }
      })
      expect(reasonOf(result)).toBe("exceeds_grantor_authority")
      expect((yield* here.record("agents/sleeper")).authority.scopes.files.delete.isEmpty).toBe(true)
    })
  )

  it.effect("a grant that has no root may get one tomorrow, and is not passed on", () =>
    Effect.gen(function* () {
      for (const [name, args] of [
        ["grant_capability", { agent: "agents/a", grants: ["fs.read"] }],
        ["update_record", { id: "agents/a", frontMatter: { capabilities: ["proc.eval"] } }]
      ] as const) {
        const here = world("capabilities: [agent.grant, {fs.read: {in: /}}, {proc.eval: {in: /}}]")
        const result = yield* here.call("agents/me", name, args)
        expect(result).toMatchObject({ ok: false, error: expect.stringContaining("has no root") })
        expect((yield* here.record("agents/a")).held).toEqual([])
      }
    })
  )

  it.effect("a bare grant is written with the root that it has by now", () =>
    Effect.gen(function* () {
      const here = world("capabilities: [agent.grant, {fs.read: {in: ~/p}}]", {
        "agents/rooted": agent("capabilities: []\nsandbox: ~/p")
      })
      const strict = yield* here.call("agents/me", "grant_capability", {
        agent: "agents/rooted",
        grants: ["fs.read"]
      })
      expect(strict.ok).toBe(true)
      expect(yield* held(here, "agents/rooted")).toContain("fs.read{in=~/p}")
    })
  )

  it.effect("what a grant takes out of the record is told, and not what else its lines say", () =>
    Effect.gen(function* () {
      const target = {
        "agents/rooted": agent("sandbox: ~/p\ncapabilities:\n  - fs.read: { in: /etc } # Ann")
      }
      const grants = ["net.get{hosts=[a.example]}"]
      const done = yield* world("capabilities: [agent.grant, {net.get: {hosts: ['*']}}]", target).call(
        "agents/me",
        "grant_capability",
        { agent: "agents/rooted", grants }
      )
      expect(done).toMatchObject({
        ok: true,
        value: { lost: [expect.stringContaining("line 5: fs.read{in=/etc}; ")] }
      })
      expect(JSON.stringify(done)).not.toContain("Ann")
      const plain = { agent: "agents/a", grants }
      const here = world("capabilities: [agent.grant, {net.get: {hosts: ['*']}}]")
      expect(yield* here.call("agents/me", "grant_capability", plain)).not.toHaveProperty("value.lost")
    })
  )

  it.effect("an agent does not grant to itself in another spelling of its id", () =>
    Effect.gen(function* () {
      const here = world("capabilities: [agent.grant, agent.delete, agent.create, records.read]")
      for (const id of ["agents/Me", "AGENTS/ME", "agents/\uff4de", "agents/m\u200be"]) {
        const granted = yield* here.call("agents/me", "grant_capability", {
          agent: id,
          grants: ["agent.delete"]
        })
        expect([id, granted.ok]).toEqual([id, false])
      }
      const result = yield* here.call("agents/me", "grant_capability", { agent: "agents/Me", grants: [] })
      expect(reasonOf(result)).toBe("self_modification")
    })
  )

  it.effect("L33: nothing may be proposed", () =>
    Effect.map(grant("records.read", []), (result) => expect(result.ok).toBe(true))
  )

  it.effect("L34: never to itself, whatever it holds", () =>
    Effect.gen(function* () {
      for (const mine of ["agent.grant", "records.read"]) {
        const here = world(`capabilities: [${mine}, agent.update]`)
        for (const [name, args] of [
          ["grant_capability", { agent: "agents/me", grants: ["records.read"] }],
          ["update_record", { id: "agents/me", frontMatter: { capabilities: [] } }],
          ["update_record", { id: "agents/me", frontMatter: { access: "r" } }],
          ["update_record", { id: "agents/me", frontMatter: { sandbox: null } }]
        ] as const) {
          const result = yield* here.call("agents/me", name, args)
          // A tool that the agent cannot call at all is not offered; what it can call says why.
          expect(reasonOf(result)).toBe("self_modification")
        }
      }
    })
  )

  it.effect("self_modification comes first, whatever is held of others", () =>
    Effect.gen(function* () {
      for (const mine of [
        "records.update{paths=[notes/**]}",
        "agent.update{ids=[agents/a]}",
        "agent.grant{ids=[agents/a]}"
      ]) {
        const here = world(`capabilities: ["${mine}"]`)
        const args = { id: "agents/me", frontMatter: { capabilities: ["records.read"] } }
        expect(reasonOf(yield* here.call("agents/me", "update_record", args))).toBe("self_modification")
      }
    })
  )

  it.effect("a remedy is of the family of what was asked about", () =>
    Effect.gen(function* () {
      const here = world(
        'capabilities: ["records.update{paths=[notes/**]}", "records.delete{paths=[notes/**]}"]'
      )
      for (const id of ["agents/a", "agents/none"]) {
        const updated = yield* here.call("agents/me", "update_record", { id, frontMatter: { title: "x" } })
        expect(updated).toMatchObject({ denial: { remedy: expect.stringContaining(`agent.update{`) } })
        const deleted = yield* here.call("agents/me", "delete_record", { id })
        expect(deleted).toMatchObject({ denial: { remedy: expect.stringContaining(`agent.delete{`) } })
      }
      const noted = yield* here.call("agents/me", "update_record", {
        id: "else/a",
        frontMatter: { title: "x" }
      })
      expect(noted).toMatchObject({ denial: { remedy: expect.stringContaining(`records.update{`) } })
    })
  )

  it.effect("fifteen grants in one turn are given one after the other", () =>
    Effect.gen(function* () {
      const hosts = Array.from({ length: 15 }, (_, index) => `h${index}.example`)
      const here = world(`capabilities: [agent.grant, {net.get: {hosts: [${hosts}]}}]`)
      const turn = yield* here.turn("agents/me")
      const results = yield* here.batch(
        turn,
        hosts.map((host) => ["grant_capability", { agent: "agents/a", grants: [`net.get{hosts=[${host}]}`] }])
      )
      expect(results.map(({ ok }) => ok)).toEqual(hosts.map(() => true))
      const text = yield* here.text("agents/a")
      expect(hosts.filter((host) => !text.includes(host))).toEqual([])
    })
  )

  it.effect("changes of one record wait for each other, by whatever way they come", () =>
    Effect.gen(function* () {
      const here = world("capabilities: [agent.grant, agent.update, {net.get: {hosts: [h.example]}}]")
      const turn = yield* here.turn("agents/me")
      const results = yield* here.batch(turn, [
        ["grant_capability", { agent: "agents/a", grants: ["net.get{hosts=[h.example]}"] }],
        ["update_record", { id: "agents/a", frontMatter: { title: "x" } }],
        ["update_record", { id: "agents/a", frontMatter: { note: "y" } }],
        ["grant_capability", { agent: "agents/a", grants: ["agent.update"] }]
      ])
      expect(results.map(({ ok }) => ok)).toEqual([true, true, true, true])
      const text = yield* here.text("agents/a")
      for (const part of ["h.example", "title: x", "note: y", "agent.update"]) expect(text).toContain(part)
    })
  )

  it.effect(
    "naming what runs later by itself is more than reaching it, and is not passed on by who reaches it",
    () =>
      Effect.gen(function* () {
        const spec = "fs.write{in=/w/.github/workflows}"
        const here = world("capabilities: [agent.grant, agent.create, agent.update, {fs.write: {in: /w}}]")
        const ways = [
          ["grant_capability", { agent: "agents/a", grants: [spec] }],
          ["update_record", { id: "agents/a", frontMatter: { capabilities: [spec] } }],
          ["create_record", { id: "agents/n", class: "agent", frontMatter: { capabilities: [spec] } }]
        ] as const
        for (const [name, args] of ways) {
          expect(reasonOf(yield* here.call("agents/me", name, args))).toBe("exceeds_grantor_authority")
          const foreseen = yield* here.explain("agents/me", name, args)
          expect(reasonOf(foreseen.result)).toBe("exceeds_grantor_authority")
        }
        const lifting = world(`capabilities: [agent.grant, {fs.write: {in: /w}}, "${spec}"]`)
        const passed = yield* lifting.call("agents/me", "grant_capability", {
          agent: "agents/a",
          grants: [spec]
        })
        expect(passed.ok).toBe(true)
      })
  )

  it.effect("L37: never deletes itself; another it may", () =>
    Effect.gen(function* () {
      const here = world("capabilities: [agent.delete]")
      expect(reasonOf(yield* here.call("agents/me", "delete_record", { id: "agents/me" }))).toBe(
        "self_modification"
      )
      expect((yield* here.call("agents/me", "delete_record", { id: "agents/a" })).ok).toBe(true)
    })
  )

  it.effect("L38: a malformed proposal is an input error with a suggestion, before anything is asked", () =>
    Effect.gen(function* () {
      const here = world("capabilities: [agent.grant, agent.update]")
      const turn = yield* here.turn("agents/me")
      const bad = yield* here.during(turn, "grant_capability", {
        agent: "agents/me",
        grants: ["records.reed"]
      })
      expect(bad).toMatchObject({ ok: false, error: expect.stringContaining("did you mean 'records.read'") })
      const worse = yield* here.during(turn, "update_record", {
        id: "agents/a",
        frontMatter: { capabilities: ["records.reed"] }
      })
      expect(worse).toMatchObject({
        ok: false,
        error: expect.stringContaining("did you mean 'records.read'")
      })
      expect(turn.transcript.events).toEqual([])
    })
  )

  it.effect("L40: what is accepted is written out, and no shorthand stays beside it", () =>
    Effect.gen(function* () {
      const here = world(
        "capabilities: [records.read, records.create, records.update, agent.grant]\nsandbox: ~/x"
      )
      yield* here.call("agents/me", "update_record", {
        id: "agents/a",
        frontMatter: { access: "rw", sandbox: "~/x" }
      })
      const text = yield* here.text("agents/a")
      expect(text).not.toMatch(/^(access|sandbox):/m)
      expect(text).toContain("title: A # keep me")
      expect(yield* held(here, "agents/a")).toEqual([
        "records.read",
        "records.create",
        "records.update",
        "fs.read{in=~/x}",
        "fs.write{in=~/x}",
        "proc.exec{in=~/x}"
      ])
    })
  )

  it.effect("K14: agent.grant{id} reaches that agent only", () =>
    Effect.gen(function* () {
      const mine = "{agent.grant: {id: agents/a}}, records.read"
      const here = world(`capabilities: [${mine}]`)
      const args = (agentId: string) => ({ agent: agentId, grants: ["records.read"] })
      expect((yield* here.call("agents/me", "grant_capability", args("agents/a"))).ok).toBe(true)
      expect(reasonOf(yield* here.call("agents/me", "grant_capability", args("agents/b")))).toBe(
        "scope_violation"
      )
    })
  )

  it.effect("a grant is seen at the next turn, and never in the middle of one", () =>
    Effect.gen(function* () {
      const here = world("capabilities: [agent.grant, records.read]")
      const running = yield* here.turn("agents/a")
      const before = yield* here.during(running, "get_record", { id: "notes/a" })
      yield* here.call("agents/me", "grant_capability", { agent: "agents/a", grants: ["records.read"] })
      const still = yield* here.during(running, "get_record", { id: "notes/a" })
      expect([before.ok, still.ok]).toEqual([false, false])
      const next = yield* here.turn("agents/a")
      expect((yield* here.during(next, "get_record", { id: "notes/a" })).ok).toBe(true)
      expect(next.policy.revision).not.toBe(running.policy.revision)
    })
  )
})

describe("a denial", () => {
  it.effect("reaches the result, the transcript and the log, each with its why", () =>
    Effect.gen(function* () {
      const here = world("capabilities: [agent.grant, {net.get: {hosts: [a.example]}}]")
      const turn = yield* here.turn("agents/me")
      const result = yield* here.during(turn, "grant_capability", {
        agent: "agents/a",
        grants: ["net.get{hosts=[*]}"]
      })
      expect(result).toMatchObject({
        ok: false,
        code: "execution_failed",
        denial: {
          reason: "exceeds_grantor_authority",
          tool: "grant_capability",
          capability: "network.get",
          held: ["a.example"],
          remedy: expect.stringContaining("net.get{hosts=[*]}")
        }
      })
      expect(turn.transcript.events.at(-1)).toMatchObject({
        type: "guardrail",
        allowed: false,
        reason: "exceeds_grantor_authority",
        callId: "1",
        agent: "agents/me",
        revision: turn.policy.revision
      })
    })
  )

  it.effect("is a warning in the log, with the agent", () =>
    Effect.gen(function* () {
      const here = world("capabilities: [agent.grant]")
      const turn = yield* here.turn("agents/me")
      const lines: Array<unknown> = []
      const logger = Logger.make(({ annotations, logLevel, message }) =>
        lines.push({ level: logLevel.label, message: String(message), ...Object.fromEntries(annotations) })
      )
      const calls = [
        { id: "1", name: "grant_capability", args: { agent: "agents/a", grants: ["net.get{hosts=[*]}"] } },
        { id: "2", name: "nope", args: {} }
      ]
      yield* Registry.make(...builtins)
        .execute(turn, calls)
        .pipe(
          Effect.provideService(RecordsBackend, here.backend),
          Effect.provide(Logger.replace(Logger.defaultLogger, logger))
        )
      const shared = { level: "WARN", message: "refused", agent: "agents/me", session: "s" }
      expect(lines).toEqual(
        expect.arrayContaining([
          expect.objectContaining({ ...shared, reason: "exceeds_grantor_authority" }),
          expect.objectContaining({ ...shared, reason: "unknown_tool" })
        ])
      )
    })
  )

  it.effect("M2: of a tool that is not there is one like any other", () =>
    Effect.gen(function* () {
      const here = world("access: r")
      const turn = yield* here.turn("agents/me")
      const result = yield* here.during(turn, "no_such_tool", {})
      expect(reasonOf(result)).toBe("unknown_tool")
      expect(turn.transcript.events.map(({ reason }) => reason)).toEqual(["unknown_tool"])
    })
  )

  it.effect("M13: of several questions the first that is refused is the answer, and nothing is written", () =>
    Effect.gen(function* () {
      const here = world("capabilities: [agent.update]")
      const before = yield* here.text("agents/a")
      yield* here.call("agents/me", "update_record", {
        id: "agents/a",
        body: "x",
        frontMatter: { access: "rw" }
      })
      expect(yield* here.text("agents/a")).toBe(before)
    })
  )
})

describe("explain", () => {
  it.effect("names the line of the grant that allows", () =>
    Effect.gen(function* () {
      const here = world(
        "title: me\ncapabilities:\n  - records.read\n  - records.update:\n      classes: [note]"
      )
      const { result } = yield* here.explain("agents/me", "update_record", { id: "notes/a", body: "x" })
      expect(result.ok && result.value.decisions).toMatchObject([
        {
          capability: "records.update",
          allowed: true,
          by: [{ file: "agents/me.md", line: 6, written: "records.update{classes=[note]}" }]
        }
      ])
    })
  )

  it.effect("names the line that would allow: of the grant to widen, or of the list", () =>
    Effect.gen(function* () {
      const here = world(
        "title: me\ncapabilities:\n  - records.read\n  - records.update:\n      classes: [note]"
      )
      const wider = yield* here.explain("agents/me", "update_record", { id: "notes/b", body: "x" })
      expect(wider.would).toMatchObject({ file: "agents/me.md", line: 6 })
      const other = yield* here.explain("agents/me", "delete_record", { id: "notes/b" })
      expect(other.result).toMatchObject({ ok: false })
    })
  )

  it.effect("foresees attenuation, and changes nothing", () =>
    Effect.gen(function* () {
      const here = world("capabilities: [agent.grant]")
      const before = yield* here.text("agents/a")
      const exceeds = yield* here.explain("agents/me", "grant_capability", {
        agent: "agents/a",
        grants: ["records.read"]
      })
      expect(reasonOf(exceeds.result)).toBe("exceeds_grantor_authority")
      const self = yield* here.explain("agents/me", "grant_capability", { agent: "agents/me", grants: [] })
      expect(reasonOf(self.result)).toBe("self_modification")
      expect(yield* here.text("agents/a")).toBe(before)
    })
  )
})

describe("the menu of an agent", () => {
  it.effect("D10: has a tool whose verb is spoken of, be it without any scope", () =>
    Effect.gen(function* () {
      const names = (front: string) =>
        Effect.map(world(front).menu("agents/me"), (menu) => menu.map(({ name }) => name))
      expect(yield* names("access: r")).toEqual(["search_records", "get_record", "list_records"])
      expect(yield* names("capabilities: []")).toEqual([])
      expect(yield* names("capabilities: [agent.grant]")).toEqual(["update_record", "grant_capability"])
    })
  )
})
