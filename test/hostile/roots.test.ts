/**
 * The threat: a grant that gives nothing when it is passed on, and something when a root is written, widened or taken
 * away later. What an agent passed on may never become more than what operators wrote gives at the same roots.
 */

import { describe, expect, it } from "@effect/vitest"
import { Effect, FastCheck as fc } from "effect"
import * as ScopedAgents from "../../src/capabilities/agents/ScopedAgents.js"
import * as MemoryRecords from "../../src/capabilities/records/MemoryRecords.js"
import * as ScopedRecords from "../../src/capabilities/records/ScopedRecords.js"
import * as AgentRecord from "../../src/policy/agent/AgentRecord.js"
import { holder } from "../../src/policy/gate/Asking.js"
import * as Authority from "../../src/policy/lattice/Authority.js"
import { times } from "../deep.js"
import { agent, permitFor, World } from "../registry/agentWorld.js"

const home = "/home/u"

const at = (sandbox: string | undefined): AgentRecord.Places =>
  sandbox === undefined ? { home } : { home, sandbox }

const authorityAt = (id: string, text: string, places: AgentRecord.Places) =>
  AgentRecord.parse({ file: id, id, text }, places).authority

describe("roots that change later", () => {
  it.effect("a grant without a root is not passed on by who does not hold it", () =>
    Effect.gen(function* () {
      for (const spec of ["fs.read", "fs.delete{paths=[**]}", "proc.eval", "proc.exec{cmds=[git]}"]) {
        const here = new World({
          "agents/me": agent("capabilities: [agent.grant, agent.create]"),
          "agents/a": agent("capabilities: []")
        })
        yield* here.call("agents/me", "grant_capability", { agent: "agents/a", grants: [spec] })
        yield* here.call("agents/me", "create_record", {
          id: "agents/n",
          class: "agent",
          frontMatter: { capabilities: [spec] }
        })
        yield* here.call("agents/me", "update_record", {
          id: "agents/a",
          frontMatter: { capabilities: [spec] }
        })
        for (const id of ["agents/a", "agents/n"]) {
          const text = yield* Effect.catchAllCause(here.text(id), () => Effect.succeed("---\n---\n"))
          expect([spec, id, Authority.isNothing(authorityAt(id, text, at("/home/u")))]).toEqual([
            spec,
            id,
            true
          ])
        }
      }
    })
  )

  it.effect(
    "a grant that takes its root from the workspace keeps that root when the workspace gets a wider one",
    () =>
      Effect.gen(function* () {
        const here = new World(
          {
            "agents/me": agent("capabilities: [agent.grant, {fs.read: {in: /home/u/p}}]"),
            "agents/a": agent("capabilities: []")
          },
          at("/home/u/p")
        )
        const result = yield* here.call("agents/me", "grant_capability", {
          agent: "agents/a",
          grants: ["fs.read"]
        })
        expect(result.ok).toBe(true)
        const [mine, theirs] = [yield* here.text("agents/me"), yield* here.text("agents/a")]
        for (const root of [undefined, "/home/u", "/"]) {
          expect([
            root,
            Authority.within(
              authorityAt("agents/a", theirs, at(root)),
              authorityAt("agents/me", mine, at(root))
            )
          ]).toEqual([root, true])
        }
      })
  )

  it.effect.each([
    ["outside of it", "~/p", "fs.read{in=/etc}"],
    ["wider than it", "~/p", "fs.read{in=/}"],
    ["without a root", "/", "fs.read"]
  ])(
    "a grant %s does not come to life or widen when something else is granted and the sandbox is written out",
    ([_what, sandbox, spec]) =>
      Effect.gen(function* () {
        const places = at("/home/u/p")
        const here = new World(
          {
            "agents/me": agent('capabilities: [agent.grant, "net.get{hosts=[a.example]}"]'),
            "agents/a": agent(`sandbox: "${sandbox}"\ncapabilities: ["${spec}"]`)
          },
          places
        )
        const before = yield* here.text("agents/a")
        const { ok } = yield* here.call("agents/me", "grant_capability", {
          agent: "agents/a",
          grants: ["net.get{hosts=[a.example]}"]
        })
        expect(ok).toBe(true)
        const after = yield* here.text("agents/a")
        expect(after).not.toContain("sandbox:")
        const files = (text: string, root: string | undefined) =>
          Authority.pick(authorityAt("agents/a", text, at(root)), "files")
        for (const root of [undefined, "/home/u/p", "/home/u", "/"]) {
          expect([root, Authority.within(files(after, root), files(before, "/home/u/p"))]).toEqual([
            root,
            true
          ])
        }
      })
  )

  const ids = ["agents/a", "agents/b", "agents/c"]
  const root = fc.constantFrom("~", "~/p", "~/p/q", "/", "/etc")
  const spec = fc.oneof(
    fc.constantFrom(
      "records.read",
      "fs.read",
      "fs.delete",
      "proc.eval",
      "fs.write{paths=[src/**]}",
      "net.get"
    ),
    root.map((where) => `fs.read{in=${where}}`),
    root.map((where) => `proc.exec{in=${where},cmds=[git]}`),
    root.map((where) => `fs.write{in=${where},paths=[q/x]}`)
  )
  const specs = fc.array(spec, { maxLength: 3 })
  const frontMatter = fc.record(
    {
      capabilities: fc.oneof(specs, fc.constant(null)),
      access: fc.constantFrom("r", "", null),
      sandbox: fc.oneof(root, fc.constantFrom("", null)),
      class: fc.constantFrom("agent", "note"),
      title: fc.constant("t")
    },
    { requiredKeys: [] }
  )
  const step = fc.record({
    actor: fc.constantFrom(...ids),
    target: fc.constantFrom(...ids, "agents/new"),
    act: fc.oneof(
      specs.map((grants) => ({ _tag: "grant", grants }) as const),
      frontMatter.map((given) => ({ _tag: "update", frontMatter: given }) as const),
      frontMatter.map((given) => ({ _tag: "create", frontMatter: given }) as const)
    )
  })
  const record = fc
    .record({ grants: specs, sandbox: fc.option(root, { nil: undefined }) })
    .map(({ grants, sandbox }) =>
      agent(
        [
          `capabilities: ${JSON.stringify([...grants, "agent.grant", "agent.create", "agent.update", "agent.delete", "records.create", "records.update"])}`,
          ...(sandbox === undefined ? [] : [`sandbox: ${JSON.stringify(sandbox)}`])
        ].join("\n")
      )
    )

  it("whatever agents pass on, and whatever root the workspace has afterwards, none holds more than was written", async () => {
    let accepted = 0
    await fc.assert(
      fc.asyncProperty(
        fc.array(record, { minLength: 3, maxLength: 3 }),
        fc.array(step, { minLength: 1, maxLength: 5 }),
        fc.constantFrom(undefined, "/home/u", "/home/u/p"),
        (texts, steps, now) =>
          Effect.runPromise(
            Effect.gen(function* () {
              const places = at(now)
              const backend = MemoryRecords.make(
                ids.map((id, i) => ({ id, text: texts[i] ?? "" })),
                places
              )
              const textOf = (id: string) =>
                Effect.flatMap(Effect.option(backend.head(id)), (head) =>
                  head._tag === "None"
                    ? Effect.succeed("")
                    : Effect.map(
                        Effect.orDie(backend.read(permitFor(backend, id, head.value.class))),
                        ({ text }) => text
                      )
                )
              for (const { act, actor, target } of steps) {
                const authority = authorityAt(actor, yield* textOf(actor), places)
                const who = holder({ authority, granter: { agent: actor, authority } })
                const done: Effect.Effect<unknown, unknown> =
                  act._tag === "grant"
                    ? ScopedAgents.scoped(who, backend).grant({ agent: target, grants: act.grants })
                    : ScopedRecords.scoped(who, backend)[act._tag]({
                        id: target,
                        frontMatter: act.frontMatter
                      })
                if (yield* Effect.isSuccess(done)) accepted++
              }
              for (const later of [undefined, "/home/u/p", "/home/u", "/etc", "/"]) {
                // What was held and passed on yesterday stays passed on, whatever its granter lost since.
                const written = Authority.joinAll(
                  [later, now].flatMap((root) =>
                    ids.map((id, i) => authorityAt(id, texts[i] ?? "", at(root)))
                  )
                )
                for (const id of [...ids, "agents/new"]) {
                  const held = authorityAt(id, yield* textOf(id), at(later))
                  if (!Authority.within(held, written)) {
                    throw new Error(`${id} under ${later}: ${yield* textOf(id)}`)
                  }
                }
              }
            })
          )
      ),
      { numRuns: times(30) }
    )
    expect(accepted).toBeGreaterThan(times(3))
  })
})
